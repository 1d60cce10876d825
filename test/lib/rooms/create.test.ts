/** Creating a room: keys and tags, invalid requests that claim no room, and what is logged. */
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import type { MemoryRequest } from "../../../tools/simulators/memory/gateway.ts";
import { valueError } from "../../support/faults.ts";
import { usePoolWorld } from "../../support/pool-world.ts";

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");

const world = usePoolWorld();
beforeEach(async () => {
  for (const name of ["room-a", "room-b", "room-c"]) await world.addPooled(name);
});
const create = async (request: MemoryRequest = {}) => world.call("createRoomFromQueue", request);
const tagged = (tag: string) => ({ query: { uuiData: hex(tag) } });

describe("The Idempotency-Key", () => {
  const createWith = async (key: string, tag = "8d1f") =>
    create({ ...tagged(tag), headers: { "idempotency-key": key } });

  test("is rejected with 422 at its header if it was used with another uuiData", async () => {
    await createWith("used");
    const fault = valueError(["header", "idempotency-key"], "this key was used with another uuiData");
    expect(await createWith("used", "77aa")).toMatchObject({ status: 422, json: { detail: [fault] } });
  });

  test.each(["", '""', "k".repeat(256), "a b", "\u00fc", "one,two", '"one","two"', '"one,two"'])(
    "is rejected with 422 if it is `%s`",
    async (key) => {
      const { status, text } = await createWith(key);
      expect([status, world.pool.texts().length]).toEqual([422, 3]);
      expect(text).toContain("must be one key of 1 to 255 visible ASCII characters");
    },
  );

  const zeros = "00000000-0000-0000-0000-000000000000";
  const words = ["undefined", "NULL", "NaN", "none", "<string>", "{{$guid}}", "${key}", '"{{key}}"'];
  const guide = readFileSync("docs/integration.md", "utf8");
  const ofGuide = /^Idempotency-Key: (.+)$/m.exec(guide)?.[1] ?? "missing";
  test.each([...words, ofGuide, `"${ofGuide}"`, "{key}", zeros])(
    "is rejected with 422 if it is the placeholder `%s`",
    async (key) => {
      const { status, text } = await createWith(key);
      expect([status, world.pool.texts().length]).toEqual([422, 3]);
      expect(text).toContain("must be a key of this create, not a placeholder");
    },
  );

  test("may contain the signs of placeholders", async () => {
    const keys = ["null-1", "x-undefined", "<a>b", "a<b>", "{{a}}b", "a{{b}}", "{a}", "$a${b}"];
    keys.push("{Key}", "{key}1", "KEY", `{${zeros}}`, zeros.replaceAll("-", ""), zeros.replace("0", "1"));
    for (const key of keys) await world.addPooled(`room-of-${key}`);
    const responses = await Promise.all(keys.map(async (key) => createWith(key)));
    expect(responses.map(({ status }) => status)).toEqual(Array(keys.length).fill(200));
  });

  test.each([
    ["k".repeat(255), `"${"k".repeat(255)}"`],
    ['"a', '"\\"a"'],
    ['a"b"', '"a\\"b\\""'],
    ["a\\b", '"a\\\\b"'],
  ])("given as `%s` is the same key as `%s`", async (bare, quoted) => {
    const { status, json } = await createWith(bare);
    expect([status, json]).toEqual([200, (await createWith(quoted)).json]);
    expect((await createWith("another")).json).not.toEqual(json);
  });
});

test("A service tag that the platform rejects is 422 at uuiData, and other failures stay what they are", async () => {
  const createRejected = async (field: string) => {
    world.platform.clearFaults();
    const body = { conference: { host_view: ["no"], [field]: ["secret-canary"] } };
    world.platform.addFault({ status: 400, method: "PATCH", body });
    return create(tagged("8d1f"));
  };
  const fault = valueError(["query", "uuiData"], "the conferencing platform rejected this service tag");
  expect(await createRejected("tag")).toMatchObject({ status: 422, json: { detail: [fault] } });
  expect(world.functionLog.join("")).not.toContain("secret-canary");
  expect(await createRejected("call_type")).toMatchObject({ status: 502 });
});

test.each([
  '{"other":1,"uuiData":"canary"}',
  "other=1&UUIDATA=canary",
  '--x\r\nContent-Disposition: form-data; name="uuiData"\r\n\r\ncanary\r\n--x--',
  '{"uuiData',
])("A body with uuiData is rejected with 422, which says where it belongs: %s", async (text) => {
  const { status, json } = await create({ text });
  const fault = valueError(["body"], "a create has no body; send uuiData as a query parameter");
  expect([status, json]).toEqual([422, { detail: [fault] }]);
  expect(world.functionLog.join("")).not.toContain("canary");
});

test.each(["", '{"tag":"x"}', "null", '{"uui'])("The body `%s` of a create is ignored", async (body) => {
  expect((await create({ text: body })).status).toBe(200);
});

test.each([
  ["JSON and no uuiData in the query", "application/json", {}, 411],
  ["JSON and uuiData in the query", "application/json", tagged("8d1f"), 200],
  ["the type of PHP's forms", "application/x-www-form-urlencoded", {}, 200],
  ["no type", "", {}, 200],
])("A chunked body, which the host drops, with %s is lost or ignored", async (_, type, request, status) => {
  const headers = { "transfer-encoding": "chunked", ...(type && { "content-type": type }) };
  expect((await create({ ...request, headers })).status).toBe(status);
});
