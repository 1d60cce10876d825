/** `ops fill` and `ops redrive` on queues in memory: single failed operations, and messages that reappear. */
import { beforeEach, describe, expect, test } from "vitest";
import { createManualClock, type ManualClock } from "../../simulators/memory/clock.ts";
import { createMemoryQueue, type MemoryQueue } from "../../simulators/memory/queue.ts";
import type { Target } from "../target/target.ts";
import { memoryTarget } from "./memory-target.ts";
import { type OpsOptions, ops } from "./operated-gateway.ts";

const request = '{"reason":"claimed"}';

let clock: ManualClock;
let poison: MemoryQueue;
let provisioning: MemoryQueue;

beforeEach(() => {
  clock = createManualClock();
  poison = createMemoryQueue(clock);
  provisioning = createMemoryQueue(clock);
});

const run = async (target: Target, args: readonly string[], options: OpsOptions = {}) =>
  ops(args, { ...options, connect: async () => target });

describe("ops fill", () => {
  const fill = async (options: OpsOptions, ...args: string[]) =>
    run(memoryTarget({ queues: { ...memoryTarget().queues, provisioning } }), ["fill", ...args], options);

  test("Requests the rooms that a level lacks, and counts pending requests", async () => {
    const withoutWaiting = ["3", "--timeout-minutes", "0"];
    expect(await fill({}, ...withoutWaiting)).toMatchObject({
      exitCode: 0,
      output: "3 rooms requested; the pool has 0 of 3, and 3 are pending.\n",
    });
    expect((await fill({}, ...withoutWaiting)).output).toMatch(/^0 rooms requested;/);
  });

  test("Ends with 130 and keeps the requests if it is interrupted while no room is provisioned", async () => {
    const stopping = new AbortController();
    const onText = (text: string) => {
      if (text.startsWith("2 rooms requested")) stopping.abort();
    };
    expect(await fill({ stopping: stopping.signal, onText }, "2")).toMatchObject({ exitCode: 130 });
    expect(provisioning.texts()).toHaveLength(2);
  });

  test("Says once, after ten seconds without progress, why no room is provisioned", async () => {
    const stopping = new AbortController();
    const failed = { event: "provisioning-failed", failure: "platform-login-refused", platformStatus: 401 };
    let reads = 0;
    const log = {
      ...memoryTarget().log,
      lines: async () => {
        reads += 1;
        if (reads === 3) stopping.abort();
        return [{ time: "", fields: reads === 1 ? { event: "room-provisioned" } : failed }];
      },
    };
    const target = memoryTarget({ log, queues: { ...memoryTarget().queues, provisioning } });
    const startedAt = target.clock.now();
    const { remarks } = await run(target, ["fill", "2"], { stopping: stopping.signal });
    expect(remarks.match(/No progress.*/g)).toEqual([
      "No progress: the platform refuses the login (401). See docs/operations.md#provisioning-failing.",
    ]);
    expect(target.clock.now() - startedAt).toBe(12_000);
  });
});

describe("ops redrive", () => {
  const redrive = async (...args: string[]) =>
    run(memoryTarget({ queues: { ...memoryTarget().queues, provisioning, poison } }), ["redrive", ...args]);

  test("Puts a request back so that the pool does not exceed MAX_VMR", async () => {
    await poison.put(request);
    expect(await redrive("--yes")).toMatchObject({ exitCode: 0 });
    const { maxRooms } = memoryTarget().settings.pool;
    expect(provisioning.texts().map((text) => JSON.parse(text))).toEqual([
      { reason: "bulk", upTo: maxRooms },
    ]);
  });

  test("Keeps a message that is not a request, unless --drop-unreadable is given", async () => {
    for (const text of [request, '{"reason":"bulk","upTo":6}', "poison"]) await poison.put(text);
    expect(await redrive("--yes")).toMatchObject({
      exitCode: 1,
      output:
        "3 messages in the poison queue.\n2 requests moved.\n" +
        "1 message left that cannot be read as a request. --drop-unreadable deletes such messages.\n",
    });
    expect(await redrive("--yes", "--drop-unreadable")).toMatchObject({
      exitCode: 0,
      output: "1 message in the poison queue.\n0 requests moved. 1 unreadable message deleted.\n",
    });
    expect(provisioning.texts()).toHaveLength(2);
  });

  test("Moves nothing without --yes, and ends with 0 if the queue is empty", async () => {
    expect(await redrive()).toMatchObject({ exitCode: 0, output: "0 messages in the poison queue.\n" });
    await poison.put(request);
    await poison.put("not a request");
    expect(await redrive()).toMatchObject({
      exitCode: 1,
      output:
        "2 messages in the poison queue.\nWould move 1 request back to the provisioning queue. Do it with --yes. 1 cannot be read as a request.\n",
    });
    expect(poison.contents().filter(({ visibleAt }) => visibleAt <= clock.now())).toHaveLength(2);
  });

  test("Reports messages that another run has leased, and ends with 1", async () => {
    for (let message = 0; message < 2; message++) await poison.put(request);
    await poison.receive(1, 60);
    await poison.put("not a request");
    expect(await redrive("--yes")).toMatchObject({
      exitCode: 1,
      output:
        "3 messages in the poison queue.\n1 request moved.\n" +
        "1 message left that cannot be read as a request. --drop-unreadable deletes such messages.\n" +
        "1 message leased by another run. Run the command again in a minute.\n",
    });
    expect([poison.texts().length, provisioning.texts().length]).toEqual([2, 1]);
  });

  test("Ends with 1 if another run has leased the only message", async () => {
    await poison.put(request);
    await poison.receive(1, 60);
    expect(await redrive("--yes")).toMatchObject({ exitCode: 1 });
  });

  test("Prints its counts as JSON with --json", async () => {
    for (const text of [request, "poison"]) await poison.put(text);
    const counts = { depth: 2, requests: 1, dropped: 0, unreadable: 1 };
    expect(JSON.parse((await redrive("--json")).output)).toEqual({ isDryRun: true, ...counts, left: 2 });
    const done = await redrive("--json", "--yes");
    expect(JSON.parse(done.output)).toEqual({ isDryRun: false, ...counts, left: 1 });
  });

  test("Keeps a message whose request could not be put back", async () => {
    await poison.put(request);
    provisioning.strikeNext("put", { failure: "unknown" });
    expect(await redrive("--yes")).toMatchObject({ exitCode: 3 });
    expect(poison.texts()).toEqual([request]);
  });

  test("Ends with 1 without moving the next message if a message cannot be deleted", async () => {
    for (let message = 0; message < 2; message++) await poison.put(request);
    for (let attempt = 0; attempt < 2; attempt++) poison.strikeNext("delete", { failure: "unknown" });
    const { exitCode, remarks } = await redrive("--yes");
    expect(exitCode).toBe(1);
    expect(remarks).toContain("a message could not be deleted from the poison queue");
    expect([poison.texts().length, provisioning.texts().length]).toEqual([2, 1]);
  });

  test("Ends even if an unreadable message becomes visible again while it receives", async () => {
    for (let message = 0; message < 3; message++) await poison.put("not a request");
    poison.strikeNext("receive", {});
    poison.strikeNext("receive", { meanwhile: () => clock.advance(16) });
    const { exitCode, output } = await redrive("--yes");
    expect(exitCode).toBe(1);
    expect(output).toContain("0 requests moved.\n");
    expect(poison.calls.filter((operation) => operation === "receive")).toHaveLength(2);
    expect(poison.contents().filter(({ visibleAt }) => visibleAt > clock.now())).toEqual([]);
  });
});
