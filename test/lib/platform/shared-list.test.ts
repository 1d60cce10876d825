/** Lists that callers share, and their deadlines. */
import { beforeEach, expect, test } from "vitest";
import type { PlatformCall, PlatformResponse } from "../../../src/lib/platform/client.ts";
import { createConferences } from "../../../src/lib/platform/conferences.ts";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import { createSharedList, type SharedList } from "../../../src/lib/platform/shared-list.ts";
import {
  createManualClock,
  type ManualClock,
  settlePromises,
} from "../../../tools/simulators/memory/clock.ts";

/** A call that waits for its response, with the rooms that the platform had when it arrived. */
interface HeldCall {
  readonly startBefore: number | undefined;
  readonly respond: (next?: string) => void;
  readonly fail: () => void;
}

let clock: ManualClock;
let timeouts: (AbortSignal | undefined)[];
let sharedList: SharedList;
let rooms: { id: number; name: string }[];
let calls: HeldCall[];
beforeEach(() => {
  clock = createManualClock();
  timeouts = [];
  rooms = [{ id: 1, name: "room-1" }];
  calls = [];
  const call = async ({ startBefore }: PlatformCall): Promise<PlatformResponse> => {
    const objects = rooms;
    return new Promise((resolve, reject) => {
      calls.push({
        startBefore,
        respond: (next) => resolve({ body: { meta: { next }, objects } }),
        fail: () => reject(new PlatformError({ outcome: "unknown", status: 500, message: "x" })),
      });
    });
  };
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    timeouts.push(signal);
    return clock.sleep(milliseconds, signal);
  };
  sharedList = createSharedList(createConferences({ call }), { ...clock, sleep });
});

async function nextCall(): Promise<HeldCall> {
  await settlePromises();
  const call = calls.shift();
  if (!call) throw new Error("no call was sent");
  return call;
}
const list = async () => (await sharedList.list()).map(({ name }) => name);
const outcomeOf = async () => list().catch((error: unknown) => error);

test("Requests that arrive while a list is read share the next one, so none misses a deletion before it", async () => {
  const first = list();
  const firstCall = await nextCall();
  const others = [list(), list(), list()];
  rooms = [{ id: 2, name: "room-2" }];
  firstCall.respond();
  expect(await first).toEqual(["room-1"]);
  const nextOne = await nextCall();
  const last = list();
  await settlePromises();
  expect(calls).toEqual([]);
  nextOne.respond();
  for (const names of await Promise.all(others)) expect(names).toEqual(["room-2"]);
  (await nextCall()).respond();
  expect(await last).toEqual(["room-2"]);
});

test("A request gets a list of its own if the one before it has failed", async () => {
  const first = outcomeOf();
  const firstCall = await nextCall();
  const second = list();
  firstCall.fail();
  expect(await first).toMatchObject({ platformStatus: 500 });
  (await nextCall()).respond();
  expect(await second).toEqual(["room-1"]);
});

test("No page of a list is requested later than 60 s after the list", async () => {
  const startBefore = clock.now() + 60_000;
  const rows = list();
  const first = await nextCall();
  expect(first.startBefore).toBe(startBefore);
  first.respond("/api/admin/configuration/v1/conference/?offset=1");
  clock.advance(30);
  const second = await nextCall();
  expect(second.startBefore).toBe(startBefore);
  second.respond();
  await rows;
  // No timer is left behind.
  expect(timeouts.map((timeout) => timeout?.aborted)).toEqual([true]);
});

test("A list fails with Retry-After if it is not complete after 60 s", async () => {
  let outcome: unknown;
  void outcomeOf().then((ended) => {
    outcome = ended;
  });
  await nextCall();
  clock.advance(59.9);
  await settlePromises();
  expect(outcome).toBeUndefined();
  clock.advance(0.1);
  await settlePromises();
  expect(outcome).toMatchObject({
    code: "platform-timeout",
    outcome: "not-sent",
    message: "list of conferences: not complete after 60 s",
    details: { retryAfterSeconds: 5 },
  });
});
