/** The fingerprint of the settings of new rooms. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { roomFingerprint } from "../../../src/lib/pool/new-room.ts";

const template = {
  participant_limit: 10,
  ivr_theme: { id: 1, name: "a" },
  automatic_participants: ["x", "y"],
};

test("roomFingerprint returns the same eight hex digits on every instance", () => {
  expect(roomFingerprint(template, "482913")).toBe("1f6ca54f");
});

test("roomFingerprint does not depend on the order of keys, at any depth", () => {
  const reordered = {
    automatic_participants: ["x", "y"],
    ivr_theme: { name: "a", id: 1 },
    participant_limit: 10,
  };
  expect(roomFingerprint(reordered, "482913")).toBe(roomFingerprint(template, "482913"));
});

test.each([
  ["a value of the template", { ...template, participant_limit: 11 }, "482913"],
  ["a type in the template", { ...template, participant_limit: "10" }, "482913"],
  ["an additional field", { ...template, host_view: "one_main_seven_pips" }, "482913"],
  ["a nested value", { ...template, ivr_theme: { id: 2, name: "a" } }, "482913"],
  ["the order of a list", { ...template, automatic_participants: ["y", "x"] }, "482913"],
  ["the PIN's length", template, "4829137"],
  ["the PIN's final #", template, "48291#"],
])("roomFingerprint depends on %s", (_, changed, pin) => {
  expect(roomFingerprint(changed, pin)).not.toBe(roomFingerprint(template, "482913"));
});

test("roomFingerprint does not depend on the digits of the PIN", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{6}$/), (pin) => {
      expect(roomFingerprint(template, pin)).toBe(roomFingerprint(template, "482913"));
    }),
  );
});
