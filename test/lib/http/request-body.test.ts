/** Request bodies: bounded, decoded, and refused as FastAPI refuses what is missing or not JSON. */
import { HttpRequest } from "@azure/functions";
import { expect, test } from "vitest";
import { z } from "zod";
import { readBody } from "../../../src/lib/http/request-body.ts";

const contract = { schema: z.unknown(), maxBytes: 1000, requiresJsonType: true };

/** A request as the worker makes it; the host always gives the length of a body that it did not drop. */
function request(
  body: string | Uint8Array<ArrayBuffer> | undefined,
  headers: Record<string, string> = {},
): HttpRequest {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  return new HttpRequest({
    url: "http://127.0.0.1/room/x",
    method: "POST",
    ...(body !== undefined && { body: typeof body === "string" ? { string: body } : { bytes: body } }),
    headers: { "content-type": "application/json", "content-length": String(length), ...headers },
  });
}
const read = async (...given: Parameters<typeof request>) => readBody(request(...given), contract);
const faulty = (...faults: object[]) => ({ code: "invalid-request", details: { faults } });
const jsonInvalid = (offset: number, error: string) =>
  faulty({
    type: "json_invalid",
    loc: ["body", offset],
    msg: "JSON decode error",
    input: {},
    ctx: { error },
  });

test.each([
  ["an object", '{"pin":"1234"}', { pin: "1234" }],
  ["an array", "[1,2]", [1, 2]],
  ["null", "null", null],
  ["text with a byte order mark before it", '\ufeff{"a":1}', { a: 1 }],
  ["letters of any script", '{"a":"Zürich 会議 🏠"}', { a: "Zürich 会議 🏠" }],
])("%s is decoded", async (_, text, value) => {
  expect(await read(text)).toEqual(value);
});

test.each([
  "application/json",
  "application/json; charset=utf-8",
  "Application/JSON",
  "application/merge-patch+json",
  " application/json",
])("the content type %s is JSON", async (contentType) => {
  expect(await read("{}", { "content-type": contentType })).toEqual({});
});

test.each([
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/jsonp",
  "text/x-application/json",
  "",
])("with the content type %j the body is not parsed, as FastAPI does not", async (contentType) => {
  expect(await read('{"a":1}', { "content-type": contentType })).toBe('{"a":1}');
});

test("where no type is required, the body is parsed whatever its type", async () => {
  const any = { ...contract, requiresJsonType: false };
  expect(await readBody(request("{}", { "content-type": "text/plain" }), any)).toEqual({});
});

test.each([undefined, ""])("a missing body (%j) is 422 missing", async (body) => {
  await expect(read(body)).rejects.toMatchObject(
    faulty({ type: "missing", loc: ["body"], msg: "Field required", input: null }),
  );
});

test("so is a body of which neither length nor encoding is told, as there is none", async () => {
  const bare = new HttpRequest({ url: "http://127.0.0.1/room/x", method: "POST" });
  await expect(readBody(bare, contract)).rejects.toMatchObject(
    faulty({ type: "missing", loc: ["body"], msg: "Field required", input: null }),
  );
});

test.each([
  ["{", 1, "Expecting property name enclosed in double quotes"],
  ['{"pin": 12', 10, "Expecting ',' delimiter"],
  ["hello", 0, "Expecting value"],
  [" \n", 2, "Expecting value"],
  ["{} {}", 3, "Extra data"],
])("%j is 422 json_invalid at %i", async (text, offset, reason) => {
  await expect(read(text)).rejects.toMatchObject(jsonInvalid(offset, reason));
});

test("a body that is not JSON is never repeated to the caller", async () => {
  const error: unknown = await read('{"pin": "482913", "guest_pin": }').catch((cause: unknown) => cause);
  expect(JSON.stringify(error)).toContain("json_invalid");
  expect(JSON.stringify(error)).not.toContain("482913");
});

test("a body sent without a length, which the host drops, is 411", async () => {
  const chunked = new HttpRequest({
    url: "http://127.0.0.1/room/x",
    method: "POST",
    headers: { "content-type": "application/json", "transfer-encoding": "chunked" },
  });
  await expect(readBody(chunked, contract)).rejects.toMatchObject({ code: "length-required", status: 411 });
});

test.each([
  ["as its length says", request("{}", { "content-length": "1001" })],
  ["as it turns out", request(`"${"x".repeat(1000)}"`, { "content-length": "2" })],
  ["by its octets, not its characters", request(`"${"ü".repeat(600)}"`, { "content-length": "0" })],
])("a body that is too large, %s, is 413", async (_, tooLarge) => {
  await expect(readBody(tooLarge, contract)).rejects.toMatchObject({ code: "body-too-large", status: 413 });
});

test("a body of exactly the limit is read", async () => {
  expect(await read(`"${"x".repeat(998)}"`)).toHaveLength(998);
});

test.each([
  ["arrays", "[", "]"],
  ["objects", '{"a":', "}"],
])("a value in 100 nested %s is read, in 101 it is refused", async (_, open, close) => {
  const nested = (depth: number) => request(`${open.repeat(depth)}1${close.repeat(depth)}`);
  await expect(readBody(nested(100), contract)).resolves.toBeDefined();
  await expect(readBody(nested(101), contract)).rejects.toMatchObject(jsonInvalid(0, "Nested too deeply"));
});

test("a hundred thousand nested arrays are refused like any other", async () => {
  const large = { ...contract, maxBytes: 1_000_000 };
  const nested = request("[".repeat(100_000) + "]".repeat(100_000));
  await expect(readBody(nested, large)).rejects.toMatchObject(jsonInvalid(0, "Nested too deeply"));
});

test("octets that are no UTF-8 are read with a replacement, not answered as a failure of ours", async () => {
  const octets = new Uint8Array([0x22, 0xff, 0x22]);
  expect(await read(octets)).toBe("\ufffd");
});

test("a body with a length is read, whatever its transfer was called on the way", async () => {
  expect(await read("{}", { "transfer-encoding": "chunked" })).toEqual({});
});
