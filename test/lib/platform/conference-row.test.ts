/** Rows of the platform: only what the gateway relies on is checked. */
import { expect, test } from "vitest";
import { isConferenceRow } from "../../../src/lib/platform/conference-row.ts";

const row = { id: 1, name: "room-a" };

test.each<object>([
  {},
  { service_type: null, description: null, tag: null, aliases: null },
  { service_type: "conference", description: "", tag: "https://verify.example.com/1" },
  { aliases: [] },
  { aliases: [{ alias: "room-a", id: 5 }, { alias: null }, {}] },
  { future: { deep: [1] }, aliases: undefined, tag: undefined },
])("isConferenceRow accepts a row with %j", (fields) => {
  expect(isConferenceRow({ ...row, ...fields })).toBe(true);
});

test.each<object>([
  { id: "1" },
  { id: 1.5 },
  { id: null },
  { name: null },
  { name: 5 },
  { service_type: 5 },
  { description: {} },
  { tag: 5 },
  { aliases: {} },
  { aliases: "room-a" },
  { aliases: ["room-a"] },
  { aliases: [null] },
  { aliases: [{ alias: "room-a" }, { alias: 5 }] },
])("isConferenceRow rejects a row with %j", (fields) => {
  expect(isConferenceRow({ ...row, ...fields })).toBe(false);
});

test.each([null, undefined, "text", 5, Object.assign([], row)])("%j is no row", (value) => {
  expect(isConferenceRow(value)).toBe(false);
});
