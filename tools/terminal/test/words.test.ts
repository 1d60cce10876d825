/** What a screen says about failed calls, and how it writes durations. */
import { expect, test } from "vitest";
import { describeCall } from "../call-failure.ts";
import { deletionTime, duration } from "../format.ts";

test.each([
  ["ECONNREFUSED", "refuses the connection"],
  ["ENOTFOUND", "its host is unknown"],
  ["EAI_AGAIN", "its host is unknown"],
  ["LOOKUP_TIMEOUT", "the look-up of its name does not end"],
  ["EHOSTUNREACH", "the network has no route to it"],
  ["ENETUNREACH", "the network has no route to it"],
  ["CERT_HAS_EXPIRED", "its certificate or its authority's has expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another host"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "no authority known here has signed its certificate"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "no authority known here has signed its certificate"],
  ["CERT_REVOKED", "its certificate is not trusted"],
  ["UND_ERR_HEADERS_TIMEOUT", "does not respond in time"],
  ["ECONNRESET", "closes the connection"],
  ["EPIPE", "closes the connection"],
  ["EOTHER", "does not respond"],
])("A call that ends with %s is described as: %s", (networkCode, words) => {
  expect(describeCall({ networkCode })).toBe(`${words} (${networkCode})`);
});

const page = "NOT_FROM_IT";
test.each([
  ["PATCH", 202, undefined, "does not respond to PATCH as documented (202)"],
  ["GET", 302, page, "redirects (302): its URL or the login is wrong, or something in between does it"],
  ["GET", 401, page, "refuses the login (401)"],
  [undefined, 403, undefined, "refuses access (403)"],
  ["GET", 403, undefined, "refuses GET (403): the account may not read"],
  ["PATCH", 403, undefined, "refuses PATCH (403): the account may read but not change"],
  ["DELETE", 403, undefined, "refuses DELETE (403): the account may not delete"],
  ["GET", 403, page, "something in between responds to GET in its place (403)"],
  ["GET", 409, undefined, "rejects GET (409)"],
  ["GET", 429, undefined, "throttles (429)"],
  ["GET", 503, undefined, "fails at GET (503)"],
])("A response to %s with %d and the code %s is described as: %s", (method, status, networkCode, words) => {
  expect(describeCall({ method, status, networkCode })).toBe(words);
});

test.each([
  [0.4, "0 s"],
  [59.5, "1 min"],
  [119, "1 min"],
  [3599, "59 min"],
  [3660, "1 h 1 min"],
  [93_600, "1 d 2 h"],
])("A duration of %d s is written as %s", (seconds, text) => expect(duration(seconds)).toBe(text));

test("A room is deleted after its minimum age, and after a pause of the collector at the latest", () => {
  expect(deletionTime({ garbage: { minAgeSeconds: 900 } })).toBe("in 15 min to 25 min");
});
