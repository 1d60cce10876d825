/** Creating a room: invalid requests that claim no room, what is logged, and service tags. */

import { HttpRequest, InvocationContext } from "@azure/functions";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRoomFromQueue } from "../../../src/functions/create-room-from-queue.ts";
import { toHandler } from "../../../src/lib/http/pipeline.ts";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import { type IdempotentClaims, KeyReusedError } from "../../../src/lib/pool/idempotent-claims.ts";
import { decodeServiceTag } from "../../../src/lib/rooms/create.ts";
import { parseJson } from "../../../tools/simulators/process/parse-json.ts";
import { createManualClock } from "../../support/clock.ts";
import { openAccess } from "../../support/open-access.ts";

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");

interface SentCreate {
  readonly query?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  /** What claims throw. */
  readonly failure?: Error;
}

/** Sends a create, and returns its response, its log and the keys of its claims. The key `used` belongs to another tag. */
async function create({ query = "", body, headers = {}, failure }: SentCreate) {
  const lines: string[] = [];
  const keys: string[] = [];
  const room = { id: 7, name: "room-a" };
  const claimWithKey: IdempotentClaims["claim"] = async ({ key }) => {
    if (key === "used") throw new KeyReusedError();
    keys.push(key);
    return room;
  };
  const handler = toHandler(createRoomFromQueue, {
    accessChecks: openAccess,
    clock: createManualClock(),
    claims: { claim: async () => (failure ? Promise.reject(failure) : room) },
    idempotentClaims: { claim: claimWithKey },
    serviceTagBaseUrl: "https://verify.example.com",
  });
  const logHandler = (_level: string, line: unknown) => void lines.push(String(line));
  const context = new InvocationContext({ functionName: "createRoomFromQueue", logHandler });
  const url = `http://127.0.0.1/room/create?${query}`;
  const request = {
    method: "POST",
    url,
    headers,
    ...(body !== undefined && { body: { string: body } }),
  } as const;
  const response = await handler(new HttpRequest(request), context);
  const json = typeof response.body === "string" ? parseJson(response.body) : undefined;
  return { status: response.status, json, lines, keys };
}

describe("The Idempotency-Key", () => {
  const createWith = async (key: string) => create({ headers: { "idempotency-key": key } });

  test("is rejected with 422 at its header if it was used with another uuiData", async () => {
    const msg = "Value error, this key was used with another uuiData";
    const fault = { type: "value_error", loc: ["header", "idempotency-key"], msg, ctx: { error: {} } };
    expect(await createWith("used")).toMatchObject({ status: 422, json: { detail: [fault] } });
  });

  test.each(["", '""', "k".repeat(256), "a b", "\u00fc", "one,two", '"one","two"', '"one,two"'])(
    "is rejected with 422 if it is %j",
    async (key) => {
      const { status, json, keys } = await createWith(key);
      expect([status, keys]).toEqual([422, []]);
      expect(JSON.stringify(json)).toContain("must be one key of 1 to 255 visible ASCII characters");
    },
  );

  test.each([
    ["k".repeat(255), "k".repeat(255)],
    ['"a\\\\b\\"c"', 'a\\b"c'],
    ['"a', '"a'],
    ['a"b"', 'a"b"'],
  ])("%s is the key %s", async (sent, key) => {
    expect(await createWith(sent)).toMatchObject({ status: 200, keys: [key] });
  });
});

test("A service tag that the platform rejects is 422 at uuiData, and other failures stay what they are", async () => {
  const create400 = async (field: string) => {
    const body = { conference: { [field]: ["secret-canary"] } };
    const failure = new PlatformError({ outcome: "refused", message: "status 400", status: 400, body });
    return create({ query: `uuiData=${hex("8d1f")}`, failure });
  };
  const { status, json, lines } = await create400("tag");
  const msg = "Value error, the conferencing platform rejected this service tag";
  const fault = { type: "value_error", loc: ["query", "uuiData"], msg };
  expect([status, json]).toMatchObject([422, { detail: [fault] }]);
  expect(lines.join("")).not.toContain("secret-canary");
  expect((await create400("call_type")).status).toBe(502);
});

test.each(["uuiData", "UUIDATA"])(
  "A JSON body with %s is rejected with 422, which says where it belongs",
  async (name) => {
    const { status, json, lines } = await create({ body: JSON.stringify({ other: 1, [name]: "canary" }) });
    const msg = "Value error, a create has no body; send uuiData as a query parameter";
    const fault = { type: "value_error", loc: ["body", name], msg, ctx: { error: {} } };
    expect([status, json]).toEqual([422, { detail: [fault] }]);
    expect(lines.join("")).not.toContain("canary");
  },
);

test.each([
  "",
  '{"tag":"x"}',
  '["uuiData"]',
  "null",
  '{"uuiData"',
  '{"a":{"uuiData":1}}',
  JSON.stringify({ uuiData: "x".repeat(65_536) }),
])("The body %j is ignored", async (body) => {
  expect((await create({ body })).status).toBe(200);
});

describe("The service tag", () => {
  const base = "https://tags.example.com/session";
  const url = "https://verification.example.com/session/1";

  test.each([
    ["the documented form", `${hex(url)};encoding=hex`],
    ["hex digits without an encoding", hex(url)],
    [
      "parameters in other order and case",
      `${hex(url).toUpperCase()};Purpose=x;ENCODING=HEX;Content=isdn-uui`,
    ],
    ["a quoted encoding and spaces", ` ${hex(url)} ; encoding = "hex" `],
    ["a protocol discriminator 00", `00${hex(url)};encoding=hex`],
    ["a protocol discriminator 04", `04${hex(url)};encoding=hex`],
    ["a parameter whose name only ends in encoding", `${hex(url)};x-encoding=base64`],
  ])("%s is decoded to the URL", (_, uuiData) => {
    expect(decodeServiceTag(uuiData, undefined)).toBe(url);
  });

  test.each(["a1B2.c-d_e~f", "-a1B2", "_a1B2", "~a1B2"])(
    "the path token %s is appended to the base URL",
    (token) => {
      expect(decodeServiceTag(hex(token), base)).toBe(`${base}/${token}`);
    },
  );

  test.each([url, "HTTP://example.com/a", url.padEnd(250, "x")])("the URL %s is used unchanged", (text) => {
    expect(decodeServiceTag(hex(text), base)).toBe(text);
  });

  test("a path token is rejected without a base URL", () => {
    expect(() => decodeServiceTag(hex("a1B2"), undefined)).toThrow("invalid-request");
  });

  const notHex = "uuiData must be pairs of hexadecimal digits";
  const onlyOnce = "uuiData must be percent-encoded only once";
  const otherEncoding = "the encoding must be hex";
  const notText = "uuiData must be UTF-8 without control characters";
  const notUrl = "uuiData must contain an http or https URL without credentials, or a path token";
  const tooLong = "the service tag must have at most 250 characters";
  test.each([
    ["nothing", "", notHex],
    ["an odd number of digits", "687", notHex],
    ["other characters", "zz", notHex],
    ["the parameter encoded twice", `${hex(url)}%3Bencoding%3Dhex`, onlyOnce],
    ["the parameter encoded three times", `${hex(url)}%253bencoding%253dhex`, onlyOnce],
    ["two encodings, one not hex", `${hex(url)};encoding=hex;encoding=base64`, otherEncoding],
    ["another encoding after a space", `${hex(url)};encoding = base64`, otherEncoding],
    ["an empty encoding", `${hex(url)};encoding=`, otherEncoding],
    ["text that is not UTF-8", "c328", notText],
    ["a line break inside", hex(`${url}\r\nX: 1`), notText],
    ["a text direction mark", hex(`${url}\u202e`), notText],
    ["a line separator", hex(`${url}\u2028`), notText],
    ["a byte order mark", hex(`\ufeff${url}`), notText],
    ["two protocol discriminators", `0004${hex(url)}`, notText],
    ["only a discriminator", "04", notUrl],
    ["another scheme", hex("javascript:alert(1)"), notUrl],
    ["a scheme that ends in http", hex("xhttp://example.com/"), notUrl],
    ["a URL with a name", hex("https://name@example.com/"), notUrl],
    ["a URL with a password", hex("https://:word@example.com/"), notUrl],
    ["a URL without a host", hex("https://"), notUrl],
    ["a URL with a space", hex("https://example.com/a b"), notUrl],
    ["a token that begins with a dot", hex("..x"), notUrl],
    ["a token with a slash", hex("a/b"), notUrl],
    ["251 characters", hex(url.padEnd(251, "x")), tooLong],
    ["more than 4,096 characters", "61".repeat(2049), "uuiData is too long"],
  ])("%s is rejected with 422 and the violated rule", (_, uuiData, reason) => {
    const fault = { type: "value_error", loc: ["query", "uuiData"], msg: `Value error, ${reason}` };
    const details = expect.objectContaining({ faults: [expect.objectContaining(fault)] });
    const refusal = expect.objectContaining({ code: "invalid-request", details });
    expect(() => decodeServiceTag(uuiData, base)).toThrow(refusal);
  });

  test("decodes every input to a tag that the platform can store, or rejects it with 422", () => {
    const input = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }).map(hex),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("hex")),
    );
    const outcomeOf = (uuiData: string): unknown => {
      try {
        return decodeServiceTag(uuiData, base);
      } catch (error) {
        return error instanceof Error && "status" in error ? error.status : error;
      }
    };
    fc.assert(
      fc.property(input, (uuiData) => {
        expect([422, expect.stringMatching(/^https?:\/\/[^\p{Cc}]{1,242}$/u)]).toContainEqual(
          outcomeOf(uuiData),
        );
      }),
      { numRuns: 300 },
    );
  });
});
