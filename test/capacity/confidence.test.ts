/** The interval of a simulated share: its width, and how often it contains the truth. */
import { expect, test } from "vitest";
import { estimateShare } from "../../capacity/confidence.ts";
import { emptyShare } from "../../capacity/erlang.ts";
import { createSeededRandom } from "../../tools/local/process/seeded-random.ts";

const blocks = (count: number, empty: number) => Array.from({ length: count }, () => empty);

test("Equals Wilson's interval if callers are independent", () => {
  // 10 of 1,000: https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval gives 0.00544 to 0.01831.
  const { share, low, high } = estimateShare(1000, blocks(10, 1), 0);
  expect(share).toBe(0.01);
  expect(low).toBeCloseTo(0.005_44, 5);
  expect(high).toBeCloseTo(0.018_31, 5);
});

test("Contains 0 and a bound above it if no caller found the pool empty", () => {
  const { low, high } = estimateShare(100_000, blocks(20, 0), 0);
  expect(low).toBe(0);
  expect(high).toBeCloseTo(3.84 / 100_000, 6);
});

test("Is wider if the pool is loaded higher, because empty pools then come in larger groups", () => {
  const width = (loadPerRoom: number): number => {
    const { low, high } = estimateShare(100_000, blocks(20, 5), loadPerRoom);
    return high - low;
  };
  expect(width(0.5)).toBeGreaterThan(width(0));
  expect(width(0.8)).toBeGreaterThan(width(0.5));
});

test("Is wider if the blocks differ", () => {
  const even = estimateShare(100_000, blocks(20, 5), 0.5);
  const uneven = estimateShare(100_000, [100, ...blocks(19, 0)], 0.5);
  expect(uneven.share).toBe(even.share);
  expect(uneven.high).toBeGreaterThan(even.high);
});

/** An Erlang loss system with a fixed lead time of one: the number of callers who find no room, by block. */
function simulateLosses(rooms: number, load: number, callers: number, seed: number): number[] {
  const random = createSeededRandom(seed);
  const back: number[] = [];
  const lost = blocks(20, 0);
  let now = 0;
  for (let caller = 0; caller < callers; caller++) {
    now += -Math.log(1 - random.next()) / load;
    while ((back[0] ?? Number.POSITIVE_INFINITY) <= now) back.shift();
    const block = Math.floor((caller * lost.length) / callers);
    if (back.length < rooms) back.push(now + 1);
    else lost[block] = (lost[block] ?? 0) + 1;
  }
  return lost;
}

test("Contains the formula's share in about 95 of 100 runs of a loss system", () => {
  const [rooms, load, callers] = [20, 12, 5000] as const;
  const truth = emptyShare(rooms, load);
  const hits = Array.from({ length: 400 }, (_, seed) =>
    estimateShare(callers, simulateLosses(rooms, load, callers, seed), load / rooms),
  ).filter(({ low, high }) => low <= truth && truth <= high).length;
  expect(hits / 400).toBeGreaterThan(0.93);
  expect(hits / 400).toBeLessThan(1);
});
