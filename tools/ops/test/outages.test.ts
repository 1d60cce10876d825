/**
 * Every outage has a name: a fault, ten creates, and `ops status` names the cause and a section of the runbook; what
 * that section says cures it, and the screen is green again. Two faults also strike a gateway of real processes.
 */
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { formatMarker } from "../../../src/lib/pool/room.ts";
import { asEventSink } from "../../../test/support/credentials.ts";
import type { MemoryPlatform } from "../../../test/support/memory-platform.ts";
import { identities } from "../../local/stack/identities.ts";
import { type GatewayInMemory, startGatewayInMemory } from "./gateway-in-memory.ts";
import { useOperatedGateway } from "./operated-gateway.ts";

/** What a fault of a row can strike, in memory and on the real stack. */
interface TriedGateway {
  readonly platform: Pick<MemoryPlatform, "addFault" | "clearFaults">;
  readonly creates: () => Promise<void>;
  readonly sendEvents: (amount: number, password?: string) => Promise<void>;
  readonly ops: (...args: string[]) => Promise<{ readonly output: string }>;
  readonly now: () => number;
}

interface Outage<Gateway> {
  readonly fault: string;
  readonly strike: (gateway: Gateway) => unknown;
  /** The line of `ops status`, and what it says. */
  readonly line: string;
  readonly found: RegExp;
  /** The section of docs/operations.md, and the words of its cure. */
  readonly section: string;
  readonly cureWords: string;
  readonly cure: (gateway: Gateway) => unknown;
  /** The number of pooled rooms, if it is not 20. */
  readonly rooms?: number;
}

const everyCall = (fault: Parameters<MemoryPlatform["addFault"]>[0]) => (gateway: TriedGateway) =>
  gateway.platform.addFault(fault);
const clearFaults = (gateway: TriedGateway) => gateway.platform.clearFaults();
const rejecting = (field: string) => {
  const body = { conference: { [field]: ["Invalid."] } };
  return everyCall({ kind: "status", status: 400, method: "POST", body });
};
const breakLink = (networkCode: string) => (gateway: GatewayInMemory) => {
  gateway.link.networkCode = networkCode;
};
const mendLink = breakLink("");
const goUp = (gateway: GatewayInMemory) => gateway.platform.goUp();
const slowDown = (seconds: number) => (gateway: GatewayInMemory) => {
  gateway.link.delaySeconds = seconds;
};
/** Adds a room that was handed out some hours ago. */
function addAssigned({ platform, now }: GatewayInMemory, name: string, hours: number): void {
  const since = new Date(now() - hours * 3600_000).toISOString();
  const description = formatMarker({ state: "assigned", since, messageId: `claim-of-${name}` });
  platform.seedRooms({ rows: [{ name, aliases: [{ alias: name }], description }] });
}
/** Ends the conference of a room an hour after it was handed out, and lets the collector run when it is due. */
async function endRoom(gateway: GatewayInMemory, name: string): Promise<void> {
  addAssigned(gateway, name, 1);
  await gateway.queues.deletion.put(name);
  await collect(gateway);
}
async function collect(gateway: GatewayInMemory, minutes = 11): Promise<void> {
  gateway.clock.advance(minutes * 60);
  await gateway.runTimer("collectMetrics");
  await gateway.runTimer("collectGarbage");
}

const platformOutages: Omit<Outage<GatewayInMemory>, "line" | "section">[] = [
  {
    fault: "the platform is down",
    strike: ({ platform }) => platform.goDown("refuse"),
    found: /^refuses the connection \(ECONNREFUSED\)$/,
    cureWords: "ask the platform administrator whether it runs",
    cure: goUp,
  },
  {
    fault: "the platform is silent",
    strike: everyCall({ kind: "timeout" }),
    found: /^does not respond in time \(ETIMEDOUT\)$/,
    cureWords: "check network and firewall",
    cure: clearFaults,
  },
  {
    fault: "the platform takes 12 s per call",
    strike: slowDown(12),
    found: /^does not respond in time/,
    cureWords: "PLATFORM_TIMEOUT_SECONDS",
    cure: slowDown(0),
  },
  {
    fault: "a gateway in front of the platform returns 503",
    strike: ({ platform }) => platform.goDown("503"),
    found: /^fails at GET \(503\)$/,
    cureWords: "fails (5xx): ask the platform administrator",
    cure: goUp,
  },
  {
    fault: "the password is refused",
    strike: everyCall({ kind: "status", status: 401 }),
    found: /^refuses the login \(401\)$/,
    cureWords: "(401) or redirects to its login page: [rotate the credentials]",
    cure: clearFaults,
  },
  {
    fault: "the account has expired, so the platform shows its login page",
    strike: everyCall({ kind: "status", status: 302, headers: { location: "/login/" } }),
    found: /^redirects \(302\)/,
    cureWords: "redirects to its login page: [rotate the credentials]",
    cure: clearFaults,
  },
  {
    fault: "the account may not read conferences",
    strike: everyCall({ kind: "status", status: 403, method: "GET", pathPattern: "/conference/" }),
    found: /^refuses GET \(403\): the account may not read$/,
    cureWords: "lacks the right to read conferences",
    cure: clearFaults,
  },
  {
    fault: "the account may not read the status",
    strike: everyCall({ kind: "status", status: 403, method: "GET", pathPattern: "/status/" }),
    found: /^refuses GET \(403\): the account may not read$/,
    cureWords: "or the status",
    cure: clearFaults,
  },
  {
    fault: "the certificate is not trusted",
    strike: breakLink("DEPTH_ZERO_SELF_SIGNED_CERT"),
    found: /^its certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
    cureWords: "is not trusted",
    cure: mendLink,
  },
  {
    fault: "the certificate has expired",
    strike: breakLink("CERT_HAS_EXPIRED"),
    found: /^its certificate has expired/,
    cureWords: "certificate has expired",
    cure: mendLink,
  },
  {
    fault: "the certificate is for another host",
    strike: breakLink("ERR_TLS_CERT_ALTNAME_INVALID"),
    found: /^its certificate is for another host/,
    cureWords: "is for another host",
    cure: mendLink,
  },
  {
    fault: "the host name is unknown",
    strike: breakLink("ENOTFOUND"),
    found: /^its host is unknown \(ENOTFOUND\)$/,
    cureWords: "correct `PLATFORM_URL` and provision",
    cure: mendLink,
  },
];

const memoryOutages: Outage<GatewayInMemory>[] = [
  ...platformOutages.map((outage) => ({ ...outage, line: "Platform", section: "platform-unreachable" })),
  {
    fault: "the platform takes 3 s per call",
    strike: slowDown(3),
    line: "Platform speed",
    found: /^3\.0 s per call; creates take [67]\.\d to [67]\.\d s$/,
    section: "platform-slow",
    cureWords: "lower `PLATFORM_MAX_CONCURRENCY` or `MAXIMUM_INSTANCE_COUNT`",
    cure: slowDown(0),
  },
  {
    fault: "the platform throttles",
    strike: everyCall({ kind: "status", status: 429 }),
    line: "Platform",
    found: /^throttles \(429\)$/,
    section: "platform-slow",
    cureWords: "lower `PLATFORM_MAX_CONCURRENCY`",
    cure: clearFaults,
  },
  {
    fault: "reads work, and changes fail with 500",
    strike: (gateway) => {
      for (const method of ["POST", "PATCH", "DELETE"]) everyCall({ kind: "html500", method })(gateway);
    },
    line: "Creates",
    found:
      /^10 of 10 creates failed in 15 min, the last \d+ s ago: the platform fails at PATCH \(500\), so changes are/,
    section: "creates-failing",
    cureWords: "5xx at PATCH: reading works and changing fails. Ask the platform administrator",
    cure: async (gateway) => {
      clearFaults(gateway);
      await collect(gateway, 5);
      await gateway.provision();
    },
  },
  {
    fault: "the account may not create rooms",
    strike: everyCall({ kind: "status", status: 403, method: "POST" }),
    line: "Provisioning",
    found: /the platform refuses POST \(403\): the account may not create$/,
    section: "provisioning-failing",
    cureWords: "the account may not create rooms | ask the platform administrator to add the right",
    cure: clearFaults,
  },
  {
    fault: "the licences are exhausted",
    strike: rejecting("__all__"),
    line: "Provisioning",
    found: /the platform rejects POST \(400\), field __all__$/,
    section: "provisioning-failing",
    cureWords: "a licence is exhausted | ask the platform administrator",
    cure: clearFaults,
  },
  {
    fault: "the host PIN breaks a rule of the platform",
    strike: rejecting("pin"),
    line: "Provisioning",
    found: /the platform rejects POST \(400\), field pin$/,
    section: "provisioning-failing",
    cureWords: "correct `ROOM-HOST-PIN`",
    cure: clearFaults,
  },
  {
    fault: "the template has a field that the platform does not accept",
    strike: rejecting("max_pixels_per_second"),
    line: "Provisioning",
    found: /field max_pixels_per_second$/,
    section: "provisioning-failing",
    cureWords: "a field or value of `ROOM_TEMPLATE`",
    cure: clearFaults,
  },
  {
    fault: "the account may not delete rooms",
    strike: async (gateway) => {
      everyCall({ kind: "status", status: 403, method: "DELETE" })(gateway);
      await endRoom(gateway, "ended");
    },
    line: "Deletion",
    found: /; 1 failed in the last hour: the platform refuses DELETE \(403\): the account may not delete$/,
    section: "deletion-queue-old",
    cureWords: "lacks the right to delete",
    cure: async (gateway) => {
      clearFaults(gateway);
      await collect(gateway);
    },
  },
  {
    fault: "the collector has not run for more than an hour",
    strike: async (gateway) => {
      addAssigned(gateway, "ended", 1);
      await gateway.queues.deletion.put("ended");
      gateway.clock.advance(3700);
      await gateway.runTimer("collectMetrics");
    },
    line: "Deletion",
    found: /^1 room waiting, the oldest for 1 h/,
    section: "deletion-queue-old",
    cureWords: "npm run ops -- collect --yes",
    cure: async ({ runTimer }) => runTimer("collectGarbage"),
  },
  {
    fault: "the identity provider is down",
    strike: ({ issuer }) => issuer.setDown(true),
    line: "Token issuer",
    found: /^closes the connection \(ECONNRESET\)$/,
    section: "signing-keys-stale",
    cureWords: "the provider's status page",
    cure: ({ issuer }) => issuer.setDown(false),
  },
  {
    fault: "the contact centre fails, and three agents notice it",
    strike: async ({ contactCentre, askAsAgent, clock }) => {
      contactCentre.failNext({ status: 503, count: 1000 });
      for (let agent = 0; agent < 3; agent++) {
        await askAsAgent();
        clock.advance(10);
      }
    },
    line: "Contact centre",
    found:
      /^fails at the call \(503\); the app logged contact-centre-unavailable in 3 calls in the last hour$/,
    section: "contact-centre-throttling",
    cureWords: "5xx: see the contact centre's status page",
    cure: ({ contactCentre }) => contactCentre.clearFaults(),
  },
  {
    fault: "the contact centre throttles",
    strike: ({ contactCentre }) => contactCentre.failNext({ status: 429, count: 1000 }),
    line: "Contact centre",
    found: /^throttles \(429\)/,
    section: "contact-centre-throttling",
    cureWords: "lower `CALLS_PER_MINUTE_PER_ADDRESS`",
    cure: ({ contactCentre }) => contactCentre.clearFaults(),
  },
  {
    fault: "every node has a wrong password for the event sink",
    strike: async ({ sendEvents }) => sendEvents(5, "wrong"),
    line: "Event sink",
    found: /^5 of 5 events failed in the last hour, .*: 401: a node has a wrong password/,
    section: "event-sink-silent",
    cureWords: "a node has another password ([Rotating secrets]",
    cure: async ({ sendEvents }) => sendEvents(1),
  },
  {
    fault: "a node has stopped sending events",
    strike: ({ platform }) => platform.raiseAlarm({ name: "eventsink_maximum_backoff" }),
    line: "Alarms",
    found: /^eventsink_maximum_backoff$/,
    section: "platform-alarms",
    cureWords: "`eventsink_maximum_backoff`: see [event-sink-silent]",
    cure: ({ platform }) => platform.clearAlarms(),
  },
  {
    fault: "the licences are nearly exhausted",
    strike: ({ platform }) => platform.raiseAlarm({ name: "licenses_exhausted" }),
    line: "Alarms",
    found: /^licenses_exhausted$/,
    section: "platform-alarms",
    cureWords: "ask for more licences",
    cure: ({ platform }) => platform.clearAlarms(),
  },
  {
    fault: "storage is down",
    strike: ({ storage }) => {
      storage.isDown = true;
    },
    line: "Storage",
    found: /^refuses the connection \(ECONNREFUSED\)$/,
    section: "storage-unavailable",
    cureWords: "check the storage account's state and firewall",
    cure: ({ storage }) => {
      storage.isDown = false;
    },
  },
  {
    fault: "the host has given requests up",
    strike: async ({ queues }) => queues.poison.put('{"reason":"claimed"}'),
    line: "Poison",
    found: /^1 request given up$/,
    section: "poison-messages",
    cureWords: "npm run ops -- redrive --yes",
    cure: async (gateway) => gateway.ops("redrive", "--yes"),
  },
  {
    fault: "the pool is empty, and requests were lost",
    strike: async (gateway) => {
      rejecting("pin")(gateway);
      await gateway.queues.pool.clear();
      for (const { name } of gateway.platform.rooms()) removeRoom(gateway, name);
    },
    line: "Pool",
    found: /^0 of 20 rooms$/,
    section: "pool-empty-on-claim",
    cureWords: "run `npm run ops -- fill`",
    cure: async (gateway) => {
      clearFaults(gateway);
      gateway.clock.advance(2);
      await gateway.ops("fill", "--timeout-minutes", "0");
      await gateway.provision();
    },
  },
  {
    fault: "all pooled rooms were deleted on the platform",
    rooms: 150,
    strike: (gateway) => {
      for (const { name } of gateway.platform.rooms()) removeRoom(gateway, name);
    },
    line: "Rooms",
    found: /: 50 names in the pool have no room$/,
    section: "names-without-rooms",
    cureWords: "npm run ops -- shrink 0 --yes",
    cure: async (gateway) => {
      while ((await gateway.queues.pool.count()) > 0) await gateway.ops("shrink", "0", "--yes");
      await gateway.fill();
    },
  },
  {
    fault: "rooms were handed out two days ago and never used",
    strike: (gateway) => {
      for (const name of ["a", "b", "c"]) addAssigned(gateway, name, 48);
    },
    line: "Unaccounted",
    found: /^3 rooms: a, b, c$/,
    section: "rooms-unaccounted",
    cureWords: "npm run ops -- unaccounted --delete --yes",
    cure: async (gateway) => {
      await gateway.ops("unaccounted", "--delete", "--yes");
      await collect(gateway);
    },
  },
  {
    fault: "the app does not load",
    strike: ({ setApp }) => setApp("not loaded"),
    line: "Gateway",
    found: /returns 404: the app did not load \(Error: a setting is missing\)$/,
    section: "health-check-failing",
    cureWords: "404 from a running app",
    cure: ({ setApp }) => setApp("up"),
  },
  {
    fault: "the app crashes at each call",
    strike: ({ setApp }) => setApp("crashing"),
    line: "Gateway",
    found: / closes the connection \(ECONNRESET\)$/,
    section: "health-check-failing",
    cureWords: "deploy the previous package",
    cure: ({ setApp }) => setApp("up"),
  },
  {
    fault: "the timers do not run",
    strike: ({ clock }) => clock.advance(20 * 60),
    line: "Metrics",
    found: /^the last row is 20 min/,
    section: "timers-not-running",
    cureWords: "Only the timers do not run",
    cure: async ({ runTimer }) => runTimer("collectMetrics"),
  },
];

const outagesOfBoth: Outage<TriedGateway>[] = [
  {
    fault: "reads work, and changes are refused with 403",
    strike: everyCall({ kind: "status", status: 403, method: "PATCH" }),
    line: "Creates",
    found:
      /^10 of 10 creates failed in 15 min, the last \d+ s ago: the platform refuses PATCH \(403\): the account may read but not change$/,
    section: "creates-failing",
    cureWords: "lacks the right to change. Ask the platform administrator to add it",
    cure: clearFaults,
  },
  {
    fault: "one node of several has a wrong password for the event sink",
    strike: async ({ sendEvents }) => {
      for (let round = 0; round < 3; round++) {
        await sendEvents(2);
        await sendEvents(1, "wrong");
      }
      await sendEvents(2);
    },
    line: "Event sink",
    found:
      /^3 of 11 events failed in the last hour, .*: 401: a node has a wrong password.*; 2 accepted since$/,
    section: "event-sink-silent",
    cureWords: "perhaps one of several",
    cure: async ({ sendEvents }) => sendEvents(5),
  },
];

function removeRoom({ platform }: GatewayInMemory, name: string): void {
  const room = platform.state.conferences.findByName(name);
  if (room) platform.state.conferences.remove(String(room.id));
}

const screen = z.object({
  lines: z.array(
    z.object({
      name: z.string(),
      isOk: z.boolean().optional(),
      found: z.string(),
      advice: z.string().optional(),
    }),
  ),
});
async function linesOf(gateway: TriedGateway) {
  return screen.parse(JSON.parse((await gateway.ops("status", "--json")).output)).lines;
}
const problemsOf = async (gateway: TriedGateway) =>
  (await linesOf(gateway)).filter(({ isOk }) => isOk === false);

const guide = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
/** The text of a section, on one line. */
function sectionOf(name: string): string {
  const [, text = ""] = guide.split(new RegExp(`^#{2,3} ${name}$`, "m"));
  return (text.split(/^## /m)[0] ?? "").replaceAll(/\s+/g, " ");
}

/** Returns the lines that still need attention after the cure. */
async function tryOutage<Gateway extends TriedGateway>(gateway: Gateway, outage: Outage<Gateway>) {
  expect(await problemsOf(gateway)).toEqual([]);
  await outage.strike(gateway);
  await gateway.creates();
  const askedAt = gateway.now();
  const line = (await linesOf(gateway)).find(({ name }) => name === outage.line);
  expect(line).toEqual({
    name: outage.line,
    isOk: false,
    found: expect.stringMatching(outage.found),
    advice: expect.stringContaining(`docs/operations.md#${outage.section}`),
  });
  expect(gateway.now() - askedAt).toBeLessThanOrEqual(10_000);
  expect(sectionOf(outage.section)).toContain(outage.cureWords);
  await outage.cure(gateway);
  await gateway.creates();
  return problemsOf(gateway);
}

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map(async (stop) => stop()));
});
async function startInMemory(rooms?: number): Promise<GatewayInMemory> {
  const gateway = await startGatewayInMemory(rooms);
  stops.push(gateway.stop);
  return gateway;
}

describe("In memory, `ops status` names the cause and the cure", () => {
  test.each([...memoryOutages, ...outagesOfBoth])("$fault", async (outage) => {
    expect(await tryOutage(await startInMemory(outage.rooms), outage)).toEqual([]);
  });
});

describe("On a running gateway, `ops status` names the cause and the cure", () => {
  const operated = useOperatedGateway({ MAX_VMR: "20" });
  test.each(outagesOfBoth)("$fault", async (outage) => {
    await operated.fillPool(20);
    await operated.runTimer("collectMetrics");
    const gateway: TriedGateway = {
      platform: operated.stack.platform,
      ops: operated.ops,
      now: Date.now,
      creates: async () => {
        for (let index = 0; index < 10; index++) await operated.sendAsApplication("POST /room/create");
        await operated.settled();
      },
      sendEvents: async (amount, password = identities.sinkPassword) => {
        for (let index = 0; index < amount; index++)
          await operated.send("POST /public/event_sink", {
            headers: asEventSink(identities.sinkUsername, password),
            json: { event: "participant_connected", data: {} },
          });
      },
    };
    expect(await tryOutage(gateway, outage)).toEqual([]);
  });
});

describe("What is no outage sets no alarm", () => {
  test.each<[string, (gateway: GatewayInMemory) => unknown, string, RegExp]>([
    [
      "A scanner that guesses user names of the event sink",
      async ({ sendEvents }) => {
        await sendEvents(1);
        await sendEvents(20, "guess", "admin");
      },
      "Event sink",
      /^the last event came/,
    ],
    ["No event at all", () => undefined, "Event sink", /^no event in the last 24 h$/],
    [
      "Only requests with unknown user names",
      async ({ sendEvents }) => sendEvents(3, "guess", "admin"),
      "Event sink",
      /; 3 requests refused because of the user name or the secret$/,
    ],
    ["A rotated signing key", ({ issuer }) => issuer.rotateKeys(), "Token issuer", /^2 signing keys$/],
    [
      "A few rooms that failed claims gave up, and that wait for their deletion",
      async ({ platform, queues }) => {
        platform.seedRooms({ rows: [1, 2, 3].map((number) => pooledRoom(`given-up-${number}`)) });
        for (const number of [1, 2, 3]) await queues.deletion.put(`given-up-${number}`);
      },
      "Unaccounted",
      /^3 rooms, which may be among those that wait for deletion$/,
    ],
  ])("%s", async (_, strike, name, found) => {
    const gateway = await startInMemory();
    await strike(gateway);
    await gateway.creates();
    const lines = await linesOf(gateway);
    expect(lines.filter(({ isOk }) => isOk === false)).toEqual([]);
    expect(lines.find((line) => line.name === name)?.found).toMatch(found);
  });
});

function pooledRoom(name: string): Record<string, unknown> {
  const description = formatMarker({ state: "pooled", since: new Date().toISOString() });
  return { name, aliases: [{ alias: name }], description };
}
