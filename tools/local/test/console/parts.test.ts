/** What the console says about each part that differs from normal. */
import { beforeEach, expect, test } from "vitest";
import { useStarted } from "../../../../test/support/use-started.ts";
import { startPlatformSimulator } from "../../../simulators/platform/platform-simulator.ts";
import { startContactCentre } from "../../../simulators/services/contact-centre.ts";
import { startTokenIssuer } from "../../../simulators/services/token-issuer.ts";
import { describeParts } from "../../console/parts.ts";

const platform = useStarted(startPlatformSimulator);
const issuer = useStarted(startTokenIssuer);
const contactCentre = useStarted(startContactCentre);

beforeEach(async () => {
  await platform.goUp();
  platform.reset();
  platform.setLatency({ milliseconds: 0 });
  issuer.setDown(false);
  contactCentre.clearFaults();
});

const up = { Gateway: "up", Storage: "up", Platform: "up", "Token issuer": "up", "Contact centre": "up" };
const parts = () => describeParts({ platform, issuer, contactCentre }, { state: "up" }, false);

test("The console names the states of the app and of the storage", () => {
  const stack = { platform, issuer, contactCentre };
  expect(describeParts(stack, { state: "restarting", reason: "it was killed" }, true)).toEqual({
    ...up,
    Gateway: "restarting",
    Storage: "down",
  });
});

test.each<[Record<string, string>, () => unknown]>([
  [{}, () => undefined],
  [{ Platform: "down" }, async () => platform.goDown("503")],
  [{ Platform: "slow, 1.5 s" }, () => platform.setLatency({ milliseconds: 1500 })],
  [{ Platform: "1 fault" }, () => platform.addFault({ kind: "timeout" })],
  [{ "Token issuer": "down" }, () => issuer.setDown(true)],
  [{ "Contact centre": "down, 1 fault to come" }, () => contactCentre.failNext({ status: 503 })],
])("The console says %o", async (differing, cause) => {
  await cause();
  expect(parts()).toEqual({ ...up, ...differing });
});

test("The console counts the platform's alarms and waiting events", async () => {
  platform.raiseAlarm({ name: "connectivity_lost" });
  platform.configureSink({ url: "http://127.0.0.1:1" });
  platform.startConference({ name: "a" });
  await expect.poll(parts).toEqual({ ...up, Platform: "1 alarm, 2 events waiting" });
});
