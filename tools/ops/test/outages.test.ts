/**
 * An outage for each line of `ops status` that status.test.ts does not judge, or for which the commands measure
 * something: a fault, ten creates, and the line names the cause and a section of the runbook; what that section says
 * cures it, and the screen is green again.
 */
import { expect, test } from "vitest";
import { asEventSink } from "../../../test/support/credentials.ts";
import { useStartedPerTest } from "../../../test/support/use-started.ts";
import type { Conference } from "../../simulators/platform/conferences.ts";
import type { MemoryPlatform } from "../../simulators/platform/memory-platform.ts";
import { type GatewayInMemory, startGatewayInMemory } from "./gateway-in-memory.ts";

interface Outage {
  readonly given: string;
  readonly strike: (gateway: GatewayInMemory) => unknown;
  /** The name of the line of `ops status`, and what it says. */
  readonly line: string;
  readonly found: RegExp;
  /** What it advises before it names the section of docs/operations.md. */
  readonly advice?: string;
  readonly section: string;
  /** What the operator does; the fault has ended. */
  readonly cure?: (gateway: GatewayInMemory) => unknown;
}

const refusing = (fault: Parameters<MemoryPlatform["addFault"]>[0]) => (gateway: GatewayInMemory) =>
  gateway.platform.addFault(fault);

/** Replaces the rooms of the pool, a little more than an hour later. */
async function replacePool({ clock, ops, fill }: GatewayInMemory): Promise<void> {
  clock.advance(3720);
  await ops("drain --leaked --yes");
  await fill();
}

async function runTimers({ clock, provision, runTimer }: GatewayInMemory): Promise<void> {
  clock.advance(300);
  await runTimer("collectMetrics");
  await provision();
  await runTimer("collectGarbage");
}

const outages: readonly Outage[] = [
  {
    given: "the platform fails",
    strike: refusing({ kind: "status", status: 503 }),
    line: "Platform",
    found: /^fails at GET \(503\)$/,
    section: "platform-unreachable",
  },
  {
    given: "a firewall blocks the platform",
    strike: refusing({ status: 403, body: "<html>Blocked</html>" }),
    line: "Platform",
    found: /^something in between responds to GET in its place \(403\)$/,
    section: "platform-unreachable",
  },
  {
    given: "the platform does not list its live conferences",
    strike: refusing({ kind: "status", status: 500, method: "GET", pathPattern: "status/v1/conference/" }),
    line: "Platform",
    found: /^the live conferences: fails at GET \(500\)$/,
    section: "platform-unreachable",
  },
  {
    given: "the account may not create rooms",
    strike: refusing({ kind: "status", status: 403, method: "POST" }),
    line: "Provisioning",
    found: /the platform refuses POST \(403\): the account may not create$/,
    section: "provisioning-failing",
  },
  {
    given: "the platform confirms changes, and the rooms stay as they were",
    strike: async (gateway) => {
      refusing({ status: 202, method: "PATCH", body: "" })(gateway);
      await gateway.creates();
      gateway.clock.advance(11);
    },
    line: "Unaccounted",
    found: /^(?:9|10) rooms handed out and still marked as pooled$/,
    section: "changes-without-effect",
    cure: replacePool,
  },
  {
    given: "the identity provider is down",
    strike: ({ issuer }) => issuer.setDown(true),
    line: "Token issuer",
    found: /^closes the connection \(ECONNRESET\)$/,
    section: "signing-keys-stale",
  },
  {
    given: "a node has stopped sending events",
    strike: ({ platform }) => platform.raiseAlarm({ name: "eventsink_maximum_backoff" }),
    line: "Alarms",
    found: /^eventsink_maximum_backoff$/,
    section: "platform-alarms",
  },
  {
    given: "the host has given a request up",
    strike: async ({ queues }) => queues.poison.put('{"reason":"claimed"}'),
    line: "Poison",
    found: /^1 request given up$/,
    advice: "npm run ops -- fill; ",
    section: "poison-messages",
    cure: async (gateway) => gateway.ops("fill"),
  },
  {
    given: "provisionRoom has been disabled half a minute ago",
    strike: async (gateway) => {
      gateway.faults.isProvisioningDisabled = true;
      await gateway.call("createRoom");
      gateway.clock.advance(31);
    },
    line: "Requests",
    found: /^11 rooms requested, one for 41 s$/,
    advice: "does the platform fail to make rooms in time, or is provisionRoom disabled? ",
    section: "provisioning-failing",
  },
  {
    given: "look-ups by name find no room",
    strike: refusing({
      status: 200,
      method: "GET",
      pathPattern: "conference/\\?(?:.*&)?name=",
      body: { meta: { total_count: 0 }, objects: [] },
    }),
    line: "Rooms",
    found: /; a look-up by name does not find \S+, which the platform lists$/,
    section: "names-without-rooms",
    cure: replacePool,
  },
  {
    given: "the platform's list of rooms is empty",
    strike: refusing({
      status: 200,
      method: "GET",
      pathPattern: "conference/\\?order_by=",
      body: { meta: { total_count: 0 }, objects: [] },
    }),
    line: "Rooms",
    found: /; the platform's list lacks \S+, which a look-up by name finds$/,
    section: "names-without-rooms",
  },
];

const isAssigned = ({ description }: Conference) => String(description).includes(" assigned ");
function removeAssigned({ platform }: GatewayInMemory): void {
  const { conferences } = platform.state;
  for (const row of conferences.all()) if (isAssigned(row)) conferences.remove(String(row.id));
}

const problemsOf = async ({ statusLines }: GatewayInMemory) =>
  (await statusLines()).filter(({ isOk }) => isOk === false);

const gateway = useStartedPerTest(async () => {
  const started = await startGatewayInMemory({ maxRooms: 20 });
  await started.fill();
  await started.runTimer("collectMetrics");
  return started;
});

test.each(outages)("`ops status` names the cause and the cure if $given", async (outage) => {
  expect(await problemsOf(gateway)).toEqual([]);
  await outage.strike(gateway);
  await gateway.creates();
  const askedAt = gateway.clock.now();
  const line = (await gateway.statusLines()).find(({ name }) => name === outage.line);
  expect(line).toEqual({
    name: outage.line,
    isOk: false,
    found: expect.stringMatching(outage.found),
    advice: `${outage.advice ?? ""}docs/operations.md#${outage.section}`,
  });
  expect(gateway.clock.now() - askedAt).toBeLessThan(20_000);
  gateway.mend();
  await outage.cure?.(gateway);
  for (let run = 0; run < 4; run++) await runTimers(gateway);
  removeAssigned(gateway);
  await gateway.creates();
  expect(await problemsOf(gateway)).toEqual([]);
});

test("Scanners, a second gateway on the same platform and a rotated key set no alarm", async () => {
  const sendEvents = async (amount: number, username?: string, password?: string) => {
    const json = { event: "participant_connected", data: {} };
    for (let index = 0; index < amount; index++)
      await gateway.call("eventSink", { headers: asEventSink(username, password), json });
  };
  await sendEvents(1);
  await sendEvents(20, "admin", "guess");
  for (let attempt = 0; attempt < 6; attempt++) {
    await gateway.call("createRoom", { headers: { authorization: "Bearer guess" } });
    await gateway.call("getPublicRoom", { headers: { "x-auth-token": "guess" }, roomName: "any" });
  }
  const theirs = Array.from({ length: 25 }, (_, number) => `theirs-${number}`);
  await gateway.addRooms(theirs, { state: "pooled", gateway: "production" });
  await gateway.queues.deletion.put("theirs-1");
  await gateway.creates();
  gateway.issuer.rotateKeys();
  const lines = await gateway.statusLines();
  expect(lines.filter(({ isOk }) => isOk === false)).toEqual([]);
  const found = Object.fromEntries(lines.map((line) => [line.name, line.found]));
  expect(found).toMatchObject({
    "Event sink": expect.stringMatching(/^1 event in 1 h, .* all accepted$/),
    Callers: expect.stringMatching(/^0 of 10 .* refused in 1 h; 12 without a usable token, as anybody/),
    Rooms: expect.stringMatching(/, 0 live conferences; 25 rooms of the gateway production$/),
    "Token issuer": "2 signing keys",
  });
});
