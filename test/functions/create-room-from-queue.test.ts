/** POST /room/create: every status it can return. */
import { describe, expect, test } from "vitest";
import { createRoom } from "../../src/functions/create-room.ts";
import { createRoomFromQueue } from "../../src/functions/create-room-from-queue.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { failure, invalidRequest } from "../support/failure-responses.ts";
import { roomSecrets, useInProcessGateway } from "../support/in-process-gateway.ts";

const gateway = useInProcessGateway();

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const create = async (query: Record<string, string> = {}) => gateway.call(createRoomFromQueue, { query });

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

test("Appends a path token to the configured base URL", async () => {
  await gateway.poolRoom("a-room");
  const tag = "https://verify.example.com/sessions/8d1f-42";
  expect(await create({ uuiData: hex("8d1f-42") })).toMatchObject({ status: 200, json: { tag } });
});

test("Returns 404 pool-exhausted without a body if the pool is empty, with Retry-After and one request for a room", async () => {
  expect(await create()).toMatchObject(failure("pool-exhausted", { "retry-after": "10" }));
  expect(await gateway.receiveTexts("provisioning")).toEqual(['{"reason":"bulk","upTo":50}']);
  expect(gateway.log.join("\n")).toContain("pool-exhausted");
});

test("Returns 422 invalid-request if the platform rejects the service tag, and releases the message", async () => {
  await gateway.poolRoom("a-room");
  const body = { conference: { tag: ["secret-canary"] } };
  gateway.stack.platform.addFault({ kind: "status", status: 400, method: "PATCH", body });
  const fault = { type: "value_error", loc: ["query", "uuiData"] };
  expect(await create({ uuiData: hex("8d1f") })).toMatchObject(invalidRequest(fault));
  expect(gateway.log.join("\n")).not.toContain("secret-canary");
  expect(await gateway.receiveTexts("pool")).toEqual(["a-room"]);
});

describe("With an Idempotency-Key", () => {
  const createWith = async (key: string, query: Record<string, string> = {}) =>
    gateway.call(createRoomFromQueue, { query, headers: { "idempotency-key": key } });

  test("returns the same room to a retry, with a quoted or bare key, also on the legacy path", async () => {
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

  test("returns 422 for an unusable key and takes no room", async () => {
    await gateway.poolRoom("a-room");
    for (const key of ["", '""', "k".repeat(256), "a b", "\u00fc", "one,two", '"one","two"', '"one,two"'])
      expect([key, await createWith(key)]).toMatchObject([key, { status: 422, code: "invalid-request" }]);
    expect(await gateway.receiveTexts("pool")).toEqual(["a-room"]);
  });

  test("accepts 255 visible characters and a quoted key with escapes", async () => {
    for (const name of ["room-a", "room-b"]) await gateway.poolRoom(name);
    expect((await createWith("k".repeat(255))).status).toBe(200);
    expect((await createWith('"a\\\\b\\"c"')).status).toBe(200);
  });
});
