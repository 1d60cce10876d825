/** The responses of failures, as tests compare them. */
import { type FailureCode, failures } from "../../src/lib/errors.ts";

/** The response of an expected failure: its status, its fixed text and its code in the log. */
export function failure(
  code: Exclude<FailureCode, "invalid-request">,
  headers: Readonly<Record<string, unknown>> = {},
): object {
  const { status, detail } = failures[code];
  return {
    status,
    code,
    headers,
    ...(detail === undefined ? { text: "" } : { json: { detail } }),
  };
}
