/** The marker: one line in a room's description that names our service, the room's state, when, and the claim. */

export interface Marker {
  readonly state: "pooled" | "assigned";
  /** When the state was entered, ISO 8601 in UTC. */
  readonly since: string;
  /** Of an assigned room: the id of the queue message whose claim it was. */
  readonly messageId?: string | undefined;
}

/** The platform's limit for a description, in characters. */
export const maxDescriptionCharacters = 250;

const markerLine = /^vmr-gateway (pooled|assigned) (\S+)(?: (\S+))?\s*$/;

/** The marker in a description, wherever its line stands; undefined where there is none. */
export function parseMarker(description: string | null | undefined): Marker | undefined {
  for (const line of (description ?? "").split(/\r?\n/).toReversed()) {
    const match = markerLine.exec(line);
    if (match?.[2]) {
      return { state: match[1] === "assigned" ? "assigned" : "pooled", since: match[2], messageId: match[3] };
    }
  }
  return undefined;
}

/** A description without its marker line: what the API shows. */
export function withoutMarker(description: string): string {
  const lines = description.split(/\r?\n/);
  return lines.some((line) => markerLine.test(line))
    ? lines.filter((line) => !markerLine.test(line)).join("\n")
    : description;
}

/** A description with its marker replaced; text that no longer fits the platform's limit is cut at its end. */
export function withMarker(description: string | null | undefined, marker: Marker): string {
  const line = formatMarker(marker);
  const fitting = withoutMarker(description ?? "").slice(0, maxDescriptionCharacters - line.length - 1);
  // Half a surrogate pair is no text that the platform can store.
  const text = fitting.replace(/[\uD800-\uDBFF]$/, "");
  return text === "" ? line : `${text}\n${line}`;
}

/** The line as it is stored. */
export function formatMarker({ state, since, messageId }: Marker): string {
  return ["vmr-gateway", state, since, ...(messageId ? [messageId] : [])].join(" ");
}
