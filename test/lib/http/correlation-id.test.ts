/** Correlation IDs: which ones of the caller are used. */
import { expect, test } from "vitest";
import { correlationIdOf } from "../../../src/lib/http/correlation-id.ts";

const idOf = (id: string) => correlationIdOf(new Headers({ "X-Correlation-Id": id }), "made");

test.each(["a", "order-2026_11.21", "77777777-7777-4777-8777-777777777777", "x".repeat(128)])(
  "the caller's ID %s is used",
  (id) => {
    expect(idOf(id)).toBe(id);
  },
);

test.each(["", "x".repeat(129), "two words", "a,b", 'a"b', "a/b", "é", "a\tb", "<a>", "{}"])(
  "the unusable ID %j is replaced",
  (id) => {
    expect(idOf(id)).toBe("made");
  },
);

test("a missing ID is replaced", () => {
  expect(correlationIdOf(new Headers(), "made")).toBe("made");
});
