/** The note in the description of a room that an operator took out of the pool. */
import { expect, test } from "vitest";
import { formatMarker, maxDescriptionCharacters, parseMarker } from "../../../src/lib/pool/room.ts";
import { isTakenOut, withTakenOut } from "../pool/retirement.ts";
import { viewRoom } from "../rooms/room-views.ts";

const since = "2026-01-01T00:00:00.000Z";
const assigned = formatMarker({ state: "assigned", since, messageId: "m-1", fingerprint: "0a1b2c3d" });
const row = (description: string) => ({ id: 1, name: "room-1", description });

test.each(["", `${"long text ".repeat(30)}\n`])(
  "Keeps the marker and the platform's limit with the text %j",
  (text) => {
    const description = withTakenOut(`${text}${assigned}`, "shrink");
    expect(parseMarker(description)).toEqual(parseMarker(assigned));
    expect(description.length).toBeLessThanOrEqual(maxDescriptionCharacters);
    expect(isTakenOut(row(description))).toBe(true);
    expect(viewRoom(row(description), false)?.state).toBe("waiting");
    expect(viewRoom(row(description), true)?.state).toBe("live");
  },
);

test("A room that a caller has is not taken out, and neither is one that is back in the pool", () => {
  expect(isTakenOut(row(assigned))).toBe(false);
  const pooled = withTakenOut(formatMarker({ state: "pooled", since }), "shrink");
  expect(isTakenOut(row(pooled))).toBe(false);
  expect(withTakenOut("no marker", "shrink")).toBe("no marker");
});
