/** Reading request bodies, and rejecting missing, large and invalid ones. */
import { HttpRequest } from "@azure/functions";
import { expect, test } from "vitest";
import * as z from "zod";
import { readBody } from "../../../src/lib/http/body.ts";
import type { BodyContract } from "../../../src/lib/http/contract.ts";
import { valueError } from "../../support/faults.ts";

const contract = { schema: z.unknown(), requiresJsonType: true };
const anyType = { ...contract, requiresJsonType: false };
const limited = { ...contract, maxFields: 200 };

/** Creates a request as the worker does. The host states the length of every body that it does not drop. */
function request(body: string | Buffer | undefined, headers: Record<string, string> = {}): HttpRequest {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  return new HttpRequest({
    url: "http://127.0.0.1/room/x",
    method: "POST",
    ...(body !== undefined && { body: { bytes: Buffer.from(body) } }),
    headers: { "content-type": "application/json", "content-length": String(length), ...headers },
  });
}
const ofType = (contentType: string) => request("{}", { "content-type": contentType });
const fields = (count: number, value: unknown = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, value]));
const json = (value: unknown) => request(JSON.stringify(value));
const arrays = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
const objects = (depth: number) => `${'{"b":0,"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const megabyte = 1024 * 1024;

test.each<[string, HttpRequest, unknown, BodyContract<unknown>?]>([
  ["a byte order mark before the JSON", request('\ufeff{"a":1}'), { a: 1 }],
  ["characters of several scripts", request('{"a":"Zürich 会議 🏠"}'), { a: "Zürich 会議 🏠" }],
  [
    "escapes of what can be stored",
    request(String.raw`{"a\u0001":"\\u0000 \\\ud83d\ude00"}`),
    { "a\u0001": "\\u0000 \\😀" },
  ],
  ["a JSON type with parameters", ofType("application/json; charset=utf-8"), {}],
  ["a JSON type in other case", ofType("Application/JSON"), {}],
  ["a JSON type with a prefix", ofType("application/merge-patch+json"), {}],
  ["a space before its type", ofType(" application/json"), {}],
  ["a length and a transfer encoding", request("{}", { "transfer-encoding": "chunked" }), {}],
  ["1 MiB", request(`"${"x".repeat(megabyte - 2)}"`), "x".repeat(megabyte - 2)],
  ["200 fields", json(fields(200)), fields(200), limited],
  ["10,000 nested fields", json(fields(1, fields(9999))), fields(1, fields(9999)), limited],
  ["an array of 201 values", json(Array(201).fill(0)), Array(201).fill(0), limited],
  ["a string of 201 characters", json("x".repeat(201)), "x".repeat(201), limited],
  ["null and a limit", json(null), null, limited],
  ["10,000 colons in a string", json(":".repeat(10_000)), ":".repeat(10_000), limited],
  ["100 nested arrays", request(arrays(100)), JSON.parse(arrays(100))],
  ["100 nested objects", request(objects(100)), JSON.parse(objects(100))],
])("A body with %s is read", async (_, given, value, withLimit = contract) => {
  expect(await readBody(given, withLimit)).toEqual(value);
});

const halves = String.raw`"a\u0000\ud83d"`;

test("A body of any type and encoding is read if the contract does not require JSON", async () => {
  expect(await readBody(ofType("text/plain"), anyType)).toEqual({});
  const event = request(Buffer.from('{"topic":"Größe"}', "latin1"));
  expect(await readBody(event, anyType)).toEqual({ topic: "Gr\ufffd\ufffde" });
  expect(await readBody(request(`{"topic":${halves}}`), anyType)).toEqual({ topic: "a\0\ud83d" });
});

const notJsonType = valueError(["header", "content-type"], "the body must be sent as application/json");
const missing = { type: "missing", loc: ["body"], msg: "Field required", input: null };
const jsonInvalid = (error: string) => ({
  type: "json_invalid",
  loc: ["body"],
  msg: "JSON decode error",
  input: {},
  ctx: { error },
});
const notJson = jsonInvalid("The body is not valid JSON");
const notUtf8 = jsonInvalid("The body is not UTF-8");
const tooDeep = jsonInvalid("Nested too deeply");
const unstorable = valueError(["body"], "NUL and half a surrogate pair cannot be stored");
const tooMany = valueError(
  ["body"],
  "the body must have at most 200 fields, and 10000 including nested ones",
);

test.each<[string, HttpRequest, object]>([
  ["text", ofType("text/plain"), notJsonType],
  ["a form", ofType("application/x-www-form-urlencoded"), notJsonType],
  ["JSONP", ofType("application/jsonp"), notJsonType],
  ["a type that ends like JSON's", ofType("text/x-application/json"), notJsonType],
  ["an empty type", ofType(""), notJsonType],
  ["nothing", request(undefined), missing],
  ["nothing and no length", new HttpRequest({ url: "http://127.0.0.1/", method: "POST" }), missing],
  ["white space", request(" \n"), notJson],
  ["bytes that are not UTF-8", request(Buffer.from([0x7b, 0xff, 0xfe])), notUtf8],
  ["ISO 8859-1 in a string", request(Buffer.from('{"description":"Größe"}', "latin1")), notUtf8],
  ["NUL in a string", request(String.raw`{"description":"a\u0000"}`), unstorable],
  ["NUL in a key", request(String.raw`{"theme":[{"\u0000":1}]}`), unstorable],
  ["the first half of a surrogate pair", request(String.raw`{"description":"\\\uD83D"}`), unstorable],
  ["the second half of a surrogate pair", request(String.raw`{"description":["\uDE00"]}`), unstorable],
  ["incomplete JSON", request("[".repeat(400)), notJson],
  ["malformed JSON with PINs, which are not returned", request('{"pin": "482913", "guest_pin": }'), notJson],
  ["101 nested arrays", request(arrays(101)), tooDeep],
  ["101 nested objects", request(objects(101)), tooDeep],
  [
    "201 fields, one of them nested too deeply",
    json({ ...fields(200), deep: JSON.parse(arrays(101)) }),
    tooMany,
  ],
  ["10,001 colons, before it is parsed", request(":".repeat(10_001)), tooMany],
])("A body with %s results in 422", async (_, given, fault) => {
  const details = { faults: [fault] };
  await expect(readBody(given, limited)).rejects.toMatchObject({ code: "invalid-request", details });
});

test.each([
  ["a Content-Length of more than 1 MiB", request("{}", { "content-length": `${megabyte + 1}` })],
  ["more bytes than characters", request("ü".repeat(megabyte / 2 + 1), { "content-length": "0" })],
])("A body of %s results in 413", async (_, given) => {
  await expect(readBody(given, contract)).rejects.toMatchObject({ code: "body-too-large", status: 413 });
});

test("A body without Content-Length results in 411, because the host drops it", async () => {
  const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
  const chunked = new HttpRequest({ url: "http://127.0.0.1/room/x", method: "POST", headers });
  await expect(readBody(chunked, contract)).rejects.toMatchObject({ code: "length-required", status: 411 });
});
