/** A request as tests send it, and the response as they see it, both in-process and over HTTP. */

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with its Content-Type. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly text?: string;
}

export interface Received {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined if it is empty or is not JSON. */
  readonly json: unknown;
}

/** Returns the body to send and the headers that belong to it. */
export function encodeBody({ json, text }: Sent): { body?: string; headers: Record<string, string> } {
  const body = json === undefined ? text : JSON.stringify(json);
  if (body === undefined) return { headers: {} };
  const length = { "content-length": String(Buffer.byteLength(body)) };
  return { body, headers: { ...(json !== undefined && { "content-type": "application/json" }), ...length } };
}
