/**
 * At least one outage per line of `ops status`: a fault, ten creates, and the line names the cause and a section of the
 * runbook; what that section says cures it, and the screen is green again. status.test.ts judges the other findings.
 */
import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import {
  type PlatformFaultClass,
  platformFaultClasses,
  platformFaults,
} from "../../../test/support/platform-faults.ts";
import type { Conference } from "../../simulators/platform/conferences.ts";
import type { MemoryPlatform } from "../../simulators/platform/memory-platform.ts";
import { type GatewayInMemory, startGatewayInMemory } from "./gateway-in-memory.ts";

interface Outage {
  readonly strike: (gateway: GatewayInMemory) => unknown;
  /** What the line of `ops status` says. */
  readonly found: RegExp;
  /** What it advises before the section. */
  readonly advice?: string;
  /** What the operator does; the fault has ended. */
  readonly cure?: (gateway: GatewayInMemory) => unknown;
  /** What the tokens of the callers say, if it is not what they should. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** An outage that a line of `ops status` names, with a section of docs/operations.md. */
const named = (line: string, section: string, outage: Outage) => ({ line, section, ...outage });

const refusing = (fault: Parameters<MemoryPlatform["addFault"]>[0]) => (gateway: GatewayInMemory) =>
  gateway.platform.addFault(fault);
const status = (code: number, method?: string, pathPattern?: string) =>
  refusing({ kind: "status", status: code, method, pathPattern });
const blocking = (code: number, method: string) =>
  refusing({ status: code, method, body: "<html>Blocked</html>" });
const rejecting = (field: string) => {
  const body = { conference: { [field]: ["Invalid."] } };
  return refusing({ kind: "status", status: 400, method: "POST", body });
};
const change = (faults: Partial<GatewayInMemory["faults"]>) => (gateway: GatewayInMemory) =>
  Object.assign(gateway.faults, faults);

const numbered = (name: string, amount: number) =>
  Array.from({ length: amount }, (_, number) => `${name}-${number}`);
async function endConference({ addRooms, queues }: GatewayInMemory, room: string): Promise<void> {
  await addRooms([room]);
  await queues.deletion.put(room);
}
async function waitFor({ clock, runTimer }: GatewayInMemory, minutes: number): Promise<void> {
  clock.advance(minutes * 60);
  await runTimer("collectMetrics");
}
async function collectAfter(gateway: GatewayInMemory, minutes: number): Promise<void> {
  await waitFor(gateway, minutes);
  await gateway.provision();
  await gateway.runTimer("collectGarbage");
}

async function replacePool(gateway: GatewayInMemory): Promise<void> {
  // It spares rooms that may just have been provisioned.
  gateway.clock.advance(120);
  await gateway.ops("drain --leaked --yes");
  await gateway.fill();
}

/** What is said if every call of the platform fails. */
const ofPlatform: Readonly<Record<PlatformFaultClass, readonly [section: string, found: RegExp]>> = {
  "platform-rejected": ["platform-unreachable", /^rejects GET \(409\)$/],
  "platform-login-refused": ["platform-unreachable", /^refuses the login \(401\)$/],
  "platform-unavailable": ["platform-unreachable", /^fails at GET \(503\)$/],
  "platform-timeout": ["platform-unreachable", /^does not respond in time \(ETIMEDOUT\)$/],
  throttled: ["platform-slow", /^throttles \(429\)$/],
  "not-from-platform": [
    "platform-unreachable",
    /^something in between responds to GET in its place \(403\)$/,
  ],
};
const failing = platformFaultClasses.map((fault) => {
  const [section, found] = ofPlatform[fault];
  const strike = refusing(platformFaults[fault]);
  return [`every call fails as ${fault}`, named("Platform", section, { strike, found })] as const;
});

const outages = {
  "the platform is down": named("Platform", "platform-unreachable", {
    strike: async ({ platform, runTimer }) => {
      await platform.goDown("refuse");
      await runTimer("collectMetrics");
    },
    found: /^refuses the connection \(ECONNREFUSED\)$/,
  }),
  "a firewall blocks changes": named("Creates", "creates-failing", {
    strike: blocking(404, "PATCH"),
    found: /: the platform: something in between responds to PATCH in its place \(404\)$/,
  }),
  "a firewall blocks the contact centre": named("Contact centre", "contact-centre-throttling", {
    strike: async ({ contactCentre, askAsAgent }) => {
      contactCentre.failNext({ status: 403, body: "<html>Blocked</html>", count: 1000 });
      await askAsAgent();
    },
    found: /^something in between responds to the call in its place \(403\); the app logged contact-centre-/,
  }),
  "every call is slow": named("Speed", "platform-slow", {
    strike: change({ delaySeconds: 6 }),
    advice: "the platform, or the app's storage: ",
    found: /^6\.\d s per call; creates take 12\.\d to \d+\.\d s$/,
  }),
  "the audience is wrong": named("Callers", "callers-refused", {
    strike: () => undefined,
    claims: { aud: "api://other" },
    found: /^the newest 5 creates were refused, the last 1 s ago \(401: audience\)$/,
  }),
  "only lists fail": named("Other calls", "server-errors", {
    strike: async (gateway) => {
      status(503, "GET", "conference/\\?order_by")(gateway);
      for (let call = 0; call < 5; call++) await gateway.call("listRooms");
    },
    found: /^5 of 6 calls failed in 15 min, the last \d+ s ago: the platform fails at GET \(503\)$/,
  }),
  "the account may not create rooms": named("Provisioning", "provisioning-failing", {
    strike: status(403, "POST"),
    found: /the platform refuses POST \(403\): the account may not create$/,
  }),
  "the account may not delete rooms": named("Deletion", "deletion-queue-old", {
    strike: async (gateway) => {
      status(403, "DELETE")(gateway);
      await endConference(gateway, "ended");
      await collectAfter(gateway, 11);
    },
    found: /; 1 room failed: the platform refuses DELETE \(403\): the account may not delete$/,
  }),
  "the platform confirms changes, and the rooms stay as they were": named(
    "Unaccounted",
    "changes-without-effect",
    {
      strike: async (gateway) => {
        refusing({ status: 202, method: "PATCH", body: "" })(gateway);
        await gateway.creates();
        gateway.clock.advance(11);
      },
      found: /^(?:9|10) rooms handed out and still marked as pooled$/,
      cure: async (gateway) => {
        gateway.clock.advance(3600);
        await replacePool(gateway);
      },
    },
  ),
  "the identity provider is down": named("Token issuer", "signing-keys-stale", {
    strike: ({ issuer }) => issuer.setDown(true),
    found: /^closes the connection \(ECONNRESET\)$/,
  }),
  "one node of several has a wrong password for the event sink": named("Event sink", "event-sink-silent", {
    strike: async ({ sendEvents }) => {
      await sendEvents(1, "wrong");
      await sendEvents(9);
    },
    found: /^1 of 10 events failed in 1 h, .*: a node has another password \(401\); 9 accepted since$/,
  }),
  "a node has stopped sending events": named("Alarms", "platform-alarms", {
    strike: ({ platform }) => platform.raiseAlarm({ name: "eventsink_maximum_backoff" }),
    found: /^eventsink_maximum_backoff$/,
  }),
  "the host has given requests up": named("Poison", "poison-messages", {
    strike: async ({ queues }) => queues.poison.put('{"reason":"claimed"}'),
    found: /^1 request given up$/,
    advice: "npm run ops -- fill; ",
    cure: async (gateway) => gateway.ops("fill"),
  }),
  "all rooms were deleted, and no new one can be provisioned": named("Pool", "pool-empty-on-claim", {
    strike: async (gateway) => {
      rejecting("pin")(gateway);
      await gateway.queues.pool.clear();
      removeRooms(gateway);
    },
    found: /^0 of 20 rooms$/,
    advice: "creates return 404: npm run ops -- fill; ",
    cure: async (gateway) => gateway.ops("fill"),
  }),
  "provisionRoom has been disabled half a minute ago": named("Requests", "provisioning-failing", {
    strike: async (gateway) => {
      change({ isProvisioningDisabled: true })(gateway);
      await gateway.call("createRoom");
      gateway.clock.advance(31);
    },
    found: /^11 rooms requested, one for 41 s$/,
    advice: "does the platform fail to make rooms in time, or is provisionRoom disabled? ",
  }),
  "the list of rooms lacks them": named("Rooms", "names-without-rooms", {
    strike: refusing({
      status: 200,
      method: "GET",
      pathPattern: "conference/\\?order_by=",
      body: { meta: { total_count: 0 }, objects: [] },
    }),
    found: /; the platform's list lacks \S+, which a look-up by name finds$/,
  }),
  "the app does not load": named("Gateway", "health-check-failing", {
    strike: ({ failToLoad }) => failToLoad(),
    found: /returns 404: the app did not load \(Error: a setting is missing\)$/,
  }),
  "rows cannot be uploaded": named("Metrics", "timers-not-running", {
    strike: async (gateway) => {
      gateway.logWorkspace.failNext({ status: 403 });
      await waitFor(gateway, 16);
    },
    found: /^the last row is 16 min .*old; a run failed: /,
  }),
};

const isAssigned = ({ description }: Conference) => String(description).includes(" assigned ");
function removeRooms(
  { platform }: GatewayInMemory,
  isRemoved: (row: Conference) => boolean = () => true,
): void {
  const { conferences } = platform.state;
  for (const row of conferences.all()) if (isRemoved(row)) conferences.remove(String(row.id));
}

const problemsOf = async ({ statusLines }: GatewayInMemory) =>
  (await statusLines()).filter(({ isOk }) => isOk === false);

const guide = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");

let gateway: GatewayInMemory;
afterEach(async () => gateway.stop());

const all = [...failing, ...Object.entries(outages)];
test.each(all)("`ops status` names the cause and the cure: %s", async (_, outage) => {
  gateway = await startGatewayInMemory();
  expect(await problemsOf(gateway)).toEqual([]);
  await outage.strike(gateway);
  await gateway.creates(outage.claims);
  const askedAt = gateway.clock.now();
  const line = (await gateway.statusLines()).find(({ name }) => name === outage.line);
  expect(line).toEqual({
    name: outage.line,
    isOk: false,
    found: expect.stringMatching(outage.found),
    advice: `${outage.advice ?? ""}docs/operations.md#${outage.section}`,
  });
  expect(gateway.clock.now() - askedAt).toBeLessThan(20_000);
  expect(guide).toMatch(new RegExp(`^#{2,3} ${outage.section}$`, "m"));
  await gateway.mend();
  await outage.cure?.(gateway);
  for (let run = 0; run < 4; run++) await collectAfter(gateway, 5);
  removeRooms(gateway, isAssigned);
  await gateway.creates();
  expect(await problemsOf(gateway)).toEqual([]);
});

/** Nothing that the gateway's operator has to do. */
interface Harmless {
  readonly given: string;
  readonly strike: (gateway: GatewayInMemory) => unknown;
  /** What the lines of `ops status` say that mention it. */
  readonly found: Readonly<Record<string, RegExp>>;
}

test.each<Harmless>([
  {
    given: "Scanners, and a second gateway on the same platform",
    strike: async ({ sendEvents, call, askAsAgent, addRooms, queues }) => {
      await sendEvents(1);
      await sendEvents(20, "guess", "admin");
      const headers = { authorization: "Bearer guess" };
      for (let attempt = 0; attempt < 6; attempt++) await call("createRoom", { headers });
      for (let attempt = 0; attempt < 6; attempt++) await askAsAgent("guess");
      await addRooms(numbered("theirs", 25), { state: "pooled", gateway: "production" });
      await queues.deletion.put("theirs-1");
    },
    found: {
      "Event sink": /^1 event in 1 h, .* all accepted$/,
      Callers: /^0 of 10 creates and agents' reads refused in 1 h; 12 without a usable token, as anybody/,
      Rooms: /, 0 live conferences; 25 rooms of the gateway production$/,
    },
  },
  {
    given: "Only events with unknown user names, and a rotated key",
    strike: async ({ sendEvents, issuer }) => {
      await sendEvents(3, "guess", "admin");
      issuer.rotateKeys();
    },
    found: {
      "Event sink": /; 3 requests refused because of the user name or the secret$/,
      "Token issuer": /^2 signing keys$/,
    },
  },
  {
    given: "Rooms whose descriptions a script has cleared",
    strike: ({ platform }) => {
      for (const row of platform.state.conferences.all()) row["description"] = "";
    },
    found: { Rooms: /^1?0 pooled, .*; 20 names in the pool$/ },
  },
])("Sets no alarm: $given", async ({ strike, found }) => {
  gateway = await startGatewayInMemory();
  await strike(gateway);
  await gateway.creates();
  const lines = await gateway.statusLines();
  expect(lines.filter(({ isOk }) => isOk === false)).toEqual([]);
  for (const [name, words] of Object.entries(found))
    expect(lines.find((line) => line.name === name)?.found).toMatch(words);
});
