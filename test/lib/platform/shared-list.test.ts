/** Lists that callers share, and their deadlines. */
import { beforeEach, expect, test } from "vitest";
import { PlatformBusyError } from "../../../src/lib/platform/client.ts";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import { createSharedList, type SharedList } from "../../../src/lib/platform/shared-list.ts";
import {
  createVirtualClock,
  settlePromises,
  type VirtualClock,
} from "../../../tools/simulators/memory/clock.ts";

/** A list that is being read, with the rooms that the platform had when it began. */
interface HeldList {
  readonly secondsLeft: number;
  readonly respond: () => void;
  readonly fail: () => void;
}

let clock: VirtualClock;
let sharedList: SharedList;
let rooms: readonly ConferenceRow[];
let lists: HeldList[];
beforeEach(() => {
  clock = createVirtualClock({ integerBelow: () => 0 });
  rooms = [{ id: 1, name: "room-1" }];
  lists = [];
  const list = async ({ startBefore = Number.NaN } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<ConferenceRow[]>();
    const rows = [...rooms];
    lists.push({
      secondsLeft: (startBefore - clock.now()) / 1000,
      respond: () => resolve(rows),
      fail: () => reject(new Error("the platform failed")),
    });
    return promise;
  };
  sharedList = createSharedList({ list }, clock);
});

async function nextList(): Promise<HeldList> {
  await settlePromises();
  const list = lists.shift();
  if (!list) throw new Error("no list was begun");
  return list;
}
const list = async () => (await sharedList.list()).map(({ name }) => name);

test("Requests that arrive while a list is read share the next one, so none misses a deletion before it", async () => {
  const first = list();
  const firstList = await nextList();
  const others = [list(), list(), list()];
  rooms = [{ id: 2, name: "room-2" }];
  firstList.respond();
  expect(await first).toEqual(["room-1"]);
  const secondList = await nextList();
  const last = list();
  await settlePromises();
  expect(lists).toEqual([]);
  secondList.respond();
  for (const names of await Promise.all(others)) expect(names).toEqual(["room-2"]);
  (await nextList()).respond();
  expect(await last).toEqual(["room-2"]);
  // No timer is left behind.
  expect(clock.dueTimes()).toEqual([]);
});

test("A request gets a list of its own if the one before it has failed", async () => {
  const first = list().catch((error: unknown) => error);
  const firstList = await nextList();
  const second = list();
  firstList.fail();
  expect(await first).toBeInstanceOf(Error);
  (await nextList()).respond();
  expect(await second).toEqual(["room-1"]);
});

test("Lists that failed do not count as waiting", async () => {
  for (let count = 0; count < 20; count++) {
    const failed = list().catch((error: unknown) => error);
    (await nextList()).fail();
    expect(await failed).not.toBeInstanceOf(PlatformBusyError);
  }
  const later = list();
  (await nextList()).respond();
  expect(await later).toEqual(["room-1"]);
});

test("Each list has 60 s from its own start, however long the one before took", async () => {
  const first = list();
  const firstList = await nextList();
  const second = list();
  await clock.advance(50_000);
  firstList.respond();
  await first;
  const secondList = await nextList();
  expect([firstList.secondsLeft, secondList.secondsLeft]).toEqual([60, 60]);
  secondList.respond();
  await second;
});

test("At most 20 callers wait for lists; another one is refused at once, and the next after the lists are read", async () => {
  const waiting = Array.from({ length: 20 }, list);
  await expect(list()).rejects.toBeInstanceOf(PlatformBusyError);
  (await nextList()).respond();
  await settlePromises();
  for (const held of lists.splice(0)) held.respond();
  await Promise.all(waiting);
  const later = list();
  (await nextList()).respond();
  expect(await later).toEqual(["room-1"]);
});
