/** Latency compared with the best recent latency of the same kind of call. */
import { beforeEach, expect, test } from "vitest";
import { createLatencies, type Latencies } from "../../../src/lib/platform/latencies.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

let clock: ManualClock;
let latencies: Latencies;
beforeEach(() => {
  clock = createManualClock();
  latencies = createLatencies(clock);
});
const add = (milliseconds: number, times = 1, kind = "GET") =>
  Array.from({ length: times }, () => latencies.isRising(kind, milliseconds)).at(-1);

test("Latency is rising if calls take more than twice as long as at their best", () => {
  expect(add(200, 20)).toBe(false);
  expect(add(390, 50)).toBe(false);
  expect(add(450, 50)).toBe(true);
});

test("One slow call among many fast ones is no rise", () => {
  add(200, 20);
  expect(add(900)).toBe(false);
  expect(add(200, 20)).toBe(false);
});

test("Latency below 150 ms is never rising", () => {
  add(1, 20);
  expect(add(149, 50)).toBe(false);
  expect(add(160, 50)).toBe(true);
});

test("A long list is compared with lists and not with reads of one room", () => {
  add(200, 20, "GET one");
  expect(add(5000, 20, "GET list")).toBe(false);
});

test("The best latency is remembered for one minute at least and two minutes at most", () => {
  add(200, 20);
  clock.advance(60);
  expect(add(1000, 20)).toBe(true);
  clock.advance(59);
  expect(add(1000, 20)).toBe(true);
  clock.advance(1);
  add(1000, 20);
  clock.advance(60);
  expect(add(1000, 20)).toBe(false);
});
