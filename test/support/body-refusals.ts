/** The tests that functions with a body share: each body that is no JSON object, or is not sent as one must. */
import { expect, test } from "vitest";
import type { HttpFunction } from "../../src/lib/http/contract.ts";
import type { Dependencies } from "../../src/lib/wiring/dependencies.ts";
import type { InProcessGateway } from "./in-process-gateway.ts";

export interface BodyRefusals {
  readonly gateway: () => InProcessGateway;
  readonly definition: HttpFunction<Dependencies>;
  readonly headers: () => Record<string, string>;
  readonly roomName?: string;
  /** The type of the fault for JSON that is no object. */
  readonly notAnObject: "model_attributes_type" | "dict_type";
  readonly maxBytes: number;
}

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

export function testBodyRefusals(options: BodyRefusals): void {
  const { gateway, definition, notAnObject, maxBytes, roomName = "" } = options;
  const send = async (text: string | undefined, headers: Record<string, string> = {}) =>
    gateway().call(definition, {
      roomName,
      ...(text !== undefined && { text }),
      headers: { "content-type": "application/json", ...options.headers(), ...headers },
    });

  test.each<[string, string, string]>([
    ["an empty body", "", "missing"],
    ["a body that is not JSON", "not JSON", "json_invalid"],
    ["a body cut off", '{"tag": "x', "json_invalid"],
    ["an array", "[]", notAnObject],
    ["a number", "7", notAnObject],
    ["null", "null", notAnObject],
    ["a text", '"x"', notAnObject],
    ["an object nested 10,000 deep", nested(10_000), "json_invalid"],
  ])("422 for %s", async (_, text, type) => {
    expect(await send(text)).toMatchObject({
      status: 422,
      code: "invalid-request",
      json: { detail: [{ type }] },
    });
  });

  test("411 length-required for a body sent in chunks, which the host drops", async () => {
    expect(await send(undefined, { "transfer-encoding": "chunked" })).toMatchObject({
      status: 411,
      code: "length-required",
      json: { detail: "Send the body with a Content-Length header" },
    });
    expect(gateway().log.join("\n")).toContain("length-required");
  });

  test("a body of exactly the limit is not too large", async () => {
    expect((await send("{}".padEnd(maxBytes))).status).not.toBe(413);
  });

  test("413 body-too-large above the limit, by the stated length or by the real one", async () => {
    const refusal = { status: 413, code: "body-too-large", json: { detail: "The body is too large" } };
    expect(await send("{}", { "content-length": String(maxBytes + 1) })).toMatchObject(refusal);
    expect(await send(" ".repeat(maxBytes + 1), { "content-length": "2" })).toMatchObject(refusal);
    expect(gateway().log.join("\n")).toContain("body-too-large");
  });
}
