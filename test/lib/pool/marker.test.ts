/** The marker line in a room's description. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatMarker,
  type Marker,
  parseMarker,
  withMarker,
  withoutMarker,
} from "../../../src/lib/pool/room.ts";

const pooled: Marker = { state: "pooled", since: "2026-01-15T09:00:00.000Z" };
const assigned: Marker = { state: "assigned", since: "2026-01-15T09:05:00.000Z", messageId: "m-1" };

const made: Marker = { ...pooled, fingerprint: "0f1e2d3c" };

const times = fc
  .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
  .map((date) => date.toISOString());
const fingerprint = fc.option(fc.stringMatching(/^[0-9a-f]{8}$/), { nil: undefined });
const markers: fc.Arbitrary<Marker> = fc.oneof(
  fc.record({ state: fc.constant("pooled" as const), since: times, fingerprint }),
  fc.record({ state: fc.constant("assigned" as const), since: times, messageId: fc.uuid(), fingerprint }),
);
const descriptions = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.array(fc.string(), { maxLength: 8 }).map((lines) => lines.join("\n")),
);

test("formatMarker returns the fixed format that operators search for", () => {
  expect(formatMarker(pooled)).toBe("vmr-gateway pooled 2026-01-15T09:00:00.000Z");
  expect(formatMarker(assigned)).toBe("vmr-gateway assigned 2026-01-15T09:05:00.000Z m-1");
  expect(formatMarker(made)).toBe("vmr-gateway pooled 2026-01-15T09:00:00.000Z f:0f1e2d3c");
  expect(formatMarker({ ...assigned, fingerprint: "0f1e2d3c" })).toBe(
    "vmr-gateway assigned 2026-01-15T09:05:00.000Z m-1 f:0f1e2d3c",
  );
});

test("parseMarker finds what withMarker wrote into any description, within 250 characters", () => {
  fc.assert(
    fc.property(descriptions, markers, markers, (description, before, after) => {
      const marked = withMarker(withMarker(description, before), after);
      expect(marked.length).toBeLessThanOrEqual(250);
      const kept = before.fingerprint ?? after.fingerprint;
      expect(parseMarker(marked)).toEqual({ messageId: undefined, ...after, fingerprint: kept });
    }),
  );
});

test("withMarker keeps the fingerprint of the marker that it replaces", () => {
  const marked = withMarker(formatMarker(made), assigned);
  expect(parseMarker(marked)).toEqual({ ...assigned, fingerprint: "0f1e2d3c" });
});

test.each([
  ["pooled 2026-01-15T09:00:00.000Z", { messageId: undefined, fingerprint: undefined }],
  ["assigned 2026-01-15T09:00:00.000Z m-1", { messageId: "m-1", fingerprint: undefined }],
  ["pooled 2026-01-15T09:00:00.000Z f:0f1e2d3c", { messageId: undefined, fingerprint: "0f1e2d3c" }],
  ["assigned 2026-01-15T09:00:00.000Z f:0f1e2d3c", { messageId: undefined, fingerprint: "0f1e2d3c" }],
  ["assigned 2026-01-15T09:00:00.000Z m-1 f:0f1e2d3c", { messageId: "m-1", fingerprint: "0f1e2d3c" }],
  ["assigned 2026-01-15T09:00:00.000Z f:no", { messageId: "f:no", fingerprint: undefined }],
])("parseMarker reads message ID and fingerprint of %s", (line, expected) => {
  expect(parseMarker(`vmr-gateway ${line}`)).toMatchObject({
    since: "2026-01-15T09:00:00.000Z",
    ...expected,
  });
});

test("withoutMarker restores a description that fits", () => {
  const short = fc.string({ maxLength: 120 }).filter((text) => parseMarker(text) === undefined);
  fc.assert(
    fc.property(short, markers, (description, marker) => {
      expect(withoutMarker(withMarker(description, marker))).toBe(description);
    }),
  );
});

test.each([null, undefined, ""])(
  "withMarker returns the marker line only if the description is missing (%j)",
  (description) => {
    expect(withMarker(description, pooled)).toBe(formatMarker(pooled));
    expect(parseMarker(description)).toBeUndefined();
  },
);

test("withMarker drops a surrogate pair of which only half fits", () => {
  for (const text of ["😀".repeat(125), `a${"😀".repeat(124)}`]) {
    expect(withMarker(text, pooled).isWellFormed()).toBe(true);
    expect(withMarker(text, assigned).isWellFormed()).toBe(true);
  }
});

test("withMarker cuts text that does not fit, and keeps the marker complete", () => {
  const marked = withMarker("x".repeat(250), assigned);
  expect(marked).toHaveLength(250);
  expect(marked.endsWith(`x\n${formatMarker(assigned)}`)).toBe(true);
});

test.each([
  ["first", `${formatMarker(pooled)}\nmade by hand`, pooled],
  ["between others", `one\n${formatMarker(pooled)}\ntwo`, pooled],
  ["with carriage returns", `one\r\n${formatMarker(pooled)}\r\ntwo`, pooled],
  ["with trailing spaces", `${formatMarker(assigned)}  `, assigned],
])("parseMarker finds a marker line %s", (_, description, marker) => {
  expect(parseMarker(description)).toEqual({ messageId: undefined, ...marker });
});

test("withoutMarker removes all marker lines and keeps the others", () => {
  expect(withoutMarker(`one\n${formatMarker(pooled)}\ntwo\n${formatMarker(assigned)}`)).toBe("one\ntwo");
  expect(withoutMarker(`one\r\n${formatMarker(pooled)}\r\ntwo`)).toBe("one\ntwo");
});

test("withoutMarker returns a description without a marker unchanged, including line endings", () => {
  expect(withoutMarker("one\r\ntwo")).toBe("one\r\ntwo");
});

test("withMarker replaces the previous marker", () => {
  const before = withMarker("made by hand", pooled);
  expect(withMarker(before, assigned)).toBe(`made by hand\n${formatMarker(assigned)}`);
});

test("parseMarker returns the last of two markers", () => {
  expect(parseMarker(`${formatMarker(pooled)}\n${formatMarker(assigned)}`)).toEqual(assigned);
});

test.each([
  "vmr-gateway",
  "vmr-gateway pooled",
  "vmr-gateway reserved 2026-01-15T09:00:00.000Z",
  "VMR-GATEWAY pooled 2026-01-15T09:00:00.000Z",
  "x vmr-gateway pooled 2026-01-15T09:00:00.000Z",
  "vmr-gateway pooled 2026-01-15T09:00:00.000Z m-1 and more",
  "vmr-gateway pooled 2026-01-15T09:00:00.000Z m-1 f:0f1e2d3c4",
  "vmr-gateway pooled 2026-01-15T09:00:00.000Z f:0f1e2d3c m-1",
])("%s is not a marker, so withoutMarker keeps it", (description) => {
  expect(parseMarker(description)).toBeUndefined();
  expect(withoutMarker(description)).toBe(description);
});
