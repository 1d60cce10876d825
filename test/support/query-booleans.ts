/** Booleans in a query as FastAPI reads them, and the tests of `constrained_attributes` that functions share. */
import { expect, test } from "vitest";
import type { FunctionUnderTest } from "./in-process-gateway.ts";
import { invalidRequest } from "./shared-failures.ts";

const truthy = [
  ["true", "True", "TRUE", "tRuE", "1", "on", "On", "ON"],
  ["t", "T", "y", "Y", "yes", "Yes", "YES"],
].flat();
const falsy = ["false", "False", "FALSE", "0", "off", "Off", "OFF", "f", "F", "n", "N", "no", "No", "NO"];

/** Each accepted spelling with its value. */
export const acceptedBooleans: readonly (readonly [text: string, value: boolean])[] = [
  ...truthy.map((text) => [text, true] as const),
  ...falsy.map((text) => [text, false] as const),
];

/** Values that are answered 422 `bool_parsing`. */
export const refusedBooleans: readonly string[] = [
  ["", " ", " true", "false ", "true,false", "null"],
  ["maybe", "wahr", "tru", "yess", "yes!", "2", "-1", "1.0", "01"],
].flat();

/** For functions that return the room "a-room", alone or in a list. */
export function testConstrainedAttributes({ gateway, definition, sent }: FunctionUnderTest): void {
  const call = async (text: string) => {
    gateway.addRoom("a-room");
    return gateway.call(definition, { ...sent, query: { constrained_attributes: text } });
  };

  test.each(acceptedBooleans)(
    "Returns 200 for constrained_attributes=%s and reads it as %s",
    async (text, isConstrained) => {
      const { status, json } = await call(text);
      expect(status).toBe(200);
      const rooms = [json as object | object[]].flat();
      expect(rooms.map((room) => "participant_limit" in room)).toEqual([!isConstrained]);
    },
  );

  test.each(refusedBooleans)("Returns 422 bool_parsing for constrained_attributes=%j", async (text) => {
    const msg = "Input should be a valid boolean, unable to interpret input";
    const loc = ["query", "constrained_attributes"];
    const fault = { type: "bool_parsing", loc, msg, input: text };
    expect(await call(text)).toMatchObject(invalidRequest(fault));
  });
}
