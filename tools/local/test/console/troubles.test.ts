/** What the console says about each part that differs from normal. */
import { beforeEach, expect, test } from "vitest";
import { useStarted } from "../../../../test/support/use-started.ts";
import { startPlatformSimulator } from "../../../simulators/platform/platform-simulator.ts";
import { startContactCentre } from "../../../simulators/services/contact-centre.ts";
import { startTokenIssuer } from "../../../simulators/services/token-issuer.ts";
import type { TimelineEntry } from "../../console/console-state.ts";
import { describeTroubles, type TroubleFacts } from "../../console/troubles.ts";

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

type Facts = Partial<TroubleFacts>;
type Row = [is: string, cause: Facts | (() => unknown), parts: Record<string, string>, ...banners: string[]];

const request = { id: "1", time: Date.now(), kind: "request", title: "POST /room/create" } as const;
const entries: TimelineEntry[] = [{ ...request, tone: "bad", status: 500, steps: [], rooms: [] }];
const killed: Facts = { app: { state: "restarting", reason: "it was killed" } };
const platformIsDown = "The platform is down: creates return 503. up";

/** A banner ends with the ID of the action that ends the trouble. */
const rows: Row[] = [
  ["nothing if all is well", {}, {}],
  [
    "why the gateway is not up",
    { ...killed, entries },
    { Gateway: "restarting" },
    "The gateway is not up (restarting), so calls fail: it was killed",
  ],
  [
    "that the storage is down",
    { storageIsDown: true, entries },
    { Storage: "down" },
    "The storage does not respond: creates return 503. The figures of the queues are old.",
  ],
  ["that the platform is down", async () => platform.goDown("503"), { Platform: "down" }, platformIsDown],
  [
    "how many creates fail while everything is up",
    { entries },
    {},
    "1 of 1 creates failed in 5 min; the last: the app did not respond.",
  ],
  [
    "how many requests the host has given up",
    { givenUp: 2 },
    {},
    "The host has given up 2 requests for a room: npm run ops -- fill --local.",
  ],
  ["that the pool is empty", { poolIsEmpty: true }, {}, "The pool is empty: creates return 404. fill"],
  [
    "how slow the platform is",
    () => platform.setLatency({ milliseconds: 1500 }),
    { Platform: "slow, 1.5 s" },
    "The platform is slow: each call takes 1.5 s. fast",
  ],
  ["how many alarms and waiting events there are", waitingEvents, { Platform: "1 alarm, 2 events waiting" }],
  [
    "which calls of the platform fail",
    () => {
      platform.addFault({ method: "PATCH", kind: "status", status: 503, when: "after", count: 3 });
      platform.addFault({ kind: "timeout" });
    },
    { Platform: "2 faults" },
    "Calls of the platform fail: PATCH with status 503, although they take effect (3 more); all calls with a timeout. heal",
  ],
  [
    "that the token issuer is down",
    () => issuer.setDown(true),
    { "Token issuer": "down" },
    "The token issuer is down: it issues no tokens. issuerUp",
  ],
  [
    "how often the contact centre will fail",
    () => contactCentre.failNext({ status: 503 }),
    { "Contact centre": "down, 1 fault to come" },
    "The contact centre fails: agents get 503. contactCentreHeals",
  ],
];

async function waitingEvents(): Promise<void> {
  platform.raiseAlarm({ name: "connectivity_lost" });
  platform.configureSink({ url: "http://127.0.0.1:1" });
  platform.startConference({ name: "a" });
  await expect.poll(() => platform.sinkState().queued).toBe(2);
}

test.each(rows)("The console says %s", async (_, cause, differing, ...expected) => {
  const facts = typeof cause === "function" ? {} : cause;
  if (typeof cause === "function") await cause();
  const normal = { storageIsDown: false, givenUp: 0, poolIsEmpty: false, entries: [], now: Date.now() };
  const stack = { platform, issuer, contactCentre };
  const shown = describeTroubles({ stack, app: { state: "up" }, ...normal, ...facts });
  const up = { Gateway: "up", Storage: "up", Platform: "up", "Token issuer": "up", "Contact centre": "up" };
  expect(shown.parts).toEqual({ ...up, ...differing });
  expect(shown.banners.map(({ text, cure }) => [text, cure].join(" ").trim())).toEqual(expected);
  const { Gateway, Storage, Platform } = shown.parts;
  expect(shown.isOutage).toBe(
    [Gateway, Storage, Platform].some((part) => /^(?:down|restarting)/.test(part ?? "")),
  );
});
