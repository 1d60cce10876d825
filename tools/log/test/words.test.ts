/** What lines of the app's log mean in words. */
import { expect, test } from "vitest";
import { describeLoggedFailure } from "../words.ts";

test.each([
  [{}, "unknown"],
  [{ code: "something-new" }, "something-new"],
  [
    { causes: [{ message: "queue delete: ServerBusy" }, { message: "RestError" }] },
    "queue delete: ServerBusy",
  ],
  [
    { code: "gateway-busy", platformMethod: "GET" },
    "the gateway is busy: more calls than platform and storage serve in time",
  ],
  [{ failure: "platform-timeout" }, "the platform does not respond in time"],
  [
    { platformError: "SELF_SIGNED_CERT_IN_CHAIN" },
    "the platform: no authority known here has signed its certificate (SELF_SIGNED_CERT_IN_CHAIN)",
  ],
  [{ platformError: "ENOTFOUND" }, "the platform: its host is unknown (ENOTFOUND)"],
])("The failure %j is described as: %s", (failure, words) => {
  expect(describeLoggedFailure(failure)).toBe(words);
});
