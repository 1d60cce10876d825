/** Creating a room: invalid requests that claim no room, and what is logged. */

import { HttpRequest, InvocationContext } from "@azure/functions";
import { describe, expect, test } from "vitest";
import { createRoomFromQueue } from "../../../src/functions/create-room-from-queue.ts";
import { GatewayError } from "../../../src/lib/errors.ts";
import { toHandler } from "../../../src/lib/http/pipeline.ts";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import type { Claims } from "../../../src/lib/pool/claim.ts";
import type { IdempotentClaims } from "../../../src/lib/pool/idempotent-claims.ts";
import { createManualClock } from "../../../tools/simulators/memory/clock.ts";
import { openAccess } from "../../../tools/simulators/memory/open-access.ts";
import { parseJson } from "../../../tools/simulators/process/parse-json.ts";

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");

interface SentCreate {
  readonly query?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  /** What claims throw. */
  readonly failure?: Error;
}

/** Sends a create, and returns its response, its log, and the keys and tags of its claims. The key `used` belongs to another tag. */
async function create({ query = "", body, headers = {}, failure }: SentCreate) {
  const lines: string[] = [];
  const keys: string[] = [];
  const tags: (string | undefined)[] = [];
  const room = { id: 7, name: "room-a" };
  const claim: Claims["claim"] = async (tag) => {
    tags.push(tag);
    return failure ? Promise.reject(failure) : room;
  };
  const claimWithKey: IdempotentClaims["claim"] = async ({ key }) => {
    if (key === "used") throw new GatewayError("key-reused");
    keys.push(key);
    return room;
  };
  const handler = toHandler(createRoomFromQueue, {
    accessChecks: openAccess,
    clock: createManualClock(),
    claims: { claim },
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
  return { status: response.status, json, lines, keys, tags };
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

test.each([
  [`uuiData=${hex("8d1f")}`, "https://verify.example.com/8d1f"],
  ["", undefined],
])("A create with the query %j claims a room for the tag %j", async (query, tag) => {
  expect((await create({ query })).tags).toEqual([tag]);
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

test.each([
  ["a JSON object", '{"other":1,"uuiData":"canary"}'],
  ["a form", "uuiData=canary"],
  ["a form in another case", "other=1&UUIDATA=canary"],
  ["a part of a form", '--x\r\nContent-Disposition: form-data; name="uuiData"\r\n\r\ncanary\r\n--x--'],
  ["malformed JSON", '{"uuiData'],
  ["a nested object", '{"a":{"uuiData":1}}'],
  ["a long text", `${" ".repeat(100_000)}uuidata`],
])("A body with uuiData in %s is rejected with 422, which says where it belongs", async (_, body) => {
  const { status, json, lines } = await create({ body });
  const msg = "Value error, a create has no body; send uuiData as a query parameter";
  const fault = { type: "value_error", loc: ["body"], msg, ctx: { error: {} } };
  expect([status, json]).toEqual([422, { detail: [fault] }]);
  expect(lines.join("")).not.toContain("canary");
});

test.each(["", '{"tag":"x"}', "null", '{"uui'])("The body %j is ignored", async (body) => {
  expect((await create({ body })).status).toBe(200);
});
