/** The commands that only read, and `ops unaccounted`. */
import { describe, expect, test } from "vitest";
import { QueueError } from "../../../src/lib/queue.ts";
import { asEventSink } from "../../../test/support/credentials.ts";
import { useStartedPerTest } from "../../../test/support/use-started.ts";
import { identities } from "../../simulators/identities.ts";
import { screenTime } from "../../terminal/format.ts";
import { UnreachableError } from "../outcomes.ts";
import { startGatewayInMemory } from "./gateway-in-memory.ts";

const gateway = useStartedPerTest(async () => startGatewayInMemory({ maxRooms: 4 }));

const outputOf = async (command: string) => (await gateway.ops(command)).output;
/** The lines of an output, cut into columns. */
const rowsOf = (output: string) =>
  output
    .trim()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

test("`ops status` shows what needs attention and what to do, and ends with 0 if nothing does", async () => {
  await gateway.fill();
  await gateway.runTimer("collectMetrics");
  const { exitCode, output } = await gateway.ops("status");
  expect(output).toContain(`a gateway in memory. Now: ${screenTime(gateway.clock.now())}\n\n`);
  expect(output).toMatch(
    /^.*\n\n {2}ok {2}Gateway {9}http:\S+ returns 200\n {2}\?\? {2}Settings {8}ROOM_TEMPLATE has no .*\n {22}docs.*\n {2}ok {2}Log {13}can be read\n {2}ok {2}Creates {9}no create/,
  );
  expect(output).toMatch(
    / {2}Speed .*\n.* {2}Token issuer .*\n.* {2}Contact centre .*\n.* {2}Event sink {6}no event in the last 24 h\n/,
  );
  expect(exitCode).toBe(0);
  expect(output).toMatch(/\n\nNothing needs attention\.\n$/);
  const untold = await gateway.ops("status", {}, { platform: undefined });
  expect(untold.output).toMatch(
    /\n {2}ok {2}Rooms {11}4 pooled, .*\n(?:.*\n)*From the metrics row of 20\S+\.\n/,
  );
  const count = async () => Promise.reject(new QueueError("unknown", "queue count"));
  const pool = { ...gateway.queues.pool, count };
  const red = await gateway.ops("status", {}, { queues: { ...gateway.queues, pool } });
  expect(red.exitCode).toBe(1);
  expect(red.output).toMatch(/\n {2}!! {2}Storage {9}.*\n {22}-> docs\/operations\.md#storage-unavailable\n/);
  expect(red.output).toMatch(/\n {2}\?\? {2}Pool {12}unknown\n(?:.*\n)+1 line with !! needs attention\.\n$/);
});

test("`ops status` says once that the log cannot be read, and keeps what it has measured itself", async () => {
  await gateway.fill();
  await gateway.addRooms(["lost-1", "lost-2", "lost-3"], { state: "pooled" });
  const refuse = async () =>
    Promise.reject(new UnreachableError("You may not read the log workspace (403)."));
  const log = {
    warnings: new Set<string>(),
    lines: refuse,
    newestMetrics: refuse,
    answeredByApiManagement: refuse,
    loadFailure: refuse,
  };
  const { exitCode, output } = await gateway.ops("status", {}, { log });
  const line = (state: string, name: string, found: string) => `  ${state}  ${name.padEnd(16)}${found}\n`;
  const problem = line("!!", "Log", "You may not read the log workspace (403).");
  const logged = "what the app logged is unknown";
  for (const each of [
    problem,
    line("??", "Creates", "unknown"),
    line("ok", "Platform", "connected"),
    line("ok", "Speed", "0.0 s per call"),
    line("ok", "Token issuer", `1 signing key; ${logged}`),
    line("ok", "Contact centre", `responds; ${logged}`),
    line("ok", "Storage", `responds in 0.0 s; ${logged}`),
    line("ok", "Pool", "4 of 4 rooms"),
    line("ok", "Deletion", `0 rooms waiting; ${logged}`),
    line("ok", "Rooms", "4 pooled, 0 assigned, 0 live conferences"),
    line("??", "Unaccounted", `3 rooms marked as pooled, but in no queue; ${logged}`),
    line("??", "Metrics", "unknown"),
  ])
    expect(output).toContain(each);
  expect(output).toMatch(/\n\n1 line with !! needs attention\.\n$/);
  const untold = await gateway.ops("status", {}, { log, platform: undefined });
  expect([exitCode, untold.exitCode]).toEqual([1, 1]);
  expect(untold.output.match(/!!|You may/g)).toEqual(["!!", "You may", "!!"]);
});

test("`ops status` says that a renamed gateway's pool leads to rooms of its old name", async () => {
  await gateway.fill();
  const rooms = { ...gateway.settings.rooms, gatewayName: "renamed" };
  const { output } = await gateway.ops("status", {}, { settings: { ...gateway.settings, rooms } });
  expect(output).toMatch(/!! {2}Rooms .*; 4 of 4 names in the pool are of another gateway's rooms\n/);
});

test("`ops rooms` lists rooms by state, and with --gateway those of another gateway", async () => {
  await gateway.addRooms(["new-1"], { areInPool: true });
  await gateway.addRooms(["new-2"], { areInPool: true, hours: 2 });
  await gateway.addRooms(["live"]);
  gateway.platform.startConference({ name: "live" });
  await gateway.addRooms(["forgotten"], { hours: 48 });
  await gateway.addRooms(["theirs"], { gateway: "production" });
  const { output, remarks } = await gateway.ops("rooms");
  expect(remarks).toBe("");
  const rows = rowsOf(output);
  expect(rows).toEqual([
    ["4 rooms: 2 pooled, 1 assigned, 1 live, 0 waiting for deletion"],
    ["Not listed: 1 room of the gateway production."],
    [""],
    ["NAME", "STATE", "SINCE"],
    ["new-2", "pooled", "2 h"],
    ["new-1", "pooled", "1 h"],
    ["forgotten", "assigned", "2 d"],
    ["live", "live", "1 h"],
  ]);
  const assigned = rowsOf(await outputOf("rooms --state assigned"));
  expect(assigned).toEqual([...rows.slice(0, 4), ...rows.slice(6, 7)]);
  expect(await outputOf("rooms --state waiting")).toMatch(/\nNone is waiting for deletion\.\n$/);
  const theirs = rowsOf(await outputOf("rooms --gateway production"));
  expect(theirs.slice(1)).toEqual([
    [`Not listed: 4 rooms of the gateway ${identities.gatewayName}.`],
    ...rows.slice(2, 4),
    ["theirs", "assigned", "1 h"],
  ]);
});

test("`ops room` shows the whole life of a room, and where it is now", async () => {
  await gateway.fill();
  const { json } = await gateway.call("createRoom");
  const name = String(Object(json).name);
  await gateway.addRooms(["theirs"], { gateway: "production" });
  // Too old, and about another room.
  gateway.log({ event: "room-claimed", room: name }, 30.1 * 24);
  gateway.log({ event: "deletion-failed", room: "by-hand", failure: "platform-timeout" }, 29.9 * 24);
  gateway.log({ event: "room-claimed", room: "other" });
  expect(await outputOf(`room ${name}`)).toMatch(/\nNow: assigned for 0 s, without a live conference\.\n$/);
  expect(await gateway.ops("room theirs")).toMatchObject({
    exitCode: 1,
    output: expect.stringMatching(
      /^The log of the last 30 days has no line about theirs\. .*\nNow: .*\nIt belongs to the gateway production, /,
    ),
  });
  gateway.platform.seedRooms({ rows: [{ name: "by-hand", aliases: [{ alias: "by-hand" }] }] });
  expect(await outputOf("room by-hand")).toMatch(
    / deletion-failed \(the platform does not .* in time\)\nNow: it is on the platform, without a gateway's marker\.\n$/,
  );
  gateway.platform.startConference({ name });
  expect(await outputOf(`room ${name}`)).toMatch(/\nNow: assigned for 0 s, with a live conference\.\n$/);
  gateway.platform.endConference({ name });
  const data = { name, service_type: "conference" };
  const event = { event: "conference_ended", node: "10.0.0.21", data };
  await gateway.call("eventSink", { headers: asEventSink(), json: event });
  gateway.clock.advance(660);
  await gateway.runTimer("collectGarbage");
  const { exitCode, output } = await gateway.ops(`room ${name}`);
  expect(exitCode).toBe(0);
  expect(rowsOf(output).map(([, event, caller]) => [event, caller])).toEqual([
    ["EVENT", "CALLER"],
    ["room-provisioned (bulk)", "queue"],
    ["room-claimed", identities.clientId],
    ["room-queued-for-deletion", "event-sink"],
    ["room-deleted", "timer"],
    [undefined, undefined],
  ]);
  expect(output).toMatch(/\n20\d\d-\d\d-\d\d [\d:]{8}\.\d{3} {2}room-provisioned /);
  expect(output).toMatch(/\nNow: the platform has no room of this name\.\n$/);
  const untold = await gateway.ops(`room ${name}`, {}, { platform: undefined });
  expect(untold).toMatchObject({ exitCode: 0, output: expect.stringMatching(/ room-deleted .*\n$/) });
});

describe("`ops unaccounted`", () => {
  const overdue = async () => gateway.addRooms(["overdue-1", "overdue-2"], { hours: 48 });
  async function overdueAndOthers(): Promise<void> {
    await overdue();
    await gateway.addRooms(["test_kept", "live"], { hours: 48 });
    gateway.platform.startConference({ name: "live" });
    await gateway.addRooms(["in-use"]);
  }
  const lost = async () => gateway.addRooms(["lost"], { state: "pooled" });
  async function overdueAndLost(): Promise<void> {
    await overdue();
    await lost();
  }
  const overdueByHand = async () => gateway.addRooms(["test_kept"], { hours: 48 });
  async function liveListFails(): Promise<void> {
    await overdue();
    gateway.platform.addFault({ kind: "status", status: 403, method: "GET", pathPattern: "status/v1/" });
  }
  const nothing = () => undefined;

  interface Row {
    readonly arrange: () => unknown;
    readonly options?: string;
    readonly ends: number;
    readonly says: RegExp;
  }

  test.each<Row>([
    { arrange: nothing, options: "", ends: 0, says: /^Every room is accounted for\.\n$/ },
    { arrange: overdue, options: "", ends: 1, says: /^NAME +HANDED OUT\noverdue-1 +2 d ago\noverdue-2 / },
    { arrange: overdueAndOthers, options: "", ends: 1, says: /\nWould delete 2 rooms\. Do it/ },
    { arrange: overdue, ends: 0, says: /\n2 rooms will be deleted in 10 .*\. Do not/ },
    // Persistent rooms are listed but not deleted.
    { arrange: overdueAndOthers, ends: 1, says: /\ntest_kept .*\n2 rooms will be/ },
    { arrange: lost, ends: 1, says: /^1 room marked as pooled beyond the pool\./ },
    { arrange: overdueAndLost, ends: 1, says: /\n2 rooms will be deleted/ },
    { arrange: overdueByHand, options: "", ends: 1, says: /^NAME .*\ntest_kept +2 d ago\n$/ },
    { arrange: liveListFails, ends: 3, says: /^$/ },
  ])(
    "ends with $ends and says $says, given $arrange.name",
    async ({ arrange, options = "--yes", ends, says }) => {
      await arrange();
      const ended = await gateway.ops(`unaccounted ${options}`.trim());
      expect(ended).toMatchObject({ exitCode: ends, output: expect.stringMatching(says) });
    },
  );

  test("has the collector delete the rooms, in the operator's name", async () => {
    await overdueAndOthers();
    expect(await outputOf("status")).toMatch(/!! {2}Unaccounted {5}3 rooms: .*, test_kept\n/);
    expect((await gateway.ops("unaccounted --yes")).remarks).toMatch(/2\/2 rooms\n/);
    for (const seconds of [0, 300, 360]) {
      gateway.clock.advance(seconds);
      expect(await outputOf("status")).toMatch(/ok {2}Unaccounted {5}3 rooms: .*; 2 of them wait for del/);
      await gateway.runTimer("collectGarbage");
    }
    await gateway.runTimer("collectGarbage");
    expect(gateway.roomNames()).toEqual(["test_kept", "live", "in-use"]);
    expect(await outputOf("room overdue-2")).toMatch(/ room-deleted \(ops unaccounted\) +local /);
  });
});
