/** The tests of creating a room with success; its two paths behave the same. */
import { expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import type { HttpFunction } from "../../src/lib/http/contract.ts";
import { openQueues } from "../../src/lib/queues/storage-account.ts";
import { loadSettings } from "../../src/lib/settings/load-settings.ts";
import { createCredential } from "../../src/lib/wiring/credential.ts";
import { createDependencies, type Dependencies } from "../../src/lib/wiring/dependencies.ts";
import { type InProcessGateway, roomSecrets, storageDown } from "./in-process-gateway.ts";

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");

/** Declares the tests of one path. */
export function testRoomCreation(
  gateway: () => InProcessGateway,
  definition: HttpFunction<Dependencies>,
): void {
  const create = async (query: Record<string, string> = {}, needs?: Dependencies) =>
    gateway().call(definition, { query, headers: gateway().asApplication() }, needs);
  const texts = async (queue: "pool" | "provisioning") =>
    (await gateway().queues[queue].receive(32, 1)).map(({ text }) => text);

  test("200 name, guest PIN, tag and alias of a pooled room, and no host PIN", async () => {
    await gateway().poolRoom("a-room");
    const tag = "https://verify.example.com/sessions/8d1f";
    const answer = await create({ uuiData: `${hex(tag)};encoding=hex` });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      id: expect.any(Number),
      name: "a-room",
      service_type: "conference",
      allow_guests: true,
      guest_pin: roomSecrets.guestPin,
      tag,
      aliases: [{ alias: "a-room" }],
    });
    expect(answer.text).not.toContain(identities.hostPin);
    expect(gateway().room("a-room")).toMatchObject({ tag });
  });

  test("200 and the room is marked assigned, its message gone, one replacement asked for", async () => {
    await gateway().poolRoom("a-room");
    await create();
    expect(gateway().room("a-room")?.["description"]).toMatch(/^vmr-gateway assigned /);
    expect(await texts("pool")).toEqual([]);
    expect(await texts("provisioning")).toEqual(['{"reason":"claimed"}']);
  });

  test("200 without uuiData leaves the tag as it is", async () => {
    await gateway().poolRoom("a-room", { tag: "" });
    expect(await create()).toMatchObject({ status: 200, json: { tag: "" } });
  });

  test("200 for a path token, which is appended to the configured base", async () => {
    await gateway().poolRoom("a-room");
    const tag = "https://verify.example.com/sessions/8d1f-42";
    expect(await create({ uuiData: hex("8d1f-42") })).toMatchObject({ status: 200, json: { tag } });
  });

  test.each([";ENCODING=HEX", '; encoding="hex"', ";content=x;encoding=hex", ""])(
    "200 for uuiData with the parameters %j",
    async (parameters) => {
      await gateway().poolRoom("a-room");
      const uuiData = `04${hex("https://example.com/t")}${parameters}`;
      expect(await create({ uuiData })).toMatchObject({
        status: 200,
        json: { tag: "https://example.com/t" },
      });
    },
  );

  test("200 with the next room when one is gone from the platform, which is counted as room-missing", async () => {
    await gateway().queues.pool.put("vanished-room");
    await gateway().poolRoom("a-room");
    expect(await create()).toMatchObject({ status: 200, json: { name: "a-room" } });
    expect(gateway().log.join("\n")).toContain('"reason":"room-missing"');
  });

  test("200 although the replacement cannot be requested: the caller still gets the room", async () => {
    await gateway().poolRoom("a-room");
    const { adapters, stack } = gateway();
    const { queues } = adapters;
    const { storage } = loadSettings({ ...stack.settings, ...storageDown(stack.settings) });
    const { provisioning } = openQueues({ storage, credential: createCredential(storage) });
    const mixed = { ...adapters, queues: { ...queues, provisioning } };
    const needs = createDependencies(loadSettings(stack.settings), mixed);
    expect(await create({}, needs)).toMatchObject({ status: 200 });
    expect(gateway().log.join("\n")).toContain("replacement-failed");
  });
}
