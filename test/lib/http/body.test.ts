/** Reading request bodies, and rejecting missing, large and invalid ones. */
import { HttpRequest } from "@azure/functions";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { maxBodyBytes, readBody } from "../../../src/lib/http/body.ts";

const contract = { schema: z.unknown(), requiresJsonType: true };

/** Creates a request as the worker does. The host states the length of every body that it does not drop. */
function request(body: string | undefined, headers: Record<string, string> = {}): HttpRequest {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  return new HttpRequest({
    url: "http://127.0.0.1/room/x",
    method: "POST",
    ...(body !== undefined && { body: { string: body } }),
    headers: { "content-type": "application/json", "content-length": String(length), ...headers },
  });
}
const read = async (...given: Parameters<typeof request>) => readBody(request(...given), contract);
const faulty = (...faults: object[]) => ({ code: "invalid-request", details: { faults } });
const jsonInvalid = (error: string) =>
  faulty({ type: "json_invalid", loc: ["body"], msg: "JSON decode error", input: {}, ctx: { error } });

test.each([
  ["null", "null", null],
  ["a byte order mark before the JSON", '\ufeff{"a":1}', { a: 1 }],
  ["characters of several scripts", '{"a":"Zürich 会議 🏠"}', { a: "Zürich 会議 🏠" }],
])("a body with %s is parsed", async (_, text, value) => {
  expect(await read(text)).toEqual(value);
});

test.each([
  "application/json",
  "application/json; charset=utf-8",
  "Application/JSON",
  "application/merge-patch+json",
  " application/json",
])("a body with the content type %j is parsed", async (contentType) => {
  expect(await read("{}", { "content-type": contentType })).toEqual({});
});

test.each([
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/jsonp",
  "text/x-application/json",
  "",
])("a body with the content type %j is reported at its header", async (contentType) => {
  const msg = "Value error, the body must be sent as application/json";
  await expect(read('{"a":1}', { "content-type": contentType })).rejects.toMatchObject(
    faulty({ type: "value_error", loc: ["header", "content-type"], msg, ctx: { error: {} } }),
  );
});

test("a body of any content type is parsed if the contract does not require JSON", async () => {
  const any = { ...contract, requiresJsonType: false };
  expect(await readBody(request("{}", { "content-type": "text/plain" }), any)).toEqual({});
});

test.each([undefined, ""])("a missing body (%j) is reported as missing", async (body) => {
  await expect(read(body)).rejects.toMatchObject(
    faulty({ type: "missing", loc: ["body"], msg: "Field required", input: null }),
  );
});

test.each(["hello", " \n", "[1,]", "[".repeat(400), '{"pin": "482913", "guest_pin": }'])(
  "the body %j is reported as json_invalid, without its text",
  async (text) => {
    await expect(read(text)).rejects.toMatchObject(jsonInvalid("The body is not valid JSON"));
  },
);

describe("With a limit of 200 fields", () => {
  const readLimited = async (value: unknown) =>
    readBody(request(JSON.stringify(value)), { ...contract, maxFields: 200 });
  const fields = (count: number, value: unknown = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, value]));

  const msg = "Value error, the body must have at most 200 fields, and 10000 including nested ones";
  const tooMany = faulty({ type: "value_error", loc: ["body"], msg, ctx: { error: {} } });

  test.each([
    ["an object with 200 fields", fields(200)],
    ["an object with 10,000 nested fields", fields(1, fields(9999))],
    ["an array with 201 values", Array(201).fill(0)],
    ["a string with 201 characters", "x".repeat(201)],
    ["null", null],
  ])("%s is read", async (_, value) => {
    expect(await readLimited(value)).toEqual(value);
  });

  test("an object with 201 fields is rejected, before its values are looked at", async () => {
    const tooDeep: unknown = JSON.parse(`${"[".repeat(101)}${"]".repeat(101)}`);
    await expect(readLimited({ ...fields(200), tooDeep })).rejects.toMatchObject(tooMany);
  });

  test("a text with 10,001 colons is rejected before it is parsed", async () => {
    await expect(readLimited(":".repeat(10_000))).resolves.toHaveLength(10_000);
    await expect(readLimited(":".repeat(10_001))).rejects.toMatchObject(tooMany);
  });
});

test("rejects a body without Content-Length with 411, because the host drops it", async () => {
  const chunked = new HttpRequest({
    url: "http://127.0.0.1/room/x",
    method: "POST",
    headers: { "content-type": "application/json", "transfer-encoding": "chunked" },
  });
  await expect(readBody(chunked, contract)).rejects.toMatchObject({ code: "length-required", status: 411 });
});

test("a body of exactly the limit is read", async () => {
  expect(await read(`"${"x".repeat(998)}"`)).toHaveLength(998);
});

test.each([
  ["by its Content-Length", request("{}", { "content-length": String(maxBodyBytes + 1) })],
  ["although its Content-Length is small", request("x".repeat(maxBodyBytes + 1), { "content-length": "2" })],
  [
    "counted in bytes, not in characters",
    request("ü".repeat(maxBodyBytes / 2 + 1), { "content-length": "0" }),
  ],
])("rejects a body with 413 if it is too large %s", async (_, tooLarge) => {
  await expect(readBody(tooLarge, contract)).rejects.toMatchObject({ code: "body-too-large", status: 413 });
});

test("accepts a body of exactly 1 MiB", async () => {
  expect(await read(`"${"x".repeat(1024 * 1024 - 2)}"`)).toHaveLength(1024 * 1024 - 2);
});

test.each([
  ["arrays", "[", "]"],
  ["objects", '{"a":', "}"],
])("a value in 100 nested %s is read, and in 101 it is rejected", async (_, open, close) => {
  const nested = (depth: number) => request(`${open.repeat(depth)}1${close.repeat(depth)}`);
  await expect(readBody(nested(100), contract)).resolves.toBeDefined();
  await expect(readBody(nested(101), contract)).rejects.toMatchObject(jsonInvalid("Nested too deeply"));
});
