/** Validation: the place of each fault, and their order. */
import { expect, test } from "vitest";
import * as z from "zod";
import { Conference } from "../../../src/lib/api/conference-schema.ts";
import { validate } from "../../../src/lib/http/validation.ts";

function faultsOf(schema: z.ZodType, value: unknown, place: "query" | "body"): unknown {
  try {
    return validate(schema, value, place);
  } catch (error) {
    return error instanceof Error && "details" in error ? error.details : error;
  }
}

test("a missing required query parameter is reported as missing", () => {
  expect(faultsOf(z.object({ name: z.string() }), {}, "query")).toEqual({
    faults: [{ type: "missing", loc: ["query", "name"], msg: "Field required", input: null }],
  });
});

test("a fault in a list element is located by the index of the element", () => {
  expect(faultsOf(Conference, { aliases: [{ id: 1 }, { id: "abc" }] }, "body")).toEqual({
    faults: [
      {
        type: "int_parsing",
        loc: ["body", "aliases", 1, "id"],
        msg: "Input should be a valid integer, unable to parse string as an integer",
        input: "abc",
      },
    ],
  });
});

test("every fault is reported, in the order of the fields of the schema", () => {
  expect(
    faultsOf(Conference, { participant_limit: "x", allow_guests: "maybe", name: 5 }, "body"),
  ).toMatchObject({
    faults: [
      { loc: ["body", "allow_guests"] },
      { loc: ["body", "name"] },
      { loc: ["body", "participant_limit"] },
    ],
  });
});
