/** The three durations of provisioning: their values, and the relation that keeps an unfinished room from claims. */
import { expect, test } from "vitest";
import { provisioningTimes } from "../../../src/lib/pool/provisioning.ts";

test.each([
  ["ten minutes with the default settings", 10, 300, 600],
  ["two leases with a short lease", 10, 100, 200],
  ["twelve platform timeouts with a shorter lease", 10, 40, 120],
  ["ten minutes with a long lease", 10, 400, 600],
])("A new name is invisible for %s", (_, platformTimeoutSeconds, leaseSeconds, invisibleSeconds) => {
  expect(provisioningTimes(platformTimeoutSeconds, leaseSeconds)).toEqual({
    createSeconds: 30,
    lookUpSeconds: 60,
    invisibleSeconds,
  });
});

test("A new name is invisible for longer than a create and a look-up take, for all allowed settings", () => {
  const violations: object[] = [];
  for (let platformTimeoutSeconds = 1; platformTimeoutSeconds <= 60; platformTimeoutSeconds++) {
    for (let leaseSeconds = 1; leaseSeconds <= 3600; leaseSeconds++) {
      const times = provisioningTimes(platformTimeoutSeconds, leaseSeconds);
      if (times.createSeconds + times.lookUpSeconds >= times.invisibleSeconds)
        violations.push({ platformTimeoutSeconds, leaseSeconds, ...times });
    }
  }
  expect(violations).toEqual([]);
});
