/** Who gets a slot, who gives way, and who is refused. */
import { beforeEach, describe, expect, test } from "vitest";
import { createSlots, type Priority } from "../../../src/lib/platform/slots.ts";
import {
  createVirtualClock,
  settlePromises,
  type VirtualClock,
} from "../../../tools/simulators/memory/clock.ts";
import { createSeededRandom } from "../../../tools/simulators/memory/seeded-random.ts";

const ceiling = 8;
let clock: VirtualClock;
let slots: ReturnType<typeof createSlots>;
beforeEach(() => {
  clock = createVirtualClock(createSeededRandom(1));
  slots = createSlots(clock);
  slots.setMax(ceiling);
});

const inSeconds = (seconds: number) => clock.now() + seconds * 1000;

describe("Background calls", () => {
  test.each([
    [8, 6],
    [3, 1],
    [2, 1],
  ])("take of a limit of %i calls %i", async (limit, inBackground) => {
    slots.setMax(limit);
    const asked = Array.from({ length: ceiling }, async () => slots.take("background", inSeconds(1)));
    await clock.advance(1000);
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(inBackground);
  });

  const callersFirst = ["claim 1", "caller 1", "claim 2", "caller 2", "background"];
  const inTurns = ["claim 1", "caller 1", "claim 2", "background", "caller 2"];

  /**
   * Fills three slots, lets more work arrive and time pass, and returns in which order that work gets the first slot.
   */
  async function orderAfter(pass: () => Promise<unknown>): Promise<string[]> {
    const take = async (kind: Parameters<typeof slots.take>[0]) => slots.take(kind, inSeconds(9));
    const taken = await Promise.all([take("caller"), take("caller"), take("background")]);
    const served: string[] = [];
    const serve = (name: string, waiting: Promise<Disposable | undefined>) =>
      void waiting.then((slot) => {
        served.push(name);
        slot?.[Symbol.dispose]();
      });
    serve("caller 1", take("caller"));
    serve("background", take("background"));
    serve("caller 2", take("caller"));
    for (const claim of [1, 2]) serve(`claim ${claim}`, take("claim"));
    await pass();
    for (const slot of taken.toReversed()) slot?.[Symbol.dispose]();
    await settlePromises();
    return served;
  }

  test.each([
    ["callers in the first two seconds of a rush", async () => clock.advance(1999), callersFirst],
    ["nobody later, but take turns with claims", async () => clock.advance(2000), inTurns],
    ["nobody after a clock was set back", async () => clock.elapse(-3_600_000), inTurns],
  ])("give way to %s", async (_, pass, order) => {
    slots.setMax(3);
    expect(await orderAfter(pass)).toEqual(order);
  });

  test("give way again in the next rush, even if some of them have waited for others in the background", async () => {
    slots.setMax(3);
    await orderAfter(async () => clock.advance(3000));
    const take = async (priority: Priority) => slots.take(priority, inSeconds(9));
    const first = await take("background");
    const second = take("background");
    await clock.advance(3000);
    await Promise.all([take("caller"), take("caller")]);
    const third = take("caller");
    first?.[Symbol.dispose]();
    expect(await Promise.race([second.then(() => "background"), third.then(() => "caller")])).toBe("caller");
  });
});

describe("A call that waits for a slot", () => {
  const takeAll = async () =>
    Promise.all(Array.from({ length: ceiling }, async () => slots.take("caller", inSeconds(1))));

  test("gets none after its deadline, even if one is free, and leaves its turn to the next one", async () => {
    const [slot] = await takeAll();
    const late = slots.take("caller", inSeconds(1));
    const next = slots.take("caller", inSeconds(9));
    await clock.advance(2000);
    slot?.[Symbol.dispose]();
    expect(await late).toBeUndefined();
    expect(await next).toBeDefined();
    slot?.[Symbol.dispose]();
    expect(await slots.take("caller", clock.now())).toBeUndefined();
  });

  test.each(["caller", "background", "claim"] as const)(
    "leaves its place to later ones if it got no slot: a %s",
    async (kind) => {
      slots.setMax(1);
      const take = async () => slots.take(kind, inSeconds(1));
      const slot = await slots.take("caller", inSeconds(1));
      for (let call = 0; call < 5; call++) {
        const late = take();
        await clock.advance(1000);
        expect(await late).toBeUndefined();
      }
      slot?.[Symbol.dispose]();
      expect(await take()).toBeDefined();
    },
  );

  test("gets one as soon as the limit rises", async () => {
    slots.setMax(ceiling / 2);
    for (let call = 0; call < ceiling / 2; call++) await slots.take("caller", inSeconds(9));
    const waiting = slots.take("caller", inSeconds(9));
    slots.setMax(ceiling);
    await clock.advance(9000);
    expect(await waiting).toBeDefined();
  });

  test("leaves no timer behind when it gets its slot", async () => {
    const [slot] = await takeAll();
    const next = slots.take("caller", inSeconds(9));
    slot?.[Symbol.dispose]();
    await next;
    await settlePromises();
    expect(clock.dueTimes()).toEqual([]);
  });
});

describe("Callers who would wait too long", () => {
  let workSeconds = { claim: 1, caller: 1 };
  beforeEach(() => {
    workSeconds = { claim: 1, caller: 1 };
  });

  /** Does one unit of work, and returns whether it got a slot. */
  async function work(kind: "claim" | "caller"): Promise<boolean> {
    using slot = await slots.take(kind, inSeconds(12.5));
    if (slot) await clock.sleep(workSeconds[kind] * 1000);
    return slot !== undefined;
  }
  const start = (count: number, ...input: Parameters<typeof work>) =>
    Array.from({ length: count }, async () => work(...input));
  /** Returns how many of these get a slot. */
  async function served(works: readonly Promise<boolean>[]): Promise<number> {
    await clock.advance(60_000);
    return (await Promise.all(works)).filter(Boolean).length;
  }

  async function countRefused(works: readonly Promise<boolean>[]): Promise<number> {
    await settlePromises();
    const states = works.map(async (ends) => Promise.race([ends, Promise.resolve("waits")]));
    return (await Promise.all(states)).filter((state) => state === false).length;
  }

  test.each([
    ["claim", ceiling],
    ["caller", ceiling / 2],
  ] as const)(
    "are refused: a %s, by the average time of those ahead, with a limit of %i",
    async (kind, limit) => {
      slots.setMax(limit);
      expect(await served(start(5 * limit, kind))).toBe(5 * limit);
      const works = start(100, kind);
      const refused = await countRefused(works);
      expect(refused).toBeGreaterThan(100 - limit * 10);
      // As many at work as the limit says, and for eight seconds as many more in each.
      expect(refused).toBeLessThanOrEqual(100 - limit * 8);
      expect(await served(works)).toBe(100 - refused);
    },
  );

  test.each(["claim", "caller"] as const)(
    "are not refused because one unit of work was slow: a %s",
    async (kind) => {
      workSeconds[kind] = 3;
      await served(start(1, kind));
      workSeconds[kind] = 0.04;
      expect(await served(start(100, kind))).toBe(100);
    },
  );

  test("are counted in both lines", async () => {
    workSeconds.caller = 3;
    await served([...start(4 * ceiling, "claim"), ...start(4 * ceiling, "caller")]);
    const claims = start(30, "claim");
    expect(await countRefused(claims)).toBe(0);
    const reads = start(60, "caller");
    // With as many claims of a second as reads of three ahead, 17 reads wait for eight seconds at most.
    const refused = await countRefused(reads);
    expect(refused).toBe(60 - 17);
    expect(await served([...claims, ...reads])).toBe(90 - refused);
  });

  /** Does background work of this duration for two minutes, as many units at once as bulk delete has. */
  function workInBackground(seconds: number): void {
    const end = clock.now() + 120_000;
    const workOn = async () => {
      while (clock.now() < end) {
        using slot = await slots.take("background", inSeconds(300));
        if (slot) await clock.sleep(seconds * 1000);
      }
    };
    for (let unit = 0; unit < 16; unit++) void workOn();
  }

  test.each([0.4, 4, 20])(
    "are not refused beside slots that are left to them, however much background work of %d s waits",
    async (seconds) => {
      slots.setMax(5);
      workInBackground(seconds);
      await clock.advance(60_000);
      for (let second = 0; second < 30; second++) {
        const arrivedAt = clock.now();
        const slot = await slots.take(second % 2 === 0 ? "caller" : "claim", inSeconds(10));
        expect([slot !== undefined, clock.now() - arrivedAt]).toEqual([true, 0]);
        slot?.[Symbol.dispose]();
        await clock.advance(1000);
      }
    },
  );

  test.each([
    ["claim", 5, 2, 2, 10],
    ["caller", 5, 2, 2, 10],
    ["caller", 3, 2, 2, 8],
    ["claim", 12, 4, 4, 12],
    ["caller", 12, 0.5, 9, 30],
    // The only slot is not left to callers.
    ["caller", 1, 2, 2, 0],
  ] as const)(
    "are those who would wait for more than 8 s: a %s, with a limit of %i and %d s for each, behind background work of %i s",
    async (kind, limit, seconds, backgroundSeconds, least) => {
      slots.setMax(limit);
      workSeconds = { claim: seconds, caller: seconds };
      await served(start(5 * limit, kind));
      workInBackground(backgroundSeconds);
      await clock.advance(20_000);
      const waits: number[] = [];
      const arrivedAt = clock.now();
      const works = Array.from({ length: 60 }, async () => {
        using slot = await slots.take(kind, inSeconds(60));
        if (!slot) return;
        waits.push((clock.now() - arrivedAt) / 1000);
        await clock.sleep(seconds * 1000);
      });
      await clock.advance(60_000);
      await Promise.all(works);
      expect(waits.length).toBeGreaterThanOrEqual(least);
      // One unit in a slot ends first.
      expect(Math.max(0, ...waits)).toBeLessThanOrEqual(8 + seconds);
    },
  );
});

test("In 250 random histories, nobody waits or is refused while a slot is free for them, and everybody ends", async () => {
  const kinds = ["claim", "caller", "background"] as const;
  const refusedBesideFreeSlots: number[] = [];
  for (let seed = 1; seed <= 250; seed++) {
    const random = createSeededRandom(seed);
    clock = createVirtualClock(random);
    slots = createSlots(clock);
    const max = 1 + random.integerBelow(12);
    slots.setMax(max);
    const waiting = { claim: 0, caller: 0, background: 0 };
    const working = { claim: 0, caller: 0, background: 0 };
    const callersOf = ({ claim, caller }: typeof waiting) => claim + caller;
    const isFree = () => callersOf(working) + working.background < max;
    const unitMilliseconds = 50 + random.integerBelow(3000);

    async function work(kind: (typeof kinds)[number]): Promise<void> {
      const arrivedAt = clock.now();
      const hasSlot = isFree() && callersOf(waiting) === 0;
      waiting[kind] += 1;
      using slot = await slots.take(kind, inSeconds(kind === "background" ? 300 : 10));
      waiting[kind] -= 1;
      if (!slot) {
        if (hasSlot && clock.now() === arrivedAt) refusedBesideFreeSlots.push(seed);
        return;
      }
      working[kind] += 1;
      await clock.sleep(unitMilliseconds * (0.5 + random.integerBelow(1000) / 1000));
      working[kind] -= 1;
    }

    const works: Promise<void>[] = [];
    for (let step = 0; step < 60; step++) {
      const count = random.integerBelow(random.integerBelow(4) === 0 ? 30 : 3);
      const kind = kinds[random.integerBelow(3)] ?? "claim";
      for (let each = 0; each < count; each++) works.push(work(kind));
      await clock.advance(random.integerBelow(unitMilliseconds));
      const mayWork = working.background < Math.max(1, max - 2) ? waiting.background : 0;
      expect(isFree() && callersOf(waiting) + mayWork > 0, `seed ${seed}`).toBe(false);
    }
    await clock.advance(600_000);
    await Promise.all(works);
  }
  expect(refusedBesideFreeSlots).toEqual([]);
});
