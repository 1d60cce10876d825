/** What lines of the app's log mean in words. */
import { expect, test } from "vitest";
import { describeLoggedFailure } from "../words.ts";

test.each([
  ["no code", {}, "unknown"],
  ["a code of a later release", { code: "something-new" }, "something-new"],
  [
    "causes only",
    { causes: [{ message: "queue delete: ServerBusy" }, { message: "RestError" }] },
    "queue delete: ServerBusy",
  ],
  [
    "the code `gateway-busy`",
    { code: "gateway-busy", platformMethod: "GET" },
    "the gateway is busy: more calls than platform and storage serve in time",
  ],
  [
    "the failure `platform-timeout`",
    { failure: "platform-timeout" },
    "the platform does not respond in time",
  ],
  [
    "an unknown authority",
    { platformError: "SELF_SIGNED_CERT_IN_CHAIN" },
    "the platform: no authority known here has signed its certificate (SELF_SIGNED_CERT_IN_CHAIN)",
  ],
  ["an unknown host", { platformError: "ENOTFOUND" }, "the platform: its host is unknown (ENOTFOUND)"],
])("A logged failure with %s is described in words", (_, failure, words) => {
  expect(describeLoggedFailure(failure)).toBe(words);
});
