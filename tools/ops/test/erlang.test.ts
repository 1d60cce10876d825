/** The Erlang B formula against the published tables. */
import { describe, expect, test } from "vitest";
import { emptyShare, largestLoad, smallestPool } from "../plan/erlang.ts";

// Rows of the tables that textbooks on teletraffic print:
// pool size, share of callers without a room, load.
const table: readonly (readonly [number, number, number])[] = [
  [1, 0.01, 0.0101],
  [5, 0.01, 1.361],
  [10, 0.01, 4.461],
  [20, 0.01, 12.03],
  [50, 0.01, 37.9],
  [100, 0.01, 84.06],
  [10, 0.001, 3.092],
  [20, 0.001, 9.411],
  [50, 0.001, 32.51],
  [100, 0.001, 75.24],
];

describe.each(table)("With %i rooms and a share of %f, the table's load of %f", (rooms, share, load) => {
  test("is the largest load", () => {
    expect(largestLoad(rooms, share) / load).toBeCloseTo(1, 2);
  });

  test("gives this share", () => {
    expect(emptyShare(rooms, load) / share).toBeCloseTo(1, 1);
  });

  test("needs this number of rooms if it is a little lower", () => {
    expect(smallestPool(load * 0.998, share)).toBe(rooms);
  });
});

test("Every caller finds an empty pool if it has no room", () => {
  expect(emptyShare(0, 5)).toBe(1);
  expect(smallestPool(5, 1)).toBe(0);
});

test("Each further room lowers the share of empty pools", () => {
  const shares = Array.from({ length: 60 }, (_, rooms) => emptyShare(rooms, 30));
  expect(shares).toEqual(shares.toSorted((one, other) => other - one));
  expect(new Set(shares).size).toBe(shares.length);
});
