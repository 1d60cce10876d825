/** Prints each request of the demonstration with its response and time. */
import { type Report, shorten } from "./report.ts";

const maxShownCharacters = 2000;

export interface PrintedResponse {
  readonly status: number;
  readonly text: string;
}

/** Returns a `fetch` that prints method, path, body, status and time. Long successful responses are only measured. */
export function createPrintingFetch(
  report: Report,
  onResponse: (response: PrintedResponse) => void = () => undefined,
): typeof fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const startedAt = performance.now();
    const response = await fetch(input, init);
    const text = await response.text();
    const milliseconds = (performance.now() - startedAt).toFixed(0);
    report.line(`${init.method ?? "GET"} ${pathname}${search}`);
    const { body } = init;
    if (typeof body === "string" || body instanceof URLSearchParams)
      report.line(`  with ${shorten(body.toString())}`);
    const isLong = response.ok && text.length > maxShownCharacters;
    const shown = isLong ? `${text.length} characters` : shorten(text || "no body");
    report.line(`  ${response.status} in ${milliseconds} ms: ${shown}`);
    onResponse({ status: response.status, text });
    return new Response(text === "" ? null : text, response);
  };
}
