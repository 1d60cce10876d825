/** The commands that change the queues: what they print, how they end, and what they leave in the queues. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decodeRoomMessage } from "../../../src/lib/ownership/room.ts";
import type { Settings } from "../../../src/lib/settings/settings.ts";
import { temporaryFolder } from "../../../test/support/script-process.ts";
import { useStartedPerTest } from "../../../test/support/use-started.ts";
import { withTakenOut } from "../pool/taken-out.ts";
import { startGatewayInMemory } from "./gateway-in-memory.ts";

const gateway = useStartedPerTest(async () => startGatewayInMemory({ maxRooms: 6 }));

const threeRooms = async () => gateway.addRooms(["one", "two", "three"], { areInPool: true });
/** Three rooms, and two requests that the host does not serve. */
async function threeAndTwoRequests(): Promise<void> {
  await threeRooms();
  gateway.faults.isProvisioningDisabled = true;
  for (let room = 0; room < 2; room++) await gateway.queues.provisioning.put('{"reason":"claimed"}');
}
/** The same, and the names are leased. */
async function threeLeased(): Promise<void> {
  await threeAndTwoRequests();
  await gateway.queues.pool.receive(32, 300);
}
/** Three rooms, and a request that the host serves while the pool is made smaller. */
async function servedMeanwhile(): Promise<void> {
  await threeRooms();
  await gateway.queues.provisioning.put('{"reason":"claimed"}');
  gateway.queues.pool.strikeNext("receive", { meanwhile: gateway.provision });
}
/** One room, and a create that requests another one while the pool is emptied. */
async function requestedMeanwhile(): Promise<void> {
  await gateway.addRooms(["one"], { areInPool: true });
  gateway.faults.isProvisioningDisabled = true;
  const request = async () => void (await gateway.queues.provisioning.put('{"reason":"claimed"}'));
  gateway.queues.pool.strikeNext("receive", { meanwhile: request });
}
async function givenUp(): Promise<void> {
  for (const text of ["not a request", '{"reason":"claimed"}']) await gateway.queues.poison.put(text);
}
const nothing = () => undefined;

type Depths = Partial<Record<keyof typeof gateway.queues, number>>;

interface Row {
  readonly command: string;
  readonly given: () => unknown;
  /** Settings of the pool that are not the gateway's. */
  readonly settings?: Partial<Settings["pool"]>;
  readonly ends: number;
  readonly says: RegExp;
  /** The depths of the queues that are not empty. */
  readonly leaves: Depths;
}

function depths(): Depths {
  const all = Object.entries(gateway.queues).map(([name, queue]) => [name, queue.texts().length]);
  return Object.fromEntries(all.filter(([, depth]) => depth !== 0));
}

const off = { maxLevel: 0 };

test.each<Row>([
  {
    command: "fill",
    given: nothing,
    ends: 0,
    says: /^6 rooms requested; the pool has 0 of 6, and 6 are pending\.\nA new room can be /m,
    leaves: { provisioning: 6 },
  },
  { command: "fill", given: givenUp, settings: off, ends: 0, says: /^2 requests that .*\nMAX/, leaves: {} },
  { command: "fill", given: threeRooms, settings: off, ends: 0, says: /^MAX_VMR is 0/, leaves: { pool: 3 } },
  { command: "shrink 1", given: threeRooms, ends: 0, says: /\nMAX_VMR is 6: /, leaves: { pool: 3 } },
  { command: "shrink 3 --yes", given: threeRooms, ends: 0, says: /\nThere is nothing/, leaves: { pool: 3 } },
  {
    command: "shrink 1",
    given: threeRooms,
    settings: { minLevel: 2 },
    ends: 0,
    says: /\nPOOL_MINIMUM is 2: .*\nWould take 2 rooms/,
    leaves: { pool: 3 },
  },
  {
    command: "shrink 2",
    given: threeRooms,
    settings: { minLevel: 2, maxLevel: 2 },
    ends: 0,
    says: /requested\.\nWould take 1 room/,
    leaves: { pool: 3 },
  },
  // It cancels no requests.
  {
    command: "shrink 1 --yes",
    given: threeAndTwoRequests,
    ends: 0,
    says: /\n3 rooms will be deleted .*; 0 are in the pool\.\n$/,
    leaves: { deletion: 3, provisioning: 2 },
  },
  // Rooms that are only requested do not let it end with 0.
  {
    command: "shrink 4 --yes",
    given: threeLeased,
    ends: 1,
    says: /\nThe other names are leased/,
    leaves: { pool: 3, provisioning: 2 },
  },
  {
    command: "shrink 2 --yes",
    given: servedMeanwhile,
    ends: 0,
    says: /\n2 rooms will be deleted .*; 2 are in the pool\.\n$/,
    leaves: { pool: 2, deletion: 2 },
  },
  { command: "drain", given: threeRooms, settings: off, ends: 0, says: /d\.\nWould/, leaves: { pool: 3 } },
  {
    command: "drain --yes",
    given: requestedMeanwhile,
    ends: 1,
    says: /\n1 room taken out\. 0 names leased or not ready yet, and 1 room requested\.\n/,
    leaves: { deletion: 1, provisioning: 1 },
  },
  {
    command: "drain --yes",
    given: threeLeased,
    ends: 1,
    says: /\n0 rooms taken out\. 3 names leased or not ready yet, and 0 rooms requested\.\n/,
    leaves: { pool: 3 },
  },
])(
  "The command `ops $command`, given $given.name, ends with $ends, leaves $leaves and says $says",
  async (row) => {
    await row.given();
    const pool = { ...gateway.settings.pool, ...row.settings };
    const run = await gateway.ops(row.command, {}, { settings: { ...gateway.settings, pool } });
    expect(run).toMatchObject({ exitCode: row.ends, output: expect.stringMatching(row.says) });
    expect(depths()).toEqual(row.leaves);
  },
);

test("`ops shrink` spares a caller's room, and the collector deletes the others", async () => {
  await gateway.addRooms(["in-use"]);
  await gateway.addRooms(["theirs"], { gateway: "production" });
  const theirs = gateway.platform.state.conferences.findByName("theirs");
  if (theirs) theirs["description"] = withTakenOut(String(theirs["description"]), "shrink");
  await gateway.queues.pool.put("without-a-room");
  await threeRooms();
  expect(await gateway.ops("shrink 1 --yes")).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/\n2 rooms will be deleted in 10 min to 20 min; 1 are in the pool\.\n$/),
    remarks: expect.stringMatching(/^On .*:\n0\/3 rooms taken .*\n1\/3 .*\n2\/3 .*\n3\/3 .*\n1 name that/),
  });
  // The collector compares the claim with that of the room, which may have changed hands.
  const queued = { claimId: expect.any(String), reason: "ops shrink", operator: "local" };
  expect(gateway.queues.deletion.texts().map(decodeRoomMessage)).toMatchObject([queued, queued]);
  expect((await gateway.ops("rooms")).output).toMatch(
    /^4 rooms: 1 pooled, 1 assigned, 0 live, 2 waiting for deletion\nNot listed: 1 room of /,
  );
  expect((await gateway.ops("room one")).output).toMatch(/Now: waiting for deletion for 0 s, without a live/);
  expect((await gateway.ops("status")).output).toContain(
    "1 pooled, 3 assigned (2 of them taken out of the pool and waiting for deletion), 0 live conferences; 1 room of the gateway production\n",
  );
  gateway.clock.advance(660);
  await gateway.runTimer("collectGarbage");
  expect(gateway.roomNames()).toEqual(["in-use", "theirs", "three"]);
  expect((await gateway.ops("room one")).output).toMatch(/ room-deleted \(ops shrink\) +local +/);
});

test("Two operators who shrink the pool at the same time take at most one room too many", async () => {
  await gateway.fill();
  const shrink = async () => gateway.ops("shrink 3 --yes");
  expect(await Promise.all([shrink(), shrink()])).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
  expect([2, 3]).toContain(gateway.queues.pool.texts().length);
});

test("`ops drain` takes leaked rooms only with --leaked, and never one that was handed out or just provisioned", async () => {
  await gateway.addRooms(["one", "two", "three"], { areInPool: true, hours: 0 });
  await gateway.addRooms(["leaked-1", "leaked-2"], { state: "pooled" });
  await gateway.addRooms(["foreign"], { state: "pooled", gateway: "production" });
  await gateway.addRooms(["in-use"]);
  // Its name may not be in the pool yet.
  await gateway.addRooms(["just-made"], { state: "pooled", hours: 0.5 / 60 });
  gateway.faults.isProvisioningDisabled = true;
  await gateway.queues.provisioning.put('{"reason":"claimed"}');
  for (const { command, says } of [
    { command: "drain", says: /\nWould delete 3 rooms, and cancel 1 request\./ },
    {
      command: "drain --leaked",
      says: /\nWould delete 3 rooms and those in no queue, and cancel 1 request\./,
    },
    {
      command: "drain --yes",
      says: /^The pool has 3 rooms, and 1 more are requested\.\nMAX_VMR is 6: .*\nThe pool is empty\. 3 rooms will be .*\n2 rooms .* stay without --leaked/,
    },
    { command: "drain --leaked --yes", says: /\nThe pool is empty\. 2 rooms will be deleted in 10 .*\n$/ },
  ]) {
    expect(await gateway.ops(command)).toMatchObject({ exitCode: 0, output: expect.stringMatching(says) });
  }
  gateway.clock.advance(660);
  await gateway.runTimer("collectGarbage");
  expect(gateway.roomNames()).toEqual(["foreign", "in-use", "just-made"]);
  expect((await gateway.ops("room leaked-1")).output).toMatch(/ room-deleted \(ops drain\) +local /);
});

test("`ops unmarked` lists rooms that no gateway has marked, and queues those that a file names", async () => {
  const file = join(await temporaryFolder(), "names.txt");
  const others = [{ name: "test_old" }, { name: "personal", sync_tag: "directory-1" }, { name: "dialled" }];
  const aliases = (name: string) => [{ alias: name === "dialled" ? "other" : name }];
  const rows = [{ name: "old-1" }, { name: "old-2" }, ...others];
  gateway.platform.seedRooms({ rows: rows.map((row) => ({ ...row, aliases: aliases(row.name) })) });
  await gateway.addRooms(["in-use"]);
  const list = { exitCode: 1, output: "old-1\nold-2\n", remarks: expect.stringContaining("2 rooms without") };
  expect(await gateway.ops("unmarked")).toEqual(list);
  await writeFile(file, "in-use\r\npersonal\n\nold-2\r\n");
  for (const [options, says] of [
    [[], /^2 lines of .* name none of them; the first is 1\.\nWould delete 1 room\./],
    [
      ["--yes"],
      /\n1 room queued; 0 waited already\. They will be deleted in 10 min to 20 min, or after the conference\.\n$/,
    ],
  ] as const)
    expect(await gateway.ops(["unmarked", file, ...options])).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(says),
    });
  await writeFile(file, "old-2\n");
  expect(await gateway.ops(["unmarked", file, "--yes"])).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/^0 rooms queued; 1 waited already\. /),
  });
  expect(gateway.queues.deletion.texts().map(decodeRoomMessage)).toEqual([
    { room: "old-2", queuedBy: "gateway", reason: "ops unmarked", operator: "local" },
  ]);
});
