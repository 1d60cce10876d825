/** The commands that change the pool: what they print, how they end, and what they leave in the queues. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Settings } from "../../../src/lib/settings/settings.ts";
import { useStartedPerTest } from "../../../test/support/use-started.ts";
import type { Target } from "../gateway/target.ts";
import { startGatewayInMemory } from "./gateway-in-memory.ts";
import type { OpsOptions } from "./run-ops.ts";

const gateway = useStartedPerTest(async () => startGatewayInMemory({ rooms: 6, isFilled: false }));

let poolSettings: Partial<Settings["pool"]>;
let changes: Partial<Target>;
beforeEach(() => void ([poolSettings, changes] = [{}, {}]));

const poolRooms = async () => gateway.addRooms(["one", "two", "three"], { areInPool: true });
/** Three pooled rooms, and two requests that the host does not serve. */
async function threeOfFive(): Promise<void> {
  await poolRooms();
  gateway.link.provisions = false;
  for (let room = 0; room < 2; room++) await gateway.queues.provisioning.put('{"reason":"claimed"}');
}
async function threeLeasedOfFive(): Promise<void> {
  await threeOfFive();
  await gateway.queues.pool.receive(32, 300);
}
const threeWith = (settings: Partial<Settings["pool"]>) => async () => {
  poolSettings = settings;
  await poolRooms();
};
async function liveRoom(): Promise<void> {
  await gateway.addRooms(["busy"]);
  gateway.platform.startConference({ name: "busy" });
}
async function threeAndAName(): Promise<void> {
  await gateway.queues.pool.put("without-a-room");
  await poolRooms();
}
const run = async (command: string, options: OpsOptions = {}) => {
  const { settings } = gateway;
  const pool = { ...settings.pool, ...poolSettings };
  return gateway.ops(command, options, { ...changes, settings: { ...settings, pool } });
};
/** The depths of the pool, the deletion queue and the provisioning queue. */
const depths = () => {
  const { pool, deletion, provisioning } = gateway.queues;
  return [pool, deletion, provisioning].map((queue) => queue.texts().length);
};
/** Does something when a command writes a text that begins so. */
const onText = (start: string, act: () => unknown) => ({
  onText: (text: string) => {
    if (text.startsWith(start)) act();
  },
});
/** Presses Ctrl-C when a command writes a text that begins so. */
function interruptAt(start: string) {
  const stopping = new AbortController();
  return { stopping: stopping.signal, ...onText(start, () => stopping.abort()) };
}

test.each<[given: () => unknown, command: string, exitCode: number, says: RegExp, leaves: number[]]>([
  [() => 0, "fill", 0, /^6 rooms .* has 0 of 6, and 6 are pending\.\nThe pool is full/, [6, 0, 0]],
  [threeOfFive, "fill 6 --timeout-minutes 0", 0, /^1 room requested; .* 3 of 6, and 3 are .*\n$/, [3, 0, 3]],
  [threeWith({ maxRooms: 0 }), "fill", 0, /^MAX_VMR is 0, which switches the pool off\./, [3, 0, 0]],
  [threeOfFive, "shrink 4", 0, /, and 2 more are.*\nMAX_VMR is 6: .*\nWould take 1 room out/, [3, 0, 2]],
  [threeOfFive, "shrink 4 --yes", 0, /^1 room will be deleted in .*; 2 are in the pool/m, [2, 1, 2]],
  // No more than there are.
  [threeOfFive, "shrink 0 --yes", 0, /^3 rooms will be deleted in 10 min to 20 min; 0 are in/m, [0, 3, 2]],
  // The requested rooms are no reason to end with 0.
  [threeLeasedOfFive, "shrink 4 --yes", 1, /^0 rooms .*; 3 are .*\nThe other names/m, [3, 0, 2]],
  [threeWith({ minRooms: 2 }), "shrink 1", 0, /ed\.\nPOOL_MINIMUM is 2: .*\nWould take 2/, [3, 0, 0]],
  [threeWith({ minRooms: 2, maxRooms: 2 }), "shrink 2 --yes", 0, /requested\.\n1 room will be/, [2, 1, 0]],
  // The dropped name counts as well.
  [threeAndAName, "shrink 2 --yes", 0, /^1 room will be deleted .*; 2 are in the pool/m, [2, 1, 0]],
  [poolRooms, "shrink 3 --yes", 0, /requested\.\nThere is nothing to do\.\n$/, [3, 0, 0]],
  [threeLeasedOfFive, "drain --yes", 1, /\n0 rooms taken out\. 3 names leased or not ready yet/, [3, 0, 0]],
  [liveRoom, "drain --keep-pool --timeout-minutes 1", 1, /^1 conference still running: busy\n$/, [0, 0, 0]],
  [poolRooms, "drain --leaked --keep-pool", 2, /^$/, [3, 0, 0]],
])("Given %o, ops %s ends with %i, says %s and leaves %j", async (given, command, ending, says, leaves) => {
  await given();
  const { exitCode, output } = await run(command);
  expect(output).toMatch(says);
  expect([exitCode, depths()]).toEqual([ending, leaves]);
});

test.each([
  [() => (gateway.link.provisions = false), "fill", "0/6", /6 are pending\.\n$/, [0, 0, 6]],
  [poolRooms, "drain --yes", "1/3", /\n1 room taken out; 2 are still in the pool\.\n$/, [2, 1, 0]],
  [
    poolRooms,
    "shrink 0 --yes",
    "2/3",
    /^.*\n.*\n2 rooms will be deleted in .*; 1 are in the pool\.\n$/,
    [1, 2, 0],
  ],
])(
  "Given %o, ops %s that is interrupted at %s ends with 130",
  async (given, command, start, says, leaves) => {
    await given();
    const { exitCode, output, remarks } = await gateway.ops(command, interruptAt(start));
    expect([exitCode, depths()]).toEqual([130, leaves]);
    expect(output).toMatch(says);
    expect(remarks).toMatch(/\nInterrupted\. It is safe to run the command again\.\n$/);
  },
);

describe("ops fill", () => {
  test("Waits for its time, and says once, after ten seconds without progress, why no room arrives", async () => {
    gateway.link.provisions = false;
    gateway.log({ event: "room-provisioned" });
    gateway.log({ event: "provisioning-failed", failure: "platform-login-refused", platformStatus: 401 });
    const startedAt = gateway.clock.now();
    const saidAt: number[] = [];
    const said = onText("No progress", () => saidAt.push((gateway.clock.now() - startedAt) / 1000));
    const { exitCode, remarks } = await gateway.ops("fill --timeout-minutes 1", said);
    expect(remarks).toContain(
      "No progress: the platform refuses the login (401). See docs/operations.md#provisioning-failing.\n",
    );
    expect([exitCode, saidAt, gateway.clock.now() - startedAt]).toEqual([1, [10], 60_000]);
  });
});

test("ops shrink spares a caller's room, and the collector deletes the others", async () => {
  await gateway.addRooms(["in-use"]);
  await threeAndAName();
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
    await threeOfFive();
    const ending = onText("0/1 conferences", () => gateway.platform.endConference({ name: "live" }));
    const { exitCode, output, remarks } = await gateway.ops("drain --yes", ending);
    expect(output.split("\n").slice(0, -1)).toEqual([
      "The pool has 3 rooms, and 2 more are requested.",
      "MAX_VMR is 6: set it to 0, or creates and POOL_MINIMUM will request new rooms.",
      "The pool is empty. 3 rooms will be deleted by the garbage collection.",
      "No conference is running in a room of the gateway.",
      "2 rooms handed out and without a conference. List them: npm run ops -- rooms --state assigned",
    ]);
    expect(remarks).toMatch(/1\/1 conferences ended\n$/);
    expect([exitCode, depths()]).toEqual([0, [0, 3, 0]]);
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
      const { output } = await run(command);
      for (const each of says) expect(output).toMatch(each);
    }
    gateway.clock.advance(660);
    await gateway.runTimer("collectGarbage");
    expect(gateway.roomNames()).toEqual(["foreign", "in-use", "just-made"]);
    expect((await gateway.ops("room leaked-1")).output).toMatch(/ room-deleted \(ops drain\) +local /);
  });
});
