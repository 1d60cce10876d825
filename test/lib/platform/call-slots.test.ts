/** Which call starts next. */
import { beforeEach, expect, test } from "vitest";
import { type CallClass, type CallSlots, createCallSlots } from "../../../src/lib/platform/call-slots.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

let clock: ManualClock;
let slots: CallSlots;
let limit: number;
let pausedUntil: number;
let started: string[];
let finish: (() => void)[];
beforeEach(() => {
  clock = createManualClock();
  limit = 4;
  pausedUntil = 0;
  started = [];
  finish = [];
  slots = createCallSlots({ current: () => limit, pausedUntil: () => pausedUntil }, clock);
});

/** Adds tasks that run until `finishNext`. */
function add(callClass: CallClass, times: number): void {
  for (let task = 0; task < times; task++) {
    void slots.run(callClass, async () => {
      started.push(callClass);
      await new Promise<void>((resolve) => void finish.push(resolve));
    });
  }
}
async function finishNext(times = 1): Promise<void> {
  for (let task = 0; task < times; task++) {
    finish.shift()?.();
    await new Promise(setImmediate);
  }
}

test("As many tasks run as the limit allows, and more once it rises", async () => {
  add("caller", 10);
  expect(started).toHaveLength(4);
  limit = 6;
  await finishNext();
  expect(started).toHaveLength(7);
});

test("No task starts above a limit that has fallen, until enough have ended", async () => {
  add("caller", 10);
  limit = 2;
  await finishNext(2);
  expect(started).toHaveLength(4);
  await finishNext();
  expect(started).toHaveLength(5);
});

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [10, 8],
])("With a limit of %i, at most %i tasks run in the background", (current, running) => {
  limit = current;
  add("background", 10);
  add("list", 10);
  expect(started).toHaveLength(running);
  add("caller", 10);
  expect(started).toHaveLength(current);
});

test("Callers start before background tasks that have waited longer", async () => {
  limit = 1;
  add("caller", 1);
  add("background", 2);
  add("list", 2);
  add("caller", 2);
  await finishNext(7);
  expect(started).toEqual(["caller", "caller", "caller", "list", "background", "list", "background"]);
});

test("Lists take turns with background tasks, however many of those wait", async () => {
  limit = 1;
  add("background", 100);
  add("list", 3);
  await finishNext(6);
  expect(started).toEqual(["background", "list", "background", "list", "background", "list", "background"]);
});

test("Background tasks use the turns of lists while there are none", async () => {
  limit = 1;
  add("background", 4);
  await finishNext(3);
  expect(started).toHaveLength(4);
});

test("A task that throws frees its slot", async () => {
  limit = 1;
  const failure = new Error("x");
  await expect(slots.run("caller", async () => Promise.reject(failure))).rejects.toBe(failure);
  await expect(slots.run("caller", async () => 5)).resolves.toBe(5);
});

test("No task starts during a pause; all that may start do so at its end", async () => {
  const { promise: sleep, resolve: wake } = Promise.withResolvers<void>();
  const sleeps: number[] = [];
  const pausedClock = {
    now: () => clock.now(),
    sleep: async (milliseconds: number) => {
      sleeps.push(milliseconds);
      await sleep;
    },
  };
  slots = createCallSlots({ current: () => limit, pausedUntil: () => pausedUntil }, pausedClock);
  pausedUntil = clock.now() + 3000;
  add("caller", 10);
  await new Promise(setImmediate);
  expect([started.length, sleeps]).toEqual([0, [3000]]);
  clock.advance(3);
  wake();
  await new Promise(setImmediate);
  expect(started).toHaveLength(4);
});

test("A pause that grows while tasks wait is respected", async () => {
  const startedAt = clock.now();
  pausedUntil = startedAt + 3000;
  const run = slots.run("caller", async () => clock.now() - startedAt);
  pausedUntil = startedAt + 5000;
  expect(await run).toBe(5000);
});

test("The number of waiting tasks is known by class", () => {
  add("caller", 6);
  add("list", 3);
  expect([slots.waiting("caller"), slots.waiting("list"), slots.waiting("background")]).toEqual([2, 3, 0]);
});
