/** What lines of the app's log mean in words. */
import { expect, test } from "vitest";
import { createProvisioningProblem, describeLoggedFailure } from "../words.ts";

test.each([
  [{}, "unknown"],
  [{ code: "something-new" }, "something-new"],
  [{ code: "storage-unavailable" }, "the storage account does not respond"],
  [{ failure: "platform-timeout" }, "the platform does not respond in time"],
  [
    { platformMethod: "GET", platformStatus: 403 },
    "the platform refuses GET (403): the account may not read",
  ],
  [
    { platformError: "SELF_SIGNED_CERT_IN_CHAIN" },
    "the platform: no authority known here has signed its certificate (SELF_SIGNED_CERT_IN_CHAIN)",
  ],
  [{ platformError: "ENOTFOUND" }, "the platform: its host is unknown (ENOTFOUND)"],
])("The failure %j is described as: %s", (failure, words) => {
  expect(describeLoggedFailure(failure)).toBe(words);
});

test("Provisioning has a problem after three failures in a row, until a room is provisioned", () => {
  const { onLog, problem } = createProvisioningProblem();
  const log = (fields: object) => onLog({ message: JSON.stringify(fields) });
  const failed = {
    event: "provisioning-failed",
    failure: "platform-rejected",
    platformStatus: 403,
    platformMethod: "POST",
  };
  for (const expected of [
    undefined,
    undefined,
    "the platform refuses POST (403): the account may not create",
  ]) {
    log(failed);
    expect(problem()).toBe(expected);
  }
  log({ event: "room-provisioned" });
  log(failed);
  expect(problem()).toBeUndefined();
});
