/** The exit codes of `npm run ops`, and the failures that its commands expect. */
import { GatewayError } from "../../src/lib/errors.ts";
import { describeCall, failureOf } from "../terminal/call-failure.ts";

/** Every exit code, with its meaning as `npm run ops -- help` prints it. */
export const exitCodes = {
  ok: { code: 0, meaning: "done, and nothing needs attention" },
  finding: { code: 1, meaning: "something needs attention, or a part of the work could not be done" },
  usage: { code: 2, meaning: "the command line is wrong; nothing was done" },
  unreachable: {
    code: 3,
    meaning: "something that the command needs cannot be reached or may not be used",
  },
  interrupted: { code: 130, meaning: "interrupted by Ctrl-C; it is safe to run the command again" },
} as const;

export type Outcome = keyof typeof exitCodes;

/** The command line is wrong. The message names the option or argument. */
export class UsageError extends Error {}

/** The command needs something that cannot be reached or may not be used. The message says what to do. */
export class UnreachableError extends Error {}

/** Returns what the operator reads about an error, in one line without a secret, and how the command ends. */
export function describeError(error: unknown, call: string): { line: string; outcome: Outcome } {
  if (error instanceof UsageError)
    return { line: `${call}: ${error.message}. See ${call} --help.`, outcome: "usage" };
  if (error instanceof UnreachableError) return { line: error.message, outcome: "unreachable" };
  if (error instanceof GatewayError) return { line: describeGatewayError(error), outcome: "unreachable" };
  const name = error instanceof Error ? `${error.name}: ` : "";
  return { line: `${call} failed: ${name}${firstLine(error)}`, outcome: "finding" };
}

/** Returns the first line of an error's message. */
export function firstLine(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line;
}

function describeGatewayError(error: GatewayError): string {
  const { code, message } = error;
  const found = describeCall(failureOf(error));
  if (code === "storage-unavailable")
    return `The storage account ${found}: ${message}. See docs/operations.md#storage-unavailable`;
  if (!code.startsWith("platform-")) return `${code}: ${message}`;
  return `The platform ${found}: ${message}. See docs/operations.md#platform-unreachable`;
}
