/** Tests that all functions with a body share: bodies that are not JSON objects, too large, or chunked. */
import { expect, test } from "vitest";
import type { FunctionUnderTest } from "./in-process-gateway.ts";
import { failure, invalidRequest } from "./shared-failures.ts";

export interface BodyLimits {
  /** The type of the fault for JSON that is not an object. */
  readonly notAnObject: "model_attributes_type" | "dict_type";
  readonly maxBytes: number;
}

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

export function testBodyRefusals(
  { gateway, definition, sent }: FunctionUnderTest,
  { notAnObject, maxBytes }: BodyLimits,
): void {
  const call = async (text: string | undefined, headers: Record<string, string> = {}) =>
    gateway.call(definition, {
      ...(sent?.roomName !== undefined && { roomName: sent.roomName }),
      ...(text !== undefined && { text }),
      headers: { "content-type": "application/json", ...headers },
    });

  test.each<[string, string, string]>([
    ["an empty body", "", "missing"],
    ["a body that is not JSON", "not JSON", "json_invalid"],
    ["a truncated body", '{"tag": "x', "json_invalid"],
    ["an array", "[]", notAnObject],
    ["a number", "7", notAnObject],
    ["null", "null", notAnObject],
    ["a string", '"x"', notAnObject],
    ["an object nested 10,000 levels deep", nested(10_000), "json_invalid"],
  ])("Returns 422 for %s", async (_, text, type) => {
    expect(await call(text)).toMatchObject(invalidRequest({ type }));
  });

  test("Returns 411 length-required for a chunked body, which the host drops", async () => {
    const chunked = { "transfer-encoding": "chunked" };
    expect(await call(undefined, chunked)).toMatchObject(failure("length-required"));
    expect(gateway.log.join("\n")).toContain("length-required");
  });

  test("Accepts a body of exactly the maximum size", async () => {
    expect((await call("{}".padEnd(maxBytes))).status).not.toBe(413);
  });

  test("Returns 413 body-too-large if the stated or the actual length exceeds the maximum", async () => {
    const tooLarge = failure("body-too-large");
    expect(await call("{}", { "content-length": String(maxBytes + 1) })).toMatchObject(tooLarge);
    expect(await call(" ".repeat(maxBytes + 1), { "content-length": "2" })).toMatchObject(tooLarge);
    expect(gateway.log.join("\n")).toContain("body-too-large");
  });
}
