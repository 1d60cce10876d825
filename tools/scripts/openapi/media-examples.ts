/** The examples of a request or response body in the API document. */

export interface Example {
  /** Without one, viewers show the example's name. */
  readonly summary?: string;
  readonly value: unknown;
}

/** By name. */
export type Examples = Readonly<Record<string, Example>>;

/** Returns the fields of a media type that contain its examples: viewers show a single one without its name. */
export function mediaExamples(examples: Examples): Record<string, unknown> {
  const all = Object.values(examples);
  return all.length === 1 ? { example: all[0]?.value } : { examples };
}
