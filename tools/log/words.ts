/** Says in plain words what a line of the app's log means. */
import type { FailureCode, failures } from "../../src/lib/errors.ts";
import { describeCall } from "../terminal/call-failure.ts";
import type { Line } from "./line.ts";

/** The failures that callers read as 503. */
type Unavailable = {
  [Code in FailureCode]: (typeof failures)[Code]["status"] extends 503 ? Code : never;
}[FailureCode];

const codeWords: Readonly<Record<string, string>> = {
  "pool-exhausted": "the pool was empty",
  "storage-unavailable": "the storage account cannot be used",
  "identity-provider-unavailable": "the identity provider's keys cannot be read",
  "contact-centre-unavailable": "the contact centre does not confirm the token",
  "claim-failed": "no room could be claimed: too many creates at once, or names without rooms",
  "platform-timeout": "the platform does not respond in time",
  "platform-unavailable": "the platform cannot be used",
  "platform-login-refused": "the platform refuses the login",
  "gateway-busy": "the gateway is busy: more calls than platform and storage serve in time",
  "bulk-delete-incomplete": "not all rooms were deleted",
  unexpected: "an unexpected error",
} satisfies Record<Unavailable | "pool-exhausted" | "unexpected", string>;

/** Returns why a request, a provisioning or a deletion failed, from the fields of its line. */
export function describeLoggedFailure({
  causes = [],
  failure = causes[0]?.message ?? "unknown",
  code = failure,
  ...call
}: Partial<Line>): string {
  const { platformMethod: method, platformStatus: status, platformError: networkCode } = call;
  if (status === undefined && networkCode === undefined) return codeWords[code] ?? code;
  const words = describeCall({ method, status, networkCode });
  return /^(?:its|the|no|something) /.test(words) ? `the platform: ${words}` : `the platform ${words}`;
}

/** Returns what a line says, as a phrase: `Room claimed`, or `Rooms requested (3, bulk)`. */
export function describeLine({ event, reason, kind, outcome, count }: Line): string {
  const about = reason ?? kind ?? outcome;
  const details = [count === 1 ? undefined : count, about].filter((detail) => detail !== undefined);
  return details.length === 0 ? phrase(event) : `${phrase(event)} (${details.join(", ")})`;
}

/** Returns an event's name as a phrase: `room-claimed` becomes `Room claimed`. */
export function phrase(event: string): string {
  const words = event.replaceAll("-", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
