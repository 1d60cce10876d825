/** Sends one request of the demonstration and prints it with its response and time. */
import { type Report, shorten } from "./report.ts";

export interface DemoRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Record<string, string>;
  /** A form, or an object that is sent as JSON. */
  readonly body?: URLSearchParams | object;
  /** Prints only the length of a successful response. */
  readonly hides?: boolean;
}

export interface DemoAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
}

const timeoutMilliseconds = 240_000;

/** Sends a request and prints method, path, status, time and body. Throws if there is no response. */
export async function exchange(report: Report, request: DemoRequest): Promise<DemoAnswer> {
  const { method, url, body } = request;
  const { pathname, search } = new URL(url);
  const startedAt = performance.now();
  const response = await fetch(url, {
    method,
    headers: { ...(body && !(body instanceof URLSearchParams) && jsonType), ...request.headers },
    ...(body && { body: body instanceof URLSearchParams ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  const text = await response.text();
  const milliseconds = (performance.now() - startedAt).toFixed(0);
  report.line(`${method} ${pathname}${search}`);
  if (body)
    report.line(`  with ${shorten(body instanceof URLSearchParams ? String(body) : JSON.stringify(body))}`);
  const shown = request.hides && response.ok ? `${text.length} characters` : shorten(text || "no body");
  report.line(`  ${response.status} in ${milliseconds} ms: ${shown}`);
  return { status: response.status, headers: response.headers, text, json: parseJson(text) };
}

const jsonType = { "content-type": "application/json" };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
