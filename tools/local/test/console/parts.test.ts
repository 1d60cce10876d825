/** What the console says about each part that differs from normal. */
import { expect, test } from "vitest";
import { useStarted } from "../../../../test/support/use-started.ts";
import { startPlatformSimulator } from "../../../simulators/platform/platform-simulator.ts";
import { startContactCentre } from "../../../simulators/services/contact-centre.ts";
import { startTokenIssuer } from "../../../simulators/services/token-issuer.ts";
import { describeParts } from "../../console/parts.ts";

const platform = useStarted(startPlatformSimulator);
const issuer = useStarted(startTokenIssuer);
const contactCentre = useStarted(startContactCentre);

test("The console says that each part is up, or what is wrong with it", async () => {
  const stack = { platform, issuer, contactCentre };
  const up = { Gateway: "up", Storage: "up", Platform: "up", "Token issuer": "up", "Contact centre": "up" };
  expect(describeParts(stack, { state: "up" }, false)).toEqual(up);
  issuer.setDown(true);
  contactCentre.failNext({ status: 503 });
  await platform.goDown("503");
  platform.setLatency({ milliseconds: 1500 });
  platform.addFault({ kind: "timeout" });
  for (const name of ["connectivity_lost", "licenses_exhausted"]) platform.raiseAlarm({ name });
  platform.configureSink({ url: "http://127.0.0.1:1" });
  platform.startConference({ name: "a" });
  const app = { state: "restarting", reason: "it was killed" } as const;
  await expect
    .poll(() => describeParts(stack, app, true))
    .toEqual({
      Gateway: "restarting",
      Storage: "down",
      Platform: "down, slow, 1.5 s, 1 fault, 2 alarms, 2 events waiting",
      "Token issuer": "down",
      "Contact centre": "down, 1 fault to come",
    });
});
