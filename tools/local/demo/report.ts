/** What the demonstration prints: steps, requests with their responses and times, checks, and the summary. */
import type { Output } from "../terminal/progress.ts";

export const indent = "   ";
const maxLineCharacters = 160;

export function createReport(output: Output) {
  const startedAt = performance.now();
  const failed: string[] = [];
  let steps = 0;
  let checks = 0;
  const colour = (code: number, text: string): string =>
    output.isTTY ? `\u001B[${code}m${text}\u001B[0m` : text;
  /** Prints one line below the step. */
  const line = (text: string): void => void output.write(`${indent}${text}\n`);

  return {
    line,
    /** Begins a numbered step. */
    step: (title: string): void => {
      steps += 1;
      output.write(`\n${colour(1, `${steps}. ${title}`)}\n`);
    },
    /** Records whether an expectation of the specification is met, and prints `seen` if it is not. */
    check: (expectation: string, isMet: boolean, seen?: unknown): void => {
      checks += 1;
      if (isMet) return line(`${colour(32, "ok")}   ${expectation}`);
      failed.push(`${expectation} (step ${steps})`);
      line(`${colour(31, "FAIL")} ${expectation}; got: ${shorten(JSON.stringify(seen) ?? "nothing")}`);
    },
    /** Sends a request, and prints method, path, body, status and time. */
    send: async (url: URL, init: RequestInit & { readonly body?: string | URLSearchParams }) => {
      const sentAt = performance.now();
      const response = await fetch(url, init);
      const text = await response.text();
      const milliseconds = (performance.now() - sentAt).toFixed(0);
      line(`${init.method} ${url.pathname}${url.search}`);
      if (init.body) line(`  with ${shorten(init.body.toString())}`);
      line(`  ${response.status} in ${milliseconds} ms: ${shorten(text || "no body")}`);
      return { status: response.status, text };
    },
    /** Prints the summary and returns the number of failed checks. */
    summarize(): number {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      output.write(`\n${steps} steps, ${checks} checks, ${failed.length} failed, ${seconds} s\n`);
      for (const failure of failed) output.write(`${indent}FAIL ${failure}\n`);
      if (failed.length === 0) output.write("All checks passed.\n");
      return failed.length;
    },
  };
}

/** Cuts a text to one line. */
function shorten(text: string): string {
  return text.length <= maxLineCharacters ? text : `${text.slice(0, maxLineCharacters - 3)}...`;
}
