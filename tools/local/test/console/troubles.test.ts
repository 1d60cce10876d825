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

interface Row {
  readonly is: string;
  readonly begin?: () => unknown;
  readonly facts?: Partial<TroubleFacts>;
  readonly parts?: Readonly<Record<string, string>>;
  readonly banners: readonly [text: string, cure?: string][];
  readonly isOutage?: boolean;
}

const failedCreate: TimelineEntry = {
  id: "1",
  time: Date.now(),
  kind: "request",
  tone: "bad",
  title: "POST /room/create",
  status: 500,
  steps: [],
  rooms: [],
};

test.each<Row>([
  { is: "nothing if all is well", banners: [] },
  {
    is: "why the gateway is not up",
    facts: { app: { state: "restarting", reason: "it was killed" } },
    parts: { Gateway: "restarting" },
    banners: [["The gateway is not up (restarting), so calls fail: it was killed"]],
    isOutage: true,
  },
  {
    is: "that the storage is down",
    facts: { storageIsDown: true },
    parts: { Storage: "down" },
    banners: [["The storage does not respond: creates return 503. The figures of the queues are old."]],
    isOutage: true,
  },
  {
    is: "how many requests the host has given up",
    facts: { givenUp: 2 },
    banners: [["The host has given up 2 requests for a room: npm run ops -- redrive --local."]],
  },
  {
    is: "that the pool is empty",
    facts: { poolIsEmpty: true },
    banners: [["The pool is empty: creates return 404.", "fill"]],
  },
  {
    is: "that the platform is down",
    begin: async () => platform.goDown("503"),
    parts: { Platform: "down" },
    banners: [["The platform is down: creates return 503.", "up"]],
    isOutage: true,
  },
  {
    is: "how slow the platform is",
    begin: () => platform.setLatency({ milliseconds: 1500 }),
    parts: { Platform: "slow, 1.5 s" },
    banners: [["The platform is slow: each call takes 1.5 s.", "fast"]],
  },
  {
    is: "that the platform is down, and not that creates fail for that reason",
    begin: async () => platform.goDown("refuse"),
    facts: { entries: [failedCreate] },
    parts: { Platform: "down" },
    banners: [["The platform is down: creates return 503.", "up"]],
    isOutage: true,
  },
  {
    is: "how many creates fail while everything is up",
    facts: { entries: [failedCreate] },
    banners: [["1 of 1 creates failed in 5 min; the last: the app did not respond."]],
  },
  {
    is: "how many alarms the platform has and how many events wait, without a banner",
    begin: async () => {
      platform.raiseAlarm({ name: "connectivity_lost" });
      platform.configureSink({ url: "http://127.0.0.1:1" });
      platform.startConference({ name: "a" });
      await expect.poll(() => platform.sinkState().queued).toBe(2);
    },
    parts: { Platform: "1 alarm, 2 events waiting" },
    banners: [],
  },
  {
    is: "which calls of the platform fail",
    begin: () => {
      platform.addFault({ method: "PATCH", kind: "status", status: 503, when: "after", count: 3 });
      platform.addFault({ kind: "timeout" });
    },
    parts: { Platform: "2 faults" },
    banners: [
      [
        "Calls of the platform fail: PATCH with status 503, although they take effect (3 more); all calls with a timeout.",
        "heal",
      ],
    ],
  },
  {
    is: "that the token issuer is down",
    begin: () => issuer.setDown(true),
    parts: { "Token issuer": "down" },
    banners: [["The token issuer is down: it issues no tokens.", "issuerUp"]],
  },
  {
    is: "how often the contact centre will fail",
    begin: () => contactCentre.failNext({ status: 503, count: 5 }),
    parts: { "Contact centre": "down, 5 faults to come" },
    banners: [["The contact centre fails: agents get 503.", "contactCentreHeals"]],
  },
])("The console says $is", async ({ begin, facts, parts, banners, isOutage = false }) => {
  await begin?.();
  const normal = { storageIsDown: false, givenUp: 0, poolIsEmpty: false, entries: [], now: Date.now() };
  const stack = { platform, issuer, contactCentre };
  const up = { Gateway: "up", Storage: "up", Platform: "up", "Token issuer": "up", "Contact centre": "up" };
  expect(describeTroubles({ stack, app: { state: "up" }, ...normal, ...facts })).toEqual({
    isOutage,
    parts: { ...up, ...parts },
    banners: banners.map(([text, cure]) => ({ text, ...(cure !== undefined && { cure }) })),
  });
});
