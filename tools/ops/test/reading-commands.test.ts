/** The commands that only read, and `ops unaccounted`. */
import { describe, expect, test } from "vitest";
import { QueueError } from "../../../src/lib/ports.ts";
import { asEventSink } from "../../../test/support/credentials.ts";
import { useStartedPerTest } from "../../../test/support/use-started.ts";
import { identities } from "../../simulators/identities.ts";
import { startGatewayInMemory } from "./gateway-in-memory.ts";

const gateway = useStartedPerTest(async () => startGatewayInMemory({ rooms: 4, isFilled: false }));

const outputOf = async (command: string) => (await gateway.ops(command)).output;
/** The lines of an output, cut into columns. */
const rowsOf = (output: string) =>
  output
    .trim()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

test("ops status shows what needs attention and what to do, and ends with 0 if nothing does", async () => {
  await gateway.fill();
  await gateway.runTimer("collectMetrics");
  const { exitCode, output } = await gateway.ops("status");
  expect(output).toMatch(
    /^a gateway in memory\. Now: [\d-]+ [\d:]+ UTC\n\n {2}ok {2}Gateway {9}http:\S+ returns 200\n {2}\?\? {2}Settings {8}ROOM_TEMPLATE has no .*\n.*\n {2}ok {2}Creates {9}no create/,
  );
  expect(output).toMatch(/\n {2}\?\? {2}Event sink {6}no event in the last 24 h\n/);
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/\n\nNothing needs attention\.\n$/)]);
  expect(JSON.parse(await outputOf("status --json"))).toMatchObject({
    row: { PoolDepth: 4, AvailableRooms: 4, MaximumRooms: 4 },
    isMeasured: true,
    lines: expect.arrayContaining([{ name: "Poison", isOk: true, found: "0 requests given up" }]),
    problems: 0,
  });
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

test("ops rooms lists rooms by state, with the settings that they were made with if the log tells", async () => {
  await gateway.addRooms(["new-1", "new-2"], { areInPool: true });
  await gateway.addRooms(["live"]);
  gateway.platform.startConference({ name: "live" });
  await gateway.addRooms(["forgotten"], { hours: 48, fingerprint: "00000000" });
  await gateway.addRooms(["theirs"], { gateway: "production" });
  const rows = rowsOf(await outputOf("rooms"));
  expect(rows).toEqual([
    ["4 rooms: 2 pooled, 1 assigned, 1 live, 0 waiting for deletion"],
    ["Not listed: 1 room of the gateway production."],
    [""],
    ["NAME", "STATE", "SINCE", "SETTINGS"],
    ["new-1", "pooled", "1 h", "current"],
    ["new-2", "pooled", "1 h", "current"],
    ["forgotten", "assigned", "2 d", "other"],
    ["live", "live", "1 h", "current"],
  ]);
  const assigned = rowsOf(await outputOf("rooms --state assigned"));
  expect(assigned).toEqual([...rows.slice(0, 4), ...rows.slice(6, 7)]);
  expect(await outputOf("rooms --state waiting")).toMatch(/\nNone is waiting for deletion\.\n$/);
  const [live] = JSON.parse(await outputOf("rooms --state live --json"));
  expect(live).toMatchObject({ name: "live", state: "live", marker: "assigned" });
  const untold = await gateway.ops("rooms", {}, { fingerprint: async () => undefined });
  expect(untold.output.match(/ unknown$/gm)).toHaveLength(4);
});

test("ops room shows the whole life of a room, and where it is now", async () => {
  await gateway.fill();
  const { json } = await gateway.call("createRoom");
  const name = String(Object(json).name);
  await gateway.addRooms(["theirs"], { gateway: "production" });
  expect(await outputOf(`room ${name}`)).toMatch(/\nNow: assigned for 0 s, without a live conference\.\n$/);
  expect(await gateway.ops("room theirs")).toMatchObject({
    exitCode: 1,
    output: expect.stringMatching(
      /^The log of the last 168 hours has no line about theirs\. .*\nNow: .*\nIt belongs to the gateway production, /,
    ),
  });
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
  expect(output).toMatch(/\nNow: the platform has no room of this name\.\n$/);
  expect(JSON.parse(await outputOf(`room ${name} --json`))).toHaveLength(4);
});

describe("ops unaccounted", () => {
  const persistent = "test_kept";
  const forgotten = async () => gateway.addRooms(["forgotten-1", "forgotten-2"], { hours: 48 });
  const forgottenAndOthers = async () => {
    await forgotten();
    await gateway.addRooms([persistent, "live"], { hours: 48 });
    gateway.platform.startConference({ name: "live" });
    await gateway.addRooms(["in-use"]);
  };
  const stray = async () => gateway.addRooms(["stray"], { state: "pooled" });

  test.each<[given: () => unknown, options: string, exitCode: number, says: RegExp, queued: number]>([
    [() => 0, "", 0, /^Every room is accounted for\.\n$/, 0],
    [forgotten, "", 1, /^NAME +HANDED OUT\nforgotten-1 +2 d ago\nforgotten-2 +2 d ago\n$/, 0],
    [forgottenAndOthers, " --delete", 1, /\nWould delete 2 rooms\. Do it with --delete --yes\.\n$/, 0],
    [forgotten, " --delete --yes", 0, /\n2 rooms will be deleted in 10 min to 20 min\.\nDo not run this/, 2],
    // Persistent rooms are listed but not deleted.
    [forgottenAndOthers, " --delete --yes", 1, /\ntest_kept .*\n2 rooms will be deleted/, 2],
    [stray, " --delete --yes", 1, /^1 room marked as pooled beyond the pool\. .*rooms-unaccounted\n$/, 0],
    [forgotten, " --yes", 2, /^$/, 0],
    // The name of this gateway.
    [forgotten, " --gateway vmr-gateway --delete --yes", 2, /^$/, 0],
    [forgotten, " --delete --json", 2, /^$/, 0],
    [stray, " --json", 1, /^\{"rooms":\[\],"unnamed":1\}\n$/, 0],
  ])("Given %o, ops unaccounted%s ends with %i", async (given, options, ending, says, queued) => {
    await given();
    const { exitCode, output } = await gateway.ops(`unaccounted${options}`);
    expect(output).toMatch(says);
    expect([exitCode, gateway.queues.deletion.texts().length]).toEqual([ending, queued]);
  });

  test("Has the collector delete the rooms, in the operator's name", async () => {
    await forgotten();
    expect((await gateway.ops("unaccounted --delete --yes")).remarks).toMatch(/2\/2 rooms queued for del/);
    gateway.clock.advance(660);
    await gateway.runTimer("collectGarbage");
    expect(gateway.roomNames()).toEqual([]);
    expect(await outputOf("room forgotten-2")).toMatch(/ room-deleted \(ops unaccounted\) +local /);
  });

  const left = async () => gateway.addRooms(["left-1", "left-2"], { gateway: "old-name", hours: 48 });
  const leftAndOthers = async () => {
    await left();
    await gateway.addRooms([persistent], { gateway: "old-name", hours: 48 });
    for (const owner of ["vmr-gateway", "third"])
      await gateway.addRooms([`of-${owner}`], { gateway: owner, hours: 48 });
  };
  const liveCannotBeRead = async () => {
    await left();
    // The list of live conferences can be read, the look at one cannot: a role that changed, or a newer platform.
    const pathPattern = "status/v1/conference/.*name=";
    gateway.platform.addFault({ kind: "status", status: 403, method: "GET", pathPattern });
  };
  const leftAndLive = async () => {
    await left();
    gateway.platform.startConference({ name: "left-1" });
  };
  const leftAndNew = async () => {
    await left();
    await gateway.addRooms(["new"], { gateway: "old-name", state: "pooled", hours: 23 });
    await gateway.addRooms(["left-3"], { gateway: "old-name", hours: 30 });
  };
  const leftAndLogged = async () => {
    await left();
    gateway.log({ gateway: "old-name" });
  };

  test.each<[given: () => unknown, options: string, exitCode: number, says: RegExp, deleted: number]>([
    [left, "", 1, /^NAME +STATE +SINCE\nleft-1 +assigned +2 d\nleft-2 +assigned +2 d\n$/, 0],
    [leftAndOthers, "--delete", 1, /\nWould delete 2 rooms now, but no persistent ones\..*\n$/, 0],
    [leftAndOthers, "--delete --yes", 1, /\n2 rooms deleted, 1 left\.\n$/, 2],
    [left, "--delete --yes", 0, /\n2 rooms deleted, 0 left\.\n$/, 2],
    [left, "--json", 1, /^\[\{.*"name":"left-1".*\},\{.*\}\]\n$/, 0],
    [() => 0, "--delete --yes", 0, /^The platform has no room of the gateway old-name\.\n$/, 0],
    [leftAndNew, "--delete --yes", 1, /: its newest room is 23 h old\. Its rooms/, 0],
    [leftAndLogged, "--delete --yes", 1, / may be running: its newest log line is 0 s old\./, 0],
    [leftAndLive, "--delete --yes", 1, / may be running: one of its rooms has a live conference\./, 0],
    [liveCannotBeRead, "--delete --yes", 3, /^NAME/, 0],
  ])("Given %o, --gateway old-name %s ends with %i", async (given, options, ending, says, deleted) => {
    await given();
    const rooms = gateway.roomNames();
    const { exitCode, output } = await gateway.ops(`unaccounted --gateway old-name ${options}`.trim());
    expect(output).toMatch(says);
    expect([exitCode, gateway.roomNames()]).toEqual([ending, rooms.slice(deleted)]);
  });

  test("With --gateway, spares a room that changes hands after it was listed", async () => {
    await left();
    const onText = (text: string) => {
      const [row] = gateway.platform.state.conferences.all();
      if (row && text.startsWith("NAME"))
        row["description"] = String(row["description"]).replace(/20\d\d-/, "2020-");
    };
    await gateway.ops("unaccounted --gateway old-name --delete --yes", { onText });
    expect(gateway.roomNames()).toEqual(["left-1"]);
  });
});
