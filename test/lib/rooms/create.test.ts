/** Creating a room: invalid requests that claim no room, what is logged, and service tags. */

import { HttpRequest, InvocationContext } from "@azure/functions";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRoomFromQueue } from "../../../src/functions/create-room-from-queue.ts";
import { toHandler } from "../../../src/lib/http/pipeline.ts";
import { KeyReusedError } from "../../../src/lib/pool/idempotent-claims.ts";
import { decodeServiceTag } from "../../../src/lib/rooms/create.ts";
import { parseJson } from "../../../tools/simulators/process/parse-json.ts";
import { createManualClock } from "../../support/clock.ts";
import { openAccess } from "../../support/open-access.ts";
import { canary } from "../../support/refused-uui-data.ts";

/** Sends a create and returns its response and log. No room is there to be claimed. */
async function create(query: string, body?: string, headers?: Record<string, string>) {
  const lines: string[] = [];
  const room = { id: 7, name: "room-a" };
  const claim = async () => room;
  const refuseKey = async () => Promise.reject(new KeyReusedError());
  const handler = toHandler(createRoomFromQueue, {
    accessChecks: openAccess,
    clock: createManualClock(),
    claims: { claim },
    idempotentClaims: { claim: refuseKey },
    serviceTagBaseUrl: "https://verify.example.com",
  });
  const url = `http://127.0.0.1/room/create?${query}`;
  const logHandler = (_level: string, line: unknown) => void lines.push(String(line));
  const context = new InvocationContext({ functionName: "createRoomFromQueue", logHandler });
  const sent = body === undefined ? {} : { body: { string: body } };
  const response = await handler(
    new HttpRequest({ method: "POST", url, ...sent, ...(headers && { headers }) }),
    context,
  );
  return {
    status: response.status,
    json: typeof response.body === "string" ? parseJson(response.body) : undefined,
    lines,
  };
}

test("Rejects a key that was used with another uuiData with 422 at its header", async () => {
  const { status, json } = await create("", undefined, { "idempotency-key": "a-key" });
  const msg = "Value error, this key was used with another uuiData";
  const fault = { type: "value_error", loc: ["header", "idempotency-key"], msg, ctx: { error: {} } };
  expect([status, json]).toEqual([422, { detail: [fault] }]);
});

test.each(["uuiData", "uuidata", "UUIDATA"])(
  "Rejects a JSON body with %s with 422, which says where it belongs",
  async (name) => {
    const { status, json, lines } = await create("", JSON.stringify({ other: 1, [name]: canary }));
    const msg = "Value error, a create has no body; send uuiData as a query parameter";
    const fault = { type: "value_error", loc: ["body", name], msg, ctx: { error: {} } };
    expect([status, json]).toEqual([422, { detail: [fault] }]);
    expect(lines.join("")).not.toContain(canary);
  },
);

test.each([
  "",
  "{}",
  '{"tag":"x"}',
  '["uuiData"]',
  '"uuiData"',
  "null",
  '{"uuiData"',
  "uuiData=61",
  '{"a":{"uuiData":1}}',
  JSON.stringify({ uuiData: "x".repeat(65_536) }),
])("The body %j is ignored", async (body) => {
  expect((await create("", body)).status).toBe(200);
});

describe("The service tag", () => {
  const url = "https://verification.example.com/session/1";
  const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
  const refusal = (reason: string) =>
    expect.objectContaining({
      code: "invalid-request",
      details: expect.objectContaining({
        faults: [
          expect.objectContaining({
            type: "value_error",
            loc: ["query", "uuiData"],
            msg: `Value error, ${reason}`,
            ctx: { error: {} },
          }),
        ],
      }),
    });

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
    ["a parameter without a value", `${hex(url)};flag;encoding=hex`],
  ])("%s is decoded to the URL", (_, uuiData) => {
    expect(decodeServiceTag(uuiData, undefined)).toBe(url);
  });

  test("a path token is appended to the base URL, and is rejected without one", () => {
    const base = "https://tags.example.com/session";
    expect(decodeServiceTag(hex("a1B2.c-d_e~f"), base)).toBe(`${base}/a1B2.c-d_e~f`);
    expect(() => decodeServiceTag(hex("a1B2"), undefined)).toThrow(
      refusal("uuiData must contain an http or https URL without credentials, or a path token"),
    );
  });

  test.each(["-a1B2", "_a1B2", "~a1B2"])(
    "the path token %s with leading punctuation is accepted",
    (token) => {
      const base = "https://tags.example.com/session";
      expect(decodeServiceTag(hex(token), base)).toBe(`${base}/${token}`);
    },
  );

  test("a URL is used unchanged, whatever the base URL and the case of its scheme", () => {
    expect(decodeServiceTag(hex("HTTPS://example.com/a"), undefined)).toBe("HTTPS://example.com/a");
    expect(decodeServiceTag(hex(url), "https://tags.example.com")).toBe(url);
  });

  describe("422 with the violated rule", () => {
    const notHex = "uuiData must be pairs of hexadecimal digits";
    const onlyOnce = "uuiData must be percent-encoded only once";
    const notText = "uuiData must be UTF-8 without control characters";
    const notUrl = "uuiData must contain an http or https URL without credentials, or a path token";
    test.each([
      ["nothing", "", notHex],
      ["only parameters", ";encoding=hex", notHex],
      ["an odd number of digits", "687", notHex],
      ["other characters", "zz", notHex],
      ["a space between digits", "68 74", notHex],
      ["the parameter encoded twice", `${hex(url)}%3Bencoding%3Dhex`, onlyOnce],
      ["the parameter encoded three times", `${hex(url)}%253bencoding%253dhex`, onlyOnce],
      ["another encoding", `${hex(url)};encoding=ascii`, "the encoding must be hex"],
      ["two encodings, one not hex", `${hex(url)};encoding=hex;encoding=base64`, "the encoding must be hex"],
      ["another encoding after a space", `${hex(url)};encoding = base64`, "the encoding must be hex"],
      ["an empty encoding", `${hex(url)};encoding=`, "the encoding must be hex"],
      ["text that is not UTF-8", "c328", notText],
      ["an incomplete character", "e282", notText],
      ["a NUL inside", `${hex(url)}00`, notText],
      ["a line break inside", hex(`${url}\r\nX: 1`), notText],
      ["a text direction mark", hex(`${url}\u202e`), notText],
      ["a line separator", hex(`${url}\u2028`), notText],
      ["a byte order mark", hex(`\ufeff${url}`), notText],
      ["two protocol discriminators", `0004${hex(url)}`, notText],
      ["another discriminator", `01${hex(url)}`, notText],
      ["only a discriminator", "04", notUrl],
      ["another scheme", hex("javascript:alert(1)"), notUrl],
      ["a file", hex("file:///etc/passwd"), notUrl],
      ["a URL with credentials", hex("https://name:word@example.com/"), notUrl],
      ["a URL with a name only", hex("https://name@example.com/"), notUrl],
      ["a URL with a password only", hex("https://:word@example.com/"), notUrl],
      ["a URL without a host", hex("https://"), notUrl],
      ["a URL with a space", hex("https://example.com/a b"), notUrl],
      ["a URL without a scheme", hex("//example.com/x"), notUrl],
      ["a path", hex("../x"), notUrl],
      ["a token that begins with a dot", hex(".x"), notUrl],
      ["a token with a slash", hex("a/b"), notUrl],
      ["251 characters", hex(url.padEnd(251, "x")), "the service tag must have at most 250 characters"],
      ["more than 4,096 characters", "61".repeat(2049), "uuiData is too long"],
    ])("%s", (_, uuiData, reason) => {
      expect(() => decodeServiceTag(uuiData, "https://tags.example.com")).toThrow(refusal(reason));
    });

    test("a path token that makes the tag too long", () => {
      expect(() => decodeServiceTag(hex("x".repeat(240)), "https://tags.example.com")).toThrow(
        refusal("the service tag must have at most 250 characters"),
      );
    });
  });

  test("a tag of 250 characters is accepted", () => {
    expect(decodeServiceTag(hex(url.padEnd(250, "x")), undefined)).toHaveLength(250);
  });

  test("decodes every input to a tag that the platform can store, or rejects it with 422", () => {
    const input = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }).map(hex),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("hex")),
    );
    const outcomeOf = (uuiData: string): unknown => {
      try {
        return decodeServiceTag(uuiData, "https://tags.example.com");
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
      { numRuns: 1000 },
    );
  });
});
