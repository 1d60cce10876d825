/** New rooms: names, PINs, fields and fingerprints. */
import { expect, test } from "vitest";
import { newGuestPin, newRoomName, roomFingerprint } from "../../../src/lib/pool/new-room.ts";
import { secureRandom } from "../../../src/lib/ports.ts";

test("`newRoomName` returns unique URL-safe names of 24 characters, none persistent or starting with a hyphen", () => {
  const names = Array.from({ length: 10_000 }, () => newRoomName(secureRandom));
  expect(new Set(names).size).toBe(10_000);
  for (const name of names) expect(name).toMatch(/^(?!test_|vkiosk_)[A-Za-z0-9_][A-Za-z0-9_-]{23}$/);
});

test.each(["test_AAAAAAAAAAAAAAAAAAA", "vkiosk_AAAAAAAAAAAAAAAAA", "-AAAAAAAAAAAAAAAAAAAAAAA"])(
  "`newRoomName` skips the name %s",
  (unwanted) => {
    const draws = [Buffer.from(unwanted, "base64url"), Buffer.alloc(18)];
    const random = { ...secureRandom, bytes: () => draws.shift() ?? Buffer.alloc(18) };
    expect(newRoomName(random)).toBe("A".repeat(24));
  },
);

test.each([
  ["1234", [10, 10, 10, 10], "9999"],
  ["0123456789012345678#", [], "0000000000000000000#"],
  // The first PIN equals the host PIN.
  ["1234", [1, 2, 3, 4, 1, 2, 3, 5], "1235"],
])("`newGuestPin` for the host PIN %s, with the digits %s at random, is %s", (hostPin, digits, expected) => {
  const drawn = [...digits];
  const integerBelow = (bound: number) => Math.min(bound - 1, drawn.shift() ?? 0);
  expect(newGuestPin(hostPin, { ...secureRandom, integerBelow })).toBe(expected);
});

const template = {
  participant_limit: 10,
  ivr_theme: { id: 1, name: "a" },
  automatic_participants: ["x", "y"],
};
const reordered = {
  automatic_participants: ["x", "y"],
  ivr_theme: { name: "a", id: 1 },
  participant_limit: 10,
};

test.each([
  ["is the same on every instance", template, "482913", true],
  ["does not depend on the order of keys", reordered, "482913", true],
  ["does not depend on the digits of the PIN", template, "017755", true],
  ["depends on a type", { ...template, participant_limit: "10" }, "482913", false],
  ["depends on an additional field", { ...template, host_view: "one_main_seven_pips" }, "482913", false],
  ["depends on a field without a value", { ...template, ivr_theme: null }, "482913", false],
  ["depends on a nested value", { ...template, ivr_theme: { id: 2, name: "a" } }, "482913", false],
  ["depends on the order of a list", { ...template, automatic_participants: ["y", "x"] }, "482913", false],
  ["depends on the PIN's length", template, "4829137", false],
  ["depends on the PIN's final #", template, "48291#", false],
])("`roomFingerprint` has eight hex digits and %s", (_, changed, pin, isSame) => {
  const fingerprint = roomFingerprint(changed, pin);
  expect(fingerprint).toMatch(/^[0-9a-f]{8}$/);
  expect(fingerprint === "1f6ca54f").toBe(isSame);
});
