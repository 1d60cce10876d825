/** The commands that only read, against a running gateway and with faults. */
import { describe, expect, test } from "vitest";
import { asEventSink } from "../../../test/support/credentials.ts";
import { formatMarker, gatewayName } from "../../../test/support/markers.ts";
import { identities } from "../../simulators/identities.ts";
import { useOperatedGateway } from "./operated-gateway.ts";

const operated = useOperatedGateway({ MAX_VMR: "4" });

const twoDaysAgo = () => new Date(Date.now() - 48 * 3600_000).toISOString();
const assigned = (since: string) => formatMarker({ state: "assigned", since, messageId: "m-1" });
const createRoom = async () => (await operated.consumer.createRoom()).name;
/** The lines of an output, cut into columns. */
const rowsOf = (output: string) =>
  output
    .trim()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

/** Sends an event that ends no conference, as a node does all the time. */
const sendEvent = async () =>
  operated.send("POST /public/event_sink", {
    headers: asEventSink(),
    json: { event: "participant_connected", data: {} },
  });

describe("ops status", () => {
  test("Ends with 0 and shows every value if nothing needs attention", async () => {
    await operated.fillPool(4);
    await operated.runTimer("collectMetrics");
    await sendEvent();
    const { exitCode, output } = await operated.ops("status");
    const [header, ...lines] = output.split("\n");
    expect(header).toMatch(/^the local gateway at http:\S+, started [\d-]+ [\d:]+ UTC.*\. Now: .* UTC$/);
    expect(lines).toEqual([
      "",
      `  ok  Gateway         ${operated.url}/public/health returns 200`,
      "  ok  Creates         no create in 15 min",
      "  ok  Callers         0 of 0 creates and agents' reads refused in 1 h",
      expect.stringMatching(/^ {2}ok {2}Other calls {5}0 of \d calls? failed in 15 min$/),
      "  ok  Platform        connected",
      expect.stringMatching(/^ {2}ok {2}Platform speed {2}\d\.\d s per call$/),
      "  ok  Token issuer    1 signing key",
      "  ok  Contact centre  responds",
      expect.stringMatching(/^ {2}ok {2}Event sink {6}1 event in 1 h, the newest \d+ s ago, all accepted$/),
      expect.stringMatching(
        /^ {2}ok {2}Provisioning {4}4 attempts in 15 min, the newest \d+ s ago, all prov/,
      ),
      "  ok  Storage         responds",
      "  ok  Pool            4 of 4 rooms",
      "  ok  Requests        0 rooms requested",
      "  ok  Poison          0 requests given up",
      "  ok  Deletion        0 rooms waiting",
      "  ok  Alarms          none",
      "  ok  Rooms           4 pooled, 0 assigned, 0 live conferences",
      "  ok  Unaccounted     none",
      expect.stringMatching(/^ {2}ok {2}Metrics {9}the last row is \d+ s old$/),
      "",
      "Nothing needs attention.",
      "",
    ]);
    expect(exitCode).toBe(0);
    expect(JSON.parse((await operated.ops("status", "--json")).output)).toMatchObject({
      row: { PoolDepth: 4, AvailableRooms: 4, MaximumRooms: 4 },
      isMeasured: true,
      lines: expect.arrayContaining([{ name: "Poison", isOk: true, found: "0 requests given up" }]),
      problems: 0,
    });
  });

  test("Shows the platform if storage is down", async () => {
    await operated.fillPool(2);
    operated.storage.setDown(true);
    const { exitCode, output, remarks } = await operated.ops("status");
    expect([exitCode, remarks]).toEqual([1, ""]);
    for (const line of [
      "!!  Storage         closes the connection (ECONNRESET)",
      "                    -> docs/operations.md#storage-unavailable",
      "??  Pool            unknown",
      "ok  Platform        connected",
      "ok  Rooms           2 pooled, 0 assigned, 0 live conferences",
      "2 lines with !! need attention.",
    ])
      expect(output).toContain(`${line}\n`);
  });
});

test("ops plan --measured-days counts all callers who asked for a room, even those who were refused", async () => {
  const { logWorkspace } = operated.stack;
  const log = (fields: object, hours = 1) =>
    logWorkspace.addTrace(JSON.stringify(fields), new Date(Date.now() - hours * 3600_000));
  log({ event: "room-claimed" }, 30);
  log({ event: "room-claimed" });
  log({ event: "pool-empty" });
  for (const status of [404, 500]) log({ event: "request", function: "createRoomFromQueue", status });
  log({ event: "request", function: "eventSink", status: 500 });
  const { output } = await operated.ops("plan", "--measured-days", "1");
  expect(output).toMatch(/^.*: 3 callers, of whom 1 found the pool empty and 1 were refused/);
});

test("ops rooms lists rooms by state, with the settings that they were made with", async () => {
  await operated.fillPool(2);
  const live = await createRoom();
  await operated.settled();
  operated.stack.platform.startConference({ name: live });
  operated.addRoom("forgotten", { description: assigned(twoDaysAgo()) });
  operated.addRoom("somebody-elses", { description: "" });
  const { exitCode, output } = await operated.ops("rooms");
  const rows = rowsOf(output);
  expect(exitCode).toBe(0);
  expect(rows[0]).toEqual(["4 rooms: 2 pooled, 1 assigned, 1 live, 0 waiting for deletion"]);
  expect(rows[2]).toEqual(["NAME", "STATE", "SINCE", "SETTINGS"]);
  expect(rows.slice(3).map(([, state, , settings]) => [state, settings])).toEqual([
    ["pooled", "current"],
    ["pooled", "current"],
    ["assigned", "other"],
    ["live", "current"],
  ]);
  expect(rows[5]).toEqual(["forgotten", "assigned", "2 d", "other"]);
  expect(output).not.toContain("somebody-elses");
  const ofState = rowsOf((await operated.ops("rooms", "--state", "assigned")).output);
  expect(ofState.slice(0, 1)).toEqual(rows.slice(0, 1));
  expect(ofState.slice(3)).toEqual([rows[5]]);
  const listed = await operated.ops("rooms", "--state", "live", "--json");
  expect(JSON.parse(listed.output)).toEqual([
    expect.objectContaining({ name: live, state: "live", marker: "assigned" }),
  ]);
});

describe("ops room", () => {
  test("Shows the whole life of a room", async () => {
    await operated.fillPool(1);
    const name = await createRoom();
    const before = await operated.ops("room", name);
    expect(before.output).toMatch(/Now: assigned for \d+ s, without a live conference\.\n$/);
    await operated.send("POST /public/event_sink", {
      headers: asEventSink(),
      json: { event: "conference_ended", node: "10.0.0.21", data: { name, service_type: "conference" } },
    });
    await operated.runTimer("collectGarbage");
    const { exitCode, output } = await operated.ops("room", name);
    const rows = rowsOf(output);
    expect(exitCode).toBe(0);
    expect(rows.slice(1, -1).map(([, event, caller]) => [event, caller])).toEqual([
      ["room-provisioned (bulk)", "queue"],
      ["room-claimed", identities.clientId],
      ["room-queued-for-deletion", "event-sink"],
      ["room-deleted", "timer"],
    ]);
    expect(rows.at(-1)).toEqual(["Now: the platform has no room of this name."]);
  });

  test("Ends with 1 if the log has no line about the room", async () => {
    const { exitCode, output } = await operated.ops("room", "nobody");
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^The log of the last 168 hours has no line about nobody\./);
  });
});

describe("ops unaccounted", () => {
  test("Lists rooms that were handed out a day ago and are not live, without queuing them", async () => {
    for (const name of ["forgotten", "live"]) operated.addRoom(name, { description: assigned(twoDaysAgo()) });
    operated.stack.platform.startConference({ name: "live" });
    for (const options of [[], ["--delete"]]) {
      const { exitCode, output } = await operated.ops("unaccounted", ...options);
      expect(exitCode).toBe(1);
      expect(output).toMatch(
        options.length === 0
          ? /^NAME +HANDED OUT\nforgotten +2 d ago\n$/
          : /^NAME +HANDED OUT\nforgotten +2 d ago\nWould delete 1 room\. Do it with --delete --yes\.\n$/,
      );
    }
    for (const options of [["--yes"], ["--delete", "--json"], ["--delete", "--yes", "--json"]])
      expect(await operated.ops("unaccounted", ...options)).toMatchObject({ exitCode: 2, output: "" });
    const { exitCode, output } = await operated.ops("unaccounted", "--json");
    expect([exitCode, JSON.parse(output)]).toEqual([
      1,
      { rooms: [{ room: "forgotten", reason: "assigned-too-long", ageHours: 48 }], unnamed: 0 },
    ]);
    expect(await operated.queues.deletion.count()).toBe(0);
  });

  test("Queues the listed rooms except persistent ones with --delete --yes, and the collector deletes them", async () => {
    for (const name of ["forgotten", "test_kept"])
      operated.addRoom(name, { description: assigned(twoDaysAgo()) });
    operated.addRoom("stray");
    const { exitCode, output, remarks } = await operated.ops("unaccounted", "--delete", "--yes");
    expect(exitCode).toBe(1);
    expect(output).toMatch(
      /^1 room marked as pooled beyond the pool\. .*: docs\/operations\.md#rooms-unaccounted\n1 room will be deleted in 0 s to 10 min\.\nDo not run this again before then: /m,
    );
    expect(remarks).toMatch(/1\/1 rooms queued for deletion\n$/);
    await operated.runTimer("collectGarbage");
    expect(operated.stack.platform.rooms().map(({ name }) => name)).toEqual(["test_kept", "stray"]);
    expect((await operated.ops("room", "forgotten")).output).toMatch(
      / room-deleted \(ops unaccounted\) +local /,
    );
  });

  test("Ends with 0 if every room is accounted for, or will be deleted", async () => {
    expect(await operated.ops("unaccounted")).toEqual({
      exitCode: 0,
      output: "Every room is accounted for.\n",
      remarks: expect.any(String),
    });
    const json = await operated.ops("unaccounted", "--json");
    expect([json.exitCode, JSON.parse(json.output)]).toEqual([0, { rooms: [], unnamed: 0 }]);
    operated.addRoom("forgotten", { description: assigned("an-edited-time") });
    const deleting = await operated.ops("unaccounted", "--delete", "--yes");
    expect(deleting.exitCode).toBe(0);
    expect(deleting.output).toMatch(
      /^NAME +HANDED OUT\nforgotten +at an unknown time\n1 room will be deleted /,
    );
  });

  test("Counts a pooled room that is in no queue, and deletes none", async () => {
    operated.addRoom("stray");
    const { exitCode, output } = await operated.ops("unaccounted", "--delete", "--yes");
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^1 room marked as pooled beyond the pool\. .*\n$/);
  });

  describe("With --gateway", () => {
    const gateway = "old-name";
    const addLeft = (name: string, since = twoDaysAgo(), owner = gateway) =>
      operated.addRoom(name, {
        description: formatMarker({ gateway: owner, state: "assigned", since, messageId: "m-1" }),
      });
    const onGateway = async (...args: string[]) => operated.ops("unaccounted", "--gateway", gateway, ...args);
    const names = () => operated.stack.platform.rooms().map(({ name }) => name);

    test("Deletes the rooms that a gateway left, except persistent ones", async () => {
      for (const name of ["assigned", "other", "test_kept"]) addLeft(name);
      for (const owner of [gatewayName, "third"]) addLeft(`of-${owner}`, twoDaysAgo(), owner);
      const before = names();
      expect((await onGateway()).output).toMatch(/^NAME +STATE +SINCE\nassigned +assigned +2 d\n(.*\n){2}$/);
      const untried = await onGateway("--delete");
      expect(untried.exitCode).toBe(1);
      expect(untried.output).toMatch(/Would delete 2 rooms now, but no persistent ones.*\n$/);
      expect(JSON.parse((await onGateway("--json")).output)).toHaveLength(3);
      expect((await operated.ops("unaccounted", "--gateway", gatewayName)).exitCode).toBe(2);
      expect((await operated.ops("unaccounted", "--gateway", "unknown")).exitCode).toBe(0);
      expect(names()).toEqual(before);
      const deleting = await onGateway("--delete", "--yes");
      expect([deleting.exitCode, deleting.output.split("\n").at(-2)]).toEqual([
        1,
        "2 rooms deleted, 1 left.",
      ]);
      expect(names()).toEqual(["test_kept", `of-${gatewayName}`, "of-third"]);
    });

    test.each<[string, () => unknown]>([
      ["its newest room is 1 h old", () => addLeft("new", new Date(Date.now() - 3600_000).toISOString())],
      [
        "its newest log line is 0 s old",
        () => operated.stack.logWorkspace.addTrace(JSON.stringify({ gateway })),
      ],
      [
        "one of its rooms has a live conference",
        () => operated.stack.platform.startConference({ name: "old" }),
      ],
    ])("Deletes nothing if %s", async (sign, show) => {
      addLeft("old");
      show();
      const { exitCode, output } = await onGateway("--delete", "--yes");
      expect(exitCode).toBe(1);
      expect(output).toContain(`The gateway ${gateway} may be running: ${sign}.`);
      expect(names()).toContain("old");
    });
  });
});

describe("ops doctor", () => {
  test("Ends with 0 if everything responds, also before the first event", async () => {
    await operated.runTimer("collectMetrics");
    const untold = await operated.ops("doctor");
    expect(untold.output).toMatch(/\nNo check failed; 1 cannot be told yet \(\?\?\)\.\n$/);
    await sendEvent();
    const told = await operated.ops("doctor");
    expect(told.output).toMatch(/\nNo check failed\.\n$/);
    expect([untold.exitCode, told.exitCode]).toEqual([0, 0]);
    const { lines, problems } = JSON.parse((await operated.ops("doctor", "--json")).output);
    expect(lines).toContainEqual(expect.objectContaining({ name: "Gateway", isOk: true }));
    expect(problems).toBe(0);
  });
});
