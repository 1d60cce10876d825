/** POST /room/create: every status it can return. */
import { describe, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { createRoom } from "../../src/functions/create-room.ts";
import { createRoomFromQueue } from "../../src/functions/create-room-from-queue.ts";
import { deleteRoom } from "../../src/functions/delete-room.ts";
import { openQueues } from "../../src/lib/queues/storage-account.ts";
import { loadSettings } from "../../src/lib/settings/load-settings.ts";
import { createCredential } from "../../src/lib/wiring/credential.ts";
import { createDependencies, type Dependencies } from "../../src/lib/wiring/dependencies.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import { roomSecrets, useInProcessGateway } from "../support/in-process-gateway.ts";
import { testPlatformFaults } from "../support/platform-faults.ts";
import { programmingError, testStorageUnavailable, testUnexpectedError } from "../support/shared-failures.ts";

const gateway = useInProcessGateway();
const underTest = { gateway, definition: createRoomFromQueue };

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const create = async (query: Record<string, string> = {}, used?: Dependencies) =>
  gateway.call(createRoomFromQueue, { query }, used);

test("Returns 200 with a pooled room's name, guest PIN, tag and alias, and without the host PIN", async () => {
  await gateway.poolRoom("a-room");
  const tag = "https://verify.example.com/sessions/8d1f";
  const response = await create({ uuiData: `${hex(tag)};encoding=hex` });
  expect(response.status).toBe(200);
  expect(response.json).toEqual({
    id: expect.any(Number),
    name: "a-room",
    service_type: "conference",
    allow_guests: true,
    guest_pin: roomSecrets.guestPin,
    tag,
    aliases: [{ alias: "a-room" }],
  });
  expect(response.text).not.toContain(identities.hostPin);
  expect(gateway.room("a-room")).toMatchObject({ tag });
});

test("Marks the room as assigned, removes it from the pool and requests one replacement", async () => {
  await gateway.poolRoom("a-room");
  await create();
  expect(gateway.room("a-room")?.["description"]).toMatch(/^vmr-gateway assigned /);
  expect(await gateway.receiveTexts("pool")).toEqual([]);
  expect(await gateway.receiveTexts("provisioning")).toEqual(['{"reason":"claimed"}']);
});

test("Leaves the tag unchanged without uuiData", async () => {
  await gateway.poolRoom("a-room", { tag: "" });
  expect(await create()).toMatchObject({ status: 200, json: { tag: "" } });
});

test("Appends a path token to the configured base URL", async () => {
  await gateway.poolRoom("a-room");
  const tag = "https://verify.example.com/sessions/8d1f-42";
  expect(await create({ uuiData: hex("8d1f-42") })).toMatchObject({ status: 200, json: { tag } });
});

test("Returns the next room if the first is missing from the platform, and logs it as missing", async () => {
  await gateway.queues.pool.put("vanished-room");
  await gateway.poolRoom("a-room");
  expect(await create()).toMatchObject({ status: 200, json: { name: "a-room" } });
  expect(gateway.log.join("\n")).toContain('"reason":"room-missing"');
});

test("Returns 200 even if the replacement cannot be requested", async () => {
  await gateway.poolRoom("a-room");
  const { adapters, stack } = gateway;
  const { storage } = loadSettings({ ...stack.settings, ...gateway.storageDown() });
  const { provisioning } = openQueues({ storage, credential: createCredential(storage) });
  const mixed = { ...adapters, queues: { ...adapters.queues, provisioning } };
  const used = createDependencies(loadSettings(stack.settings), mixed);
  expect(await create({}, used)).toMatchObject({ status: 200 });
  expect(gateway.log.join("\n")).toContain("replacement-failed");
});

test("Returns ten different rooms to ten concurrent callers", async () => {
  const names = Array.from({ length: 10 }, (_, index) => `room-${index}`);
  for (const name of names) await gateway.poolRoom(name);
  const responses = await Promise.all(names.map(async () => create()));
  expect(responses.map(({ status }) => status)).toEqual(names.map(() => 200));
  expect(responses.map(({ json }) => (json as { name: string }).name).toSorted()).toEqual(names);
});

test.each([
  ["an odd number of digits", "6;encoding=hex", "uuiData must be pairs of hexadecimal digits"],
  ["no characters", "", "uuiData must be pairs of hexadecimal digits"],
  ["5,000 characters", "61".repeat(2500), "uuiData is too long"],
])("Returns 422 for uuiData with %s and leaves the pool unchanged", async (_, uuiData, reason) => {
  await gateway.poolRoom("a-room");
  const loc = ["query", "uuiData"];
  const fault = { type: "value_error", loc, msg: `Value error, ${reason}`, ctx: { error: {} } };
  expect(await create({ uuiData })).toMatchObject({
    status: 422,
    code: "invalid-request",
    json: { detail: [fault] },
  });
  expect(await gateway.receiveTexts("pool")).toEqual(["a-room"]);
});

test("Returns 404 pool-exhausted without a body if the pool is empty, with Retry-After and one healing request", async () => {
  const response = await create();
  expect(response).toMatchObject({ status: 404, code: "pool-exhausted", text: "" });
  expect(response.headers["retry-after"]).toBe("10");
  expect(await gateway.receiveTexts("provisioning")).toEqual(['{"reason":"healing","upTo":50}']);
  expect(gateway.log.join("\n")).toContain("pool-exhausted");
});

test("Returns 502 platform-rejected if the platform rejects the room, and leaves the message to its lease", async () => {
  await gateway.poolRoom("a-room");
  const body = { conference: { description: ["not allowed"] } };
  gateway.stack.platform.addFault({ kind: "status", status: 400, method: "PATCH", body });
  expect(await create({ uuiData: hex("8d1f") })).toMatchObject({ status: 502, code: "platform-rejected" });
  expect(await gateway.queues.pool.count()).toBe(1);
  expect(await gateway.receiveTexts("pool")).toEqual([]);
});

test("Returns 422 invalid-request if the platform rejects the service tag, and releases the message", async () => {
  await gateway.poolRoom("a-room");
  const body = { conference: { tag: ["secret-canary"] } };
  gateway.stack.platform.addFault({ kind: "status", status: 400, method: "PATCH", body });
  expect(await create({ uuiData: hex("8d1f") })).toMatchObject({
    status: 422,
    code: "invalid-request",
    json: { detail: [{ type: "value_error", loc: ["query", "uuiData"] }] },
  });
  expect(gateway.log.join("\n")).not.toContain("secret-canary");
  expect(await gateway.receiveTexts("pool")).toEqual(["a-room"]);
});

describe("With an Idempotency-Key", () => {
  const createWith = async (key: string, query: Record<string, string> = {}) =>
    gateway.call(createRoomFromQueue, { query, headers: { "idempotency-key": key } });

  test("returns the same room to a repeat, quoted or bare, and on the legacy path", async () => {
    for (const name of ["room-a", "room-b", "room-c"]) await gateway.poolRoom(name);
    const first = await createWith("8e03978e", { uuiData: hex("8d1f") });
    const repeats = [
      await createWith('"8e03978e"', { uuiData: hex("8d1f") }),
      await gateway.call(createRoom, {
        query: { uuiData: hex("8d1f") },
        headers: { "idempotency-key": "8e03978e" },
      }),
    ];

    expect(first.status).toBe(200);
    for (const repeat of repeats) expect([repeat.status, repeat.json]).toEqual([200, first.json]);
    expect(await gateway.queues.pool.count()).toBe(2);
  });

  test("returns 422 if the key was sent with another uuiData", async () => {
    await gateway.poolRoom("a-room");
    await createWith("key-1", { uuiData: hex("8d1f") });
    expect(await createWith("key-1", { uuiData: hex("8d20") })).toMatchObject({
      status: 422,
      code: "invalid-request",
      json: { detail: [{ type: "value_error", loc: ["header", "idempotency-key"] }] },
    });
  });

  test("returns 404 if the key's room has been deleted", async () => {
    await gateway.poolRoom("a-room");
    await createWith("key-2");
    await gateway.call(deleteRoom, { roomName: "a-room" });
    expect(await createWith("key-2")).toMatchObject({ status: 404, code: "room-not-found", text: "" });
  });

  test.each([
    ["an empty key", ""],
    ["an empty quoted key", '""'],
    ["256 characters", "k".repeat(256)],
    ["a space", "a b"],
    ["a letter outside ASCII", "\u00fc"],
    ["two keys", "one, two"],
  ])("returns 422 for %s and takes no room", async (_, key) => {
    await gateway.poolRoom("a-room");
    expect(await createWith(key)).toMatchObject({ status: 422, code: "invalid-request" });
    expect(await gateway.receiveTexts("pool")).toEqual(["a-room"]);
  });

  test("accepts 255 visible characters and a quoted key with escapes", async () => {
    for (const name of ["room-a", "room-b"]) await gateway.poolRoom(name);
    expect((await createWith("k".repeat(255))).status).toBe(200);
    expect((await createWith('"a\\\\b\\"c"')).status).toBe(200);
  });
});

test("Returns 503 and discards the room if the outcome of writing the tag is unknown", async () => {
  await gateway.poolRoom("a-room");
  gateway.stack.platform.addFault({ kind: "reset", method: "PATCH" });
  expect(await create({ uuiData: hex("8d1f") })).toMatchObject({ status: 503 });
  expect(await gateway.queues.pool.count()).toBe(0);
  expect(await gateway.receiveTexts("deletion")).toEqual(["a-room"]);
});

test("Returns 503 claim-failed after ten rooms that are missing from the platform", async () => {
  for (let index = 0; index < 10; index++) await gateway.queues.pool.put(`vanished-${index}`);
  expect(await create()).toMatchObject({
    status: 503,
    code: "claim-failed",
    json: { detail: "Could not allocate a room; retry the request" },
    headers: { "retry-after": "1" },
  });
  expect(gateway.log.join("\n")).toContain("claim-failed");
});

test("Returns 503 and makes the room available again at once if the platform is down", async () => {
  await gateway.poolRoom("a-room");
  await gateway.stack.platform.goDown("refuse");
  expect(await create()).toMatchObject({
    status: 503,
    code: "platform-unavailable",
    json: { detail: "The conferencing platform cannot be reached" },
  });
  expect(await gateway.receiveTexts("pool")).toEqual(["a-room"]);
});

testStorageUnavailable(underTest);
testUnexpectedError(underTest, () => ({ claims: { claim: programmingError } }));
testBearerRefusals(underTest);
testPlatformFaults(underTest, async () => gateway.poolRoom("a-room"));
