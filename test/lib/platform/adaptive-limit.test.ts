/** The limit on calls in flight: how it rises, falls and pauses. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  type AdaptiveLimit,
  createAdaptiveLimit,
  type EndedCall,
} from "../../../src/lib/platform/adaptive-limit.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

const ceiling = 8;

let clock: ManualClock;
let limit: AdaptiveLimit;
beforeEach(() => {
  clock = createManualClock();
  // The greatest possible pauses, to within half a millisecond.
  limit = createAdaptiveLimit(ceiling, clock, {
    bytes: () => new Uint8Array(),
    integerBelow: (max) => max - 1,
  });
});

/** Lets a call begin now and end after `seconds`. */
function finish(ending: EndedCall["ending"], seconds = 0, changes: Partial<EndedCall> = {}): void {
  const startedAt = clock.now();
  clock.advance(seconds);
  limit.learn({ kind: "GET", startedAt, timeoutSeconds: 10, ending, ...changes });
}
function succeed(times: number, seconds = 0.1): void {
  for (let call = 0; call < times; call++) finish("success", seconds);
}
const pauseSeconds = () => (limit.pausedUntil() - clock.now()) / 1000;

describe("The adaptive limit", () => {
  test("starts at one call, so new instances together do not flood the platform", () => {
    expect(limit.current()).toBe(1);
  });

  test("rises by one call per round of successful calls, up to the ceiling", () => {
    const seen: number[] = [];
    for (let round = 0; round < 9; round++) {
      succeed(limit.current());
      seen.push(limit.current());
    }
    expect(seen).toEqual([2, 2, 3, 4, 5, 5, 6, 7, 8].map((value) => expect.closeTo(value, -0.5)));
    succeed(100);
    expect(limit.current()).toBe(ceiling);
  });

  test.each(["throttled", "timeout"] as const)("is halved by a call that ended as %s", (ending) => {
    succeed(100);
    finish(ending, 0.1);
    expect(limit.current()).toBe(4);
  });

  test("falls by a quarter if latency doubles, and recovers with it", () => {
    succeed(100);
    finish("success", 1);
    expect(limit.current()).toBe(6);
    succeed(200);
    expect(limit.current()).toBe(ceiling);
  });

  test("falls if a call takes more than a quarter of its timeout, even if calls always have", () => {
    succeed(100, 2.4);
    expect(limit.current()).toBe(ceiling);
    finish("success", 2.6);
    expect(limit.current()).toBe(6);
    finish("success", 2.6, { timeoutSeconds: 30 });
    expect(limit.current()).toBe(6);
  });

  test("never falls below one call", () => {
    for (let call = 0; call < 20; call++) finish("timeout", 1);
    expect(limit.current()).toBe(1);
  });

  test("falls once for all calls that were in flight together", () => {
    succeed(100);
    const startedAt = clock.now();
    clock.advance(1);
    for (let call = 0; call < 5; call++) {
      limit.learn({ kind: "GET", startedAt, timeoutSeconds: 1, ending: "timeout" });
      clock.advance(0.1);
    }
    expect(limit.current()).toBe(4);
  });

  test("does not change if a call failed for a reason that has nothing to do with load", () => {
    succeed(100);
    finish("other", 5);
    expect(limit.current()).toBe(ceiling);
    expect(limit.pausedUntil()).toBeLessThanOrEqual(clock.now());
  });
});

describe("The pause after a 429", () => {
  test.each([
    [7, 7],
    [15, 15],
    [3600, 15],
  ])("is %i s long in Retry-After and %i s in fact", (retryAfterSeconds, seconds) => {
    finish("throttled", 0, { retryAfterSeconds });
    expect(pauseSeconds()).toBe(seconds);
  });

  test("doubles with each round without Retry-After, up to 15 s, and starts again after a success", () => {
    const pauses: number[] = [];
    for (let round = 0; round < 6; round++) {
      finish("throttled");
      pauses.push(Math.round(pauseSeconds()));
      clock.advance(pauseSeconds());
    }
    expect(pauses).toEqual([1, 2, 4, 8, 15, 15]);
    succeed(1);
    finish("throttled");
    expect(Math.round(pauseSeconds())).toBe(1);
  });

  test("is not prolonged by other calls of the same round", () => {
    const startedAt = clock.now();
    clock.advance(1);
    for (let call = 0; call < 5; call++)
      limit.learn({ kind: "GET", startedAt, timeoutSeconds: 10, ending: "throttled" });
    expect(Math.round(pauseSeconds())).toBe(1);
  });

  test("is random without Retry-After, from half to the whole", () => {
    const shortest = createAdaptiveLimit(ceiling, clock, {
      bytes: () => new Uint8Array(),
      integerBelow: () => 0,
    });
    shortest.learn({ kind: "GET", startedAt: clock.now(), timeoutSeconds: 10, ending: "throttled" });
    expect(shortest.pausedUntil() - clock.now()).toBe(500);
  });
});
