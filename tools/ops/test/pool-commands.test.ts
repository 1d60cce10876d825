/** The commands that change the pool, with platform and queues in memory; two of them on a running gateway. */
import { beforeEach, describe, expect, test } from "vitest";
import { parseMarker } from "../../../src/lib/ownership/room.ts";
import { roomFingerprint } from "../../../src/lib/pool/new-room.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { exampleEnvironment } from "../../../test/support/example-settings.ts";
import { formatMarker, gatewayName } from "../../../test/support/markers.ts";
import { hostPin, usePoolWorld } from "../../../test/support/pool-world.ts";
import { platformOf } from "../target/target.ts";
import { memoryTarget } from "./memory-target.ts";
import { type OpsOptions, ops, useOperatedGateway } from "./operated-gateway.ts";

const world = usePoolWorld();
const withoutDelays = { POOL_READY_DELAY_SECONDS: "0", MAX_VMR: "6" };
let settings: Record<string, string>;
/** Whether the host serves the requests for rooms. */
let provisions: boolean;
let fingerprintOfLog: string | undefined;
beforeEach(() => {
  fingerprintOfLog = fingerprint;
  settings = withoutDelays;
  provisions = true;
});

const fingerprint = roomFingerprint({}, hostPin);
const marked = (state: "pooled" | "assigned", ofSettings = fingerprint, gateway = gatewayName) =>
  formatMarker({ gateway, state, since: "2026-01-01T00:00:00.000Z", fingerprint: ofSettings });
const minutesAgo = (minutes: number) => new Date(world.clock.now() - minutes * 60_000).toISOString();
const stateOf = (name: string) => parseMarker(world.room(name)?.description)?.state;

/** Serves all requests for rooms. Returns the depth of the pool. */
async function settled(): Promise<number> {
  const requests = provisions ? await world.provisioning.receive(32, 1) : [];
  for (const request of requests) {
    await world.addPooled(`new-${request.id}`);
    await world.provisioning.delete(request);
  }
  return world.pool.texts().length;
}
async function fillPool(rooms: number): Promise<void> {
  for (let room = 0; room < rooms; room++) await world.addPooled(`room-${room}`);
}
const runWith = async (options: OpsOptions, ...args: string[]) => {
  const target = memoryTarget({
    settings: loadSettings({ ...exampleEnvironment, ...settings }),
    queues: world,
    platform: platformOf(world.client, world.clock),
    fingerprint: async () => fingerprintOfLog,
    operatorId: async () => "local",
    log: {
      ...memoryTarget().log,
      lines: async ({ room }) =>
        world.log.lines
          .map(({ event, fields }) => ({
            time: minutesAgo(0),
            fields: { event, ...fields } as Record<string, unknown>,
          }))
          .filter(({ fields }) => fields["room"] === room),
    },
    clock: {
      now: world.clock.now,
      sleep: async (milliseconds) => {
        world.clock.advance(milliseconds / 1000);
        await settled();
      },
    },
  });
  return ops(args, { ...options, connect: async () => target });
};
const run = async (...args: string[]) => runWith({}, ...args);
const claimRoom = async () => {
  const { name } = await world.claim();
  await settled();
  return name;
};
/** Does something when a command writes a text that begins so. */
const onText = (start: string, act: () => unknown) => ({
  onText: (text: string) => {
    if (text.startsWith(start)) act();
  },
});
/** Adds a pooled room that was made with other settings. */
const poolOutdated = async (name: string) => {
  world.addRoom(name, { description: marked("pooled", "00000000") });
  await world.pool.put(name);
};
const depths = () => [world.pool, world.deletion, world.provisioning].map((queue) => queue.texts().length);

describe("ops fill", () => {
  test.each([
    [0, 0, /^6 rooms requested; the pool has 0 of 6, and 6 are pending\.\n$/],
    [
      1,
      1,
      /\nThe pool is not full yet\. If it does not grow: docs\/operations\.md#provisioning-failing\.\n$/,
    ],
  ])("Waits %i minutes for rooms that do not arrive, and ends with %i", async (minutes, ending, found) => {
    provisions = false;
    const startedAt = world.clock.now();
    const { exitCode, output } = await run("fill", "--timeout-minutes", `${minutes}`);
    expect([exitCode, output]).toEqual([ending, expect.stringMatching(found)]);
    expect(world.clock.now() - startedAt).toBe(minutes * 60_000);
  });

  test("Does nothing if MAX_VMR is 0", async () => {
    settings = { MAX_VMR: "0" };
    expect(await run("fill")).toMatchObject({
      exitCode: 0,
      output: "MAX_VMR is 0, which switches the pool off. There is nothing to do.\n",
    });
  });
});

describe("ops shrink", () => {
  test.each([
    ["4", "1 room will be deleted in 10 min to 20 min; 2 are in the pool.\n", [2, 1, 2]],
    // No more than there are.
    ["0", "3 rooms will be deleted in 10 min to 20 min; 0 are in the pool.\n", [0, 3, 2]],
  ])(
    "Counts 2 requested rooms towards the level %s, because they will arrive",
    async (level, message, left) => {
      await fillPool(3);
      for (let request = 0; request < 2; request++)
        await world.provisioning.put('{"reason":"claimed"}', { invisibleSeconds: 3600 });
      const { exitCode, output } = await run("shrink", level, "--yes");
      expect(exitCode).toBe(0);
      expect(output).toContain("The pool has 3 rooms, and 2 more are requested.\n");
      expect(output).toContain(message);
      expect(depths()).toEqual(left);
    },
  );

  test("Ends with 1 if names in the pool are leased", async () => {
    await world.addPooled("leased", { description: marked("pooled") });
    await world.pool.receive(1, 600);
    const { exitCode, output } = await run("shrink", "0", "--yes");
    expect(exitCode).toBe(1);
    expect(output).toMatch(
      /^0 rooms will be deleted .*; 1 are in the pool\.\nThe other names are leased by claims/m,
    );
  });

  test("Ends with 1 if fewer rooms could be taken out than requested ones need", async () => {
    await fillPool(3);
    for (let request = 0; request < 2; request++) await world.provisioning.put('{"reason":"bulk","upTo":5}');
    await world.pool.receive(3, 300);
    const { exitCode, output } = await run("shrink", "4", "--yes");
    expect([exitCode, output]).toEqual([1, expect.stringContaining("0 rooms will be deleted")]);
  });

  test("Says that the gateway restores POOL_MINIMUM if the level is lower", async () => {
    await fillPool(3);
    settings = { ...withoutDelays, POOL_MINIMUM: "2" };
    const note = "POOL_MINIMUM is 2: the gateway fills the pool up again within five minutes.";
    expect((await run("shrink", "1")).output).toContain(note);
    const { exitCode, output } = await run("shrink", "2", "--yes");
    expect(exitCode).toBe(0);
    expect(output).not.toContain(note);
    expect(depths()).toEqual([2, 1, 0]);
    expect(await run("shrink", "2", "--yes")).toMatchObject({
      exitCode: 0,
      output: "The pool has 2 rooms, and 0 more are requested.\nThere is nothing to do.\n",
    });
  });
});

describe("ops recycle", () => {
  test("Replaces only rooms that were made with other settings", async () => {
    for (const name of ["old-1", "old-2", "old-3", "old-4"]) await poolOutdated(name);
    await fillPool(2);
    world.addRoom("old-in-use", { description: marked("assigned", "00000000") });
    const { exitCode, output, remarks } = await run("recycle", "--yes", "--floor", "2");
    expect(exitCode).toBe(0);
    expect(output).toMatch(
      /^The pool has 6 ready rooms; 4 of its rooms were made with other settings\.\n4 rooms replaced;/,
    );
    expect(remarks).toMatch(/4\/4 rooms replaced\n$/);
    expect(await settled()).toBe(6);
    expect(stateOf("old-in-use")).toBe("assigned");
    expect(["room-0", "room-1"].map(stateOf)).toEqual(["pooled", "pooled"]);
    await world.collectGarbageAfter(600);
    expect(world.roomNames().filter((name) => name.startsWith("old"))).toEqual(["old-in-use"]);
    expect((await run("room", "old-1")).output).toMatch(/ room-deleted \(ops recycle\) +local$/m);
    expect(world.roomNames()).toHaveLength(7);
    expect(await run("recycle", "--yes")).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/There is nothing to do\.\n$/),
    });
  });

  test("Takes out no more rooms at once than there are above the floor, however large the batch", async () => {
    provisions = false;
    for (const name of ["old-1", "old-2", "old-3", "old-4"]) await poolOutdated(name);
    const stopping = new AbortController();
    const waiting = { stopping: stopping.signal, ...onText("2/4", () => stopping.abort()) };
    const args = ["recycle", "--yes", "--floor", "2"];
    expect(await runWith(waiting, ...args)).toMatchObject({
      exitCode: 130,
      output: expect.stringMatching(/\n2 rooms replaced; the old ones will be deleted /),
    });
    expect(depths()).toEqual([2, 2, 2]);
  });

  test("Changes nothing without --yes, without a room above the floor, or with a floor above MAX_VMR", async () => {
    await poolOutdated("old-1");
    expect(await run("recycle", "--floor", "0")).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining(
        "Would replace 1 room, 3 at a time, and keep 0 ready. Do it with --yes.",
      ),
    });
    expect(await run("recycle", "--yes")).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining("The floor is 3, so none may be taken out."),
    });
    expect(await run("recycle", "--yes", "--floor", "6")).toMatchObject({ exitCode: 1 });
    expect(await run("recycle", "--yes", "--floor", "7")).toMatchObject({
      exitCode: 2,
      remarks: expect.stringContaining("--floor 7 is more than MAX_VMR (6), so no room could be replaced."),
    });
    expect(depths()).toEqual([1, 0, 0]);
  });

  test("Counts towards the floor only rooms that can be handed out, neither young rooms nor rooms in no queue", async () => {
    settings = { ...withoutDelays, POOL_READY_DELAY_SECONDS: "3600" };
    for (const name of ["old-1", "old-2", "old-3"]) await poolOutdated(name);
    const description = formatMarker({ state: "pooled", since: minutesAgo(59), fingerprint });
    for (const name of ["young-1", "young-2"]) await world.addPooled(name, { description });
    const floorOf3 = await run("recycle", "--yes", "--floor", "3");
    expect(floorOf3.output).toMatch(/^The pool has 3 ready rooms; 3 of its rooms were made with other/);
    expect(floorOf3.output).toContain("The floor is 3, so none may be taken out.");
    world.addRoom("stray", { description: marked("pooled", "00000000") });
    expect((await run("recycle", "--yes", "--floor", "3")).output).toMatch(/^The pool has 3 ready /);
    const floorOf2 = await run("recycle", "--floor", "2");
    expect([floorOf3.exitCode, floorOf2.exitCode]).toEqual([1, 0]);
    expect(floorOf2.output).toContain("and keep 2 ready. Do it with --yes.");
    expect(depths()).toEqual([5, 0, 0]);
  });
});

describe("ops drain", () => {
  test("Empties the pool, cancels requests and waits until no conference is running", async () => {
    await fillPool(3);
    const live = await claimRoom();
    await settled();
    await world.provisioning.put('{"reason":"claimed"}', { invisibleSeconds: 3600 });
    world.platform.startConference({ name: live });
    const ending = onText("0/1 conferences ended", () => world.platform.endConference({ name: live }));
    const { exitCode, output, remarks } = await runWith(ending, "drain", "--yes");
    expect(exitCode).toBe(0);
    expect(output).toMatch(
      /^The pool has 3 rooms, and 1 more are requested\.\nMAX_VMR is 6: set it to 0, or creates and POOL_MINIMUM will request new rooms\.\n/,
    );
    expect(output).toMatch(
      /\nThe pool is empty\. 3 rooms will be deleted by the garbage collection\.\nNo conference is running in a room of the gateway\.\n1 room handed out and/,
    );
    expect(remarks).toMatch(/1\/1 conferences ended\n$/);
    const [pooled, , requested] = depths();
    expect([pooled, requested]).toEqual([0, 0]);
  });

  test("Takes leaked rooms only with --leaked, and never one that was handed out or just provisioned", async () => {
    await fillPool(2);
    for (const name of ["leaked-1", "leaked-2", "leaked-3"])
      world.addRoom(name, { description: marked("pooled") });
    world.addRoom("foreign", { description: marked("pooled", undefined, "production") });
    world.addRoom("in-use", { description: marked("assigned") });
    // Its name may not be in the pool yet.
    world.addRoom("just-made", {
      description: formatMarker({ state: "pooled", since: minutesAgo(0.5), fingerprint }),
    });
    expect((await run("drain")).output).toMatch(
      /3 rooms marked as pooled but in no queue stay without --leaked: docs\/operations\.md#rooms-unaccounted\.\nWould delete 2 rooms and cancel 0 requests/,
    );
    expect((await run("drain", "--leaked")).output).toContain("Would delete 5 rooms and cancel");
    expect((await run("drain", "--keep-pool", "--yes")).exitCode).toBe(0);
    expect(depths()).toEqual([2, 0, 0]);
    expect((await run("drain", "--yes")).output).toMatch(
      /The pool is empty\. 2 rooms will be deleted by the garbage collection\.\n3 rooms .* stay without --leaked(.*\n)*1 room handed out and without a conference/,
    );
    const { output } = await run("drain", "--leaked", "--yes");
    expect(output).toMatch(
      /The pool is empty\. 3 rooms will be deleted .*\n3 of these rooms are marked .* in no queue\.\n/,
    );
    await world.collectGarbageAfter(600);
    expect(world.roomNames().toSorted()).toEqual(["foreign", "in-use", "just-made"]);
    expect((await run("room", "leaked-1")).output).toMatch(/ room-deleted \(ops drain\) +local$/m);
    expect((await run("drain", "--leaked", "--keep-pool")).exitCode).toBe(2);
  });

  test("Ends with 1 and queues no stray room while names in the pool are leased", async () => {
    await world.addPooled("leased", { description: marked("pooled") });
    await world.pool.receive(1, 600);
    const { exitCode, output } = await run("drain", "--yes");
    expect(exitCode).toBe(1);
    expect(output).toContain(
      "0 rooms taken out. 1 name leased or not ready yet, and 0 rooms requested.\nRun the command again in five minutes.\n",
    );
    expect(depths()).toEqual([1, 0, 0]);
  });

  test("Says what it did before it was interrupted, and ends with 130", async () => {
    await fillPool(3);
    const stopping = new AbortController();
    const interrupting = { stopping: stopping.signal, ...onText("1/3", () => stopping.abort()) };
    const { exitCode, output, remarks } = await runWith(interrupting, "drain", "--yes");
    expect(exitCode).toBe(130);
    expect(output).toMatch(/1 room taken out; 2 are still in the pool\.\n$/);
    expect(remarks).toMatch(/\nInterrupted\. It is safe to run the command again\.\n$/);
  });

  test.each([
    [59, 0, "No conference is running in a room of the gateway."],
    [61, 1, "1 conference still running: busy\n"],
  ])(
    "Waits for conferences for minutes: one that ends after %i s ends it with %i",
    async (seconds, ending, found) => {
      world.addRoom("busy", { description: marked("assigned") });
      world.platform.startConference({ name: "busy" });
      const later = onText("0/1", () => {
        world.clock.advance(seconds);
        if (ending === 0) world.platform.endConference({ name: "busy" });
      });
      const args = ["drain", "--keep-pool", "--timeout-minutes", "1"];
      const { exitCode, output } = await runWith(later, ...args);
      expect(exitCode).toBe(ending);
      expect(output).toContain(found);
    },
  );
});

describe("What cannot be told", () => {
  test("ops rooms shows the settings of rooms as unknown if the log has no fingerprint", async () => {
    await fillPool(1);
    fingerprintOfLog = undefined;
    expect((await run("rooms")).output).toMatch(/^room-0 +pooled .* unknown$/m);
  });

  test("ops unaccounted --gateway deletes no room whose live state cannot be read", async () => {
    const ofGone = {
      gateway: "gone",
      state: "assigned",
      since: minutesAgo(48 * 60),
      messageId: "m-1",
    } as const;
    world.addRoom("old", { description: formatMarker(ofGone) });
    // The list of live conferences can be read, the look at one cannot: a role that changed, or a newer platform.
    const pathPattern = "status/v1/conference/.*name=";
    world.platform.addFault({ kind: "status", status: 403, method: "GET", pathPattern });
    const { exitCode } = await run("unaccounted", "--gateway", "gone", "--delete", "--yes");
    expect([exitCode === 0, world.roomNames()]).toEqual([false, ["old"]]);
  });
});

describe("On a running gateway", () => {
  const operated = useOperatedGateway({ MAX_VMR: "6" });

  test("ops fill fills the pool to MAX_VMR, and ends with 3 and one line if storage is down", async () => {
    const { exitCode, output, remarks } = await operated.ops("fill");
    expect(exitCode).toBe(0);
    expect(output).toMatch(
      /^6 rooms requested; the pool has \d of 6, and \d are pending\.\nThe pool is full\./,
    );
    expect(remarks).toMatch(/6\/6 rooms in the pool\n$/);
    operated.storage.setDown(true);
    const failed = await operated.ops("fill");
    expect(failed.exitCode).toBe(3);
    expect(failed.remarks).toMatch(
      /^The storage account closes the connection \(ECONNRESET\): queue count: .*\n$/m,
    );
  });

  test("ops shrink takes only rooms that were not handed out from the pool, and has the collector delete them", async () => {
    await operated.fillPool(6);
    const inUse = (await operated.consumer.createRoom()).name;
    await operated.settled();
    const untried = await operated.ops("shrink", "2");
    expect([untried.exitCode, await operated.queues.pool.count()]).toEqual([0, 6]);
    expect(untried.output).toMatch(
      /^MAX_VMR is 6: a create that finds the pool empty, and bulk create, fill it up again\.\nWould take 4 rooms out of the pool and delete them\. Do it with --yes\.\n$/m,
    );
    const { exitCode, output, remarks } = await operated.ops("shrink", "2", "--yes");
    expect(exitCode).toBe(0);
    expect(output).toContain("4 rooms will be deleted in 0 s to 10 min; 2 are in the pool.\n");
    expect(remarks).toMatch(
      /^On the local gateway .*:\n0\/4 rooms taken out of the pool\n(.*\n)*4\/4 rooms taken out of the pool\n$/,
    );
    const { output: listed } = await operated.ops("rooms");
    expect(listed).toMatch(/^7 rooms: 2 pooled, 1 assigned, 0 live, 4 waiting for deletion\n/);
    const rooms = JSON.parse((await operated.ops("rooms", "--state", "waiting", "--json")).output);
    expect(rooms).toHaveLength(4);
    const [{ name }] = rooms;
    expect((await operated.ops("room", name)).output).toMatch(/Now: waiting for deletion for \d+ s, without/);
    expect((await operated.ops("status")).output).toContain(
      "2 pooled, 5 assigned (4 of them taken out of the pool and waiting for deletion), 0 live conferences\n",
    );
    expect(operated.room(name)?.["description"]).toMatch(
      /^vmr-gateway taken out of the pool by ops shrink\n/,
    );
    await operated.runTimer("collectGarbage");
    expect(operated.stack.platform.rooms()).toHaveLength(3);
    expect(operated.room(inUse)?.["description"]).toMatch(/ assigned /);
    expect((await operated.ops("room", name)).output).toMatch(/ room-deleted \(ops shrink\) +local /);
  });

  test("ops recycle finds the few outdated rooms behind current ones, and releases those", async () => {
    await operated.fillPool(5);
    await operated.poolRoom("old-1", { description: marked("pooled", "00000000") });
    const { exitCode } = await operated.ops("recycle", "--yes", "--floor", "0");
    expect(exitCode).toBe(0);
    expect(await operated.settled()).toBe(6);
    expect((await operated.queues.pool.receive(32, 1)).length).toBe(6);
  });
});
