/** How a failed call of the platform is classified: what may have happened, what callers get, and what the log says. */
import { expect, test } from "vitest";
import { responseFailure } from "../../../src/lib/platform/errors.ts";

const request = { method: "POST", path: "/rooms/" };
const failureOf = (status: number, headers: Record<string, unknown> = {}, body?: unknown) =>
  responseFailure(request, { status, headers, body });

test.each<[number, string | undefined, string, string]>([
  [300, "/log-in", "refused", "platform-login-refused"],
  [302, "https://proxy.example.com/login/", "refused", "platform-unavailable"],
  [302, "//proxy.example.com/login/", "refused", "platform-unavailable"],
  [302, "/accounts/login/?next=/api/", "refused", "platform-login-refused"],
  [302, "/blogin/", "refused", "platform-unavailable"],
  [400, "/login/", "refused", "platform-rejected"],
  [401, undefined, "refused", "platform-login-refused"],
  [403, undefined, "refused", "platform-login-refused"],
  [404, undefined, "refused", "platform-rejected"],
  [429, undefined, "refused", "platform-unavailable"],
  [500, undefined, "unknown", "platform-unavailable"],
  [503, "/login/", "unknown", "platform-unavailable"],
])("The status %i with the location %s has the outcome `%s` and is %s", (status, location, outcome, code) => {
  const login = code === "platform-login-refused" ? ": login refused" : "";
  const failure = failureOf(status, { location });
  // Otherwise the line would name both the platform and something else.
  expect(login === "" || failure.details.failedCall?.platformError === undefined).toBe(true);
  expect(failure).toMatchObject({
    outcome,
    code,
    message: `POST /rooms/: status ${status}${login}`,
    details: { failedCall: { platformMethod: "POST", platformStatus: status } },
  });
});

const page = "<html>Blocked</html>";
const json = { error: "Blocked" };
test.each<[number, string, unknown, string, number | undefined]>([
  [200, "a page", page, "platform-unavailable", undefined],
  [201, "no body, for another method", "", "platform-unavailable", undefined],
  [302, "no body", "", "platform-unavailable", undefined],
  [400, "a page", page, "platform-unavailable", undefined],
  [401, "a page", page, "platform-login-refused", undefined],
  [403, "a page", page, "platform-unavailable", undefined],
  [403, "JSON", json, "platform-login-refused", 403],
  [404, "a page", page, "platform-unavailable", undefined],
  [407, "no body", "", "platform-unavailable", undefined],
  [409, "no body", "", "platform-rejected", 409],
  [413, "JSON", json, "platform-unavailable", undefined],
  [422, "JSON", json, "platform-rejected", 422],
  [429, "a page", page, "platform-unavailable", 429],
  [500, "a page", page, "platform-unavailable", 500],
])(
  "Only the platform's own status counts, and the log has every one: %i with %s",
  (status, _, body, code, own) => {
    const failure = responseFailure({ method: "PATCH", path: "/" }, { status, headers: {}, body });
    const platformError = own === undefined ? "NOT_FROM_PLATFORM" : undefined;
    const failedCall = { platformMethod: "PATCH", platformStatus: status, platformError };
    expect([failure.code, failure.platformStatus]).toEqual([code, own]);
    expect(failure.details.failedCall).toEqual(failedCall);
  },
);

test.each<[number, string | undefined, boolean, number | undefined]>([
  [503, "1.2", true, 2],
  [503, "3600", true, 60],
  [503, "0", false, 5],
  [503, "soon", false, 5],
  [401, undefined, false, 30],
  // The platform would reject it again.
  [400, undefined, false, undefined],
])(
  "After the status %i, a Retry-After of %s is used: %s, so callers retry after %s s",
  (status, given, hasRetryAfter, seconds) => {
    const failure = failureOf(status, { "retry-after": given });
    expect([failure.hasRetryAfter, failure.details.retryAfterSeconds]).toEqual([hasRetryAfter, seconds]);
  },
);

test("Only the failure of a 400 names the rejected fields and keeps the body, and none names a value", () => {
  const body = {
    conference: { pin: ["too short"], "4711 pin": [], "pin 4711": [] },
    conference_alias: { alias: [] },
  };
  const rejected = failureOf(400, {}, body);
  expect(rejected).toMatchObject({ body, message: "POST /rooms/: status 400, fields pin, alias" });
  expect(rejected.details.failedCall?.rejectedFields).toBe("pin,alias");
  const conflict = failureOf(409, {}, body);
  expect(conflict).toMatchObject({ body: undefined, message: "POST /rooms/: status 409" });
  expect(conflict.details.failedCall?.rejectedFields).toBeUndefined();
});
