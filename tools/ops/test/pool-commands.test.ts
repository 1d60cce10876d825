/** The commands that change the pool: what they print, how they end, and what they leave in the queues. */
import { describe, expect, test } from "vitest";
import type { Settings } from "../../../src/lib/settings/settings.ts";
import { useStartedPerTest } from "../../../test/support/use-started.ts";
import { startGatewayInMemory } from "./gateway-in-memory.ts";

const gateway = useStartedPerTest(async () => startGatewayInMemory({ rooms: 6, isFilled: false }));

const threeRooms = async () => gateway.addRooms(["one", "two", "three"], { areInPool: true });
/** Three rooms, whose names are leased, and two requests that the host does not serve. */
async function threeLeased(): Promise<void> {
  await threeRooms();
  await gateway.queues.pool.receive(32, 300);
  gateway.link.provisions = false;
  for (let room = 0; room < 2; room++) await gateway.queues.provisioning.put('{"reason":"claimed"}');
}
async function liveRoom(): Promise<void> {
  await gateway.addRooms(["busy"]);
  gateway.platform.startConference({ name: "busy" });
}
async function threeRoomsAndAName(): Promise<void> {
  await gateway.queues.pool.put("without-a-room");
  await threeRooms();
}

interface Row {
  readonly command: string;
  readonly arrange?: () => unknown;
  /** Settings of the pool that are not the gateway's. */
  readonly settings?: Partial<Settings["pool"]>;
  readonly ends: number;
  readonly says: RegExp;
  /** The depths of the pool, the deletion queue and the provisioning queue. */
  readonly leaves: readonly number[];
}

const depths = () => {
  const { pool, deletion, provisioning } = gateway.queues;
  return [pool, deletion, provisioning].map((queue) => queue.texts().length);
};

const off = { maxRooms: 0 };
const minimum = { minRooms: 2 };

test.each<Row>([
  { command: "fill", ends: 0, says: /^6 rooms .* 6 are pending\.\nThe pool is full/, leaves: [6, 0, 0] },
  { command: "fill", settings: off, ends: 0, says: /^MAX_VMR is 0, which switches/, leaves: [0, 0, 0] },
  { command: "fill 4", arrange: threeRooms, ends: 0, says: /^1 room requested/, leaves: [4, 0, 0] },
  {
    command: "shrink 1",
    arrange: threeRooms,
    ends: 0,
    says: /\nMAX_VMR is 6: .*\nWould take 2/,
    leaves: [3, 0, 0],
  },
  {
    command: "shrink 1",
    arrange: threeRooms,
    settings: minimum,
    ends: 0,
    says: /\nPOOL_MIN/,
    leaves: [3, 0, 0],
  },
  { command: "shrink 3 --yes", arrange: threeRooms, ends: 0, says: /\nThere is nothing/, leaves: [3, 0, 0] },
  // The requested rooms are no reason to end with 0.
  { command: "shrink 4 --yes", arrange: threeLeased, ends: 1, says: /\nThe other names/, leaves: [3, 0, 2] },
  {
    command: "drain --yes",
    arrange: threeLeased,
    ends: 1,
    says: /\n0 rooms taken out\. 3 n/,
    leaves: [3, 0, 0],
  },
  {
    command: "drain --keep-pool",
    arrange: liveRoom,
    ends: 1,
    says: /^1 .* running: busy\n$/,
    leaves: [0, 0, 0],
  },
  { command: "drain --leaked --keep-pool", arrange: threeRooms, ends: 2, says: /^$/, leaves: [3, 0, 0] },
])("ops $command, with $arrange.name and $settings, ends with $ends and leaves $leaves", async (row) => {
  await row.arrange?.();
  const pool = { ...gateway.settings.pool, ...row.settings };
  const run = await gateway.ops(row.command, {}, { settings: { ...gateway.settings, pool } });
  expect(run).toMatchObject({ exitCode: row.ends, output: expect.stringMatching(row.says) });
  expect(depths()).toEqual(row.leaves);
});

/** Does something when a command writes a text that begins so. */
const onText = (start: string, act: () => unknown) => ({
  onText: (text: string) => {
    if (text.startsWith(start)) act();
  },
});

test("ops shrink spares a caller's room, and the collector deletes the others", async () => {
  await gateway.addRooms(["in-use"]);
  await threeRoomsAndAName();
  expect((await gateway.ops("shrink 1 --yes")).remarks).toMatch(
    /^On .*:\n0\/3 rooms taken out of the pool\n {2}room-discarded .*reason=room-missing\n1\/3 .*\n2\/3 .*\n3\/3 .*\n1 name that/,
  );
  expect((await gateway.ops("rooms")).output).toMatch(
    /^4 rooms: 1 pooled, 1 assigned, 0 live, 2 waiting for deletion\n/,
  );
  expect((await gateway.ops("room one")).output).toMatch(/Now: waiting for deletion for 0 s, without a live/);
  expect((await gateway.ops("status")).output).toContain(
    "1 pooled, 3 assigned (2 of them taken out of the pool and waiting for deletion), 0 live conferences\n",
  );
  gateway.clock.advance(660);
  await gateway.runTimer("collectGarbage");
  expect(gateway.roomNames()).toEqual(["in-use", "three"]);
  expect((await gateway.ops("room one")).output).toMatch(/ room-deleted \(ops shrink\) +local +/);
});

describe("ops drain", () => {
  test("Empties the pool, cancels requests and waits until no conference is running", async () => {
    await gateway.addRooms(["live", "in-use"]);
    gateway.platform.startConference({ name: "live" });
    await threeRooms();
    await gateway.queues.provisioning.put('{"reason":"claimed"}');
    const ending = onText("0/1 conferences", () => gateway.platform.endConference({ name: "live" }));
    const { exitCode, output, remarks } = await gateway.ops("drain --yes", ending);
    expect(output.split("\n").slice(0, -1)).toEqual([
      "The pool has 3 rooms, and 1 more are requested.",
      "MAX_VMR is 6: set it to 0, or creates and POOL_MINIMUM will request new rooms.",
      "The pool is empty. 3 rooms will be deleted by the garbage collection.",
      "No conference is running in a room of the gateway.",
      "2 rooms handed out and without a conference. List them: npm run ops -- rooms --state assigned",
    ]);
    expect(remarks).toMatch(/1\/1 conferences ended\n$/);
    expect(exitCode).toBe(0);
    expect(depths()).toEqual([0, 3, 0]);
  });

  test("Takes leaked rooms only with --leaked, and never one that was handed out or just provisioned", async () => {
    await gateway.addRooms(["one", "two", "three"], { areInPool: true, hours: 0 });
    await gateway.addRooms(["leaked-1", "leaked-2"], { state: "pooled" });
    await gateway.addRooms(["foreign"], { state: "pooled", gateway: "production" });
    await gateway.addRooms(["in-use"]);
    // Its name may not be in the pool yet.
    await gateway.addRooms(["just-made"], { state: "pooled", hours: 0.5 / 60 });
    const rest =
      /\nNo conference is running in a room of the gateway\.\n1 room handed out and without a conf/;
    for (const [command, ...says] of [
      ["drain", /\n2 rooms marked as .* stay without --leaked: .*\nWould delete 3 rooms and cancel 0 req/],
      ["drain --leaked", /\n2 of these rooms are marked as .*\nWould delete 5 rooms and cancel 0 requests/],
      ["drain --keep-pool --yes", /^No conference is running/],
      ["drain --yes", /\nThe pool is empty\. 3 rooms will be .*\n2 rooms .* stay without --leaked/, rest],
      ["drain --leaked --yes", /\nThe pool is empty\. 2 rooms will be .*\n2 of these rooms are marked/, rest],
    ] as const) {
      const { output } = await gateway.ops(command);
      for (const each of says) expect(output).toMatch(each);
    }
    gateway.clock.advance(660);
    await gateway.runTimer("collectGarbage");
    expect(gateway.roomNames()).toEqual(["foreign", "in-use", "just-made"]);
    expect((await gateway.ops("room leaked-1")).output).toMatch(/ room-deleted \(ops drain\) +local /);
  });
});
