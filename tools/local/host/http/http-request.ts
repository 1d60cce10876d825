/** Converts a request to the data that the real host passes to the app. */
import type { IncomingMessage } from "node:http";
import type { HttpRequestData } from "../worker/messages.ts";
import { encodePath, flattenQuery, type RequestTarget } from "./request-target.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads the body of a request with a Content-Length above 0. Like the real host, drops a chunked body. Throws if the
 * client disconnects before the end.
 */
export async function readBody(request: IncomingMessage, lengthBytes: number): Promise<Buffer | undefined> {
  if (lengthBytes === 0) return undefined;
  const body = Buffer.allocUnsafe(lengthBytes);
  let received = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    received += chunk.copy(body, received);
  }
  return body;
}

/** Joins repeated headers with a comma. Returns undefined if a value is not UTF-8, which the host answers with 400. */
export function flattenHeaders(rawHeaders: readonly string[]): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = decodeHeaderValue(rawHeaders[index + 1] ?? "");
    if (value === undefined) return undefined;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before},${value}`);
  }
  return headers;
}

/** Describes a request to the app. The URL's path is re-encoded; the query stays as it was sent. */
export function describeRequest(
  method: string,
  target: RequestTarget,
  headers: ReadonlyMap<string, string>,
  parameters: Readonly<Record<string, string>>,
  body: Buffer | undefined,
): HttpRequestData {
  return {
    url: `http://${headers.get("host") ?? "localhost"}${encodePath(target.path)}${target.query}`,
    method,
    nullableHeaders: toNullable(headers),
    nullableQuery: toNullable(target.query === "" ? [] : flattenQuery(target.query)),
    nullableParams: toNullable(Object.entries(parameters)),
    ...(body ? { body: { bytes: body } } : {}),
  };
}

function toNullable(entries: Iterable<readonly [string, string]>): Record<string, { value: string }> {
  return Object.fromEntries(Array.from(entries, ([name, value]) => [name, { value }]));
}

function decodeHeaderValue(value: string): string | undefined {
  if (!/[\x80-\xff]/.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, "latin1"));
  } catch {
    return undefined;
  }
}
