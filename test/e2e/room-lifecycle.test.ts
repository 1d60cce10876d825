/** The life of a room over HTTP: every state transition (specification 3) and the flows through them. */
import { beforeEach, expect, test } from "vitest";
import { RoomGoneError } from "../../client/src/errors.ts";
import { encodeServiceTag } from "../../client/src/service-tag.ts";
import { createWidgetClient } from "../../client/src/widget.ts";
import { identities } from "../../tools/local/stack/identities.ts";
import { asEventSink } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway({ settings: () => ({ GC_MINIMUM_AGE_SECONDS: "0" }) });
beforeEach(async () => gateway.empty());

const createdName = async () => (await gateway.consumer.createRoom()).name;
const ended = async (name: string) =>
  gateway.send("POST /public/event_sink", {
    headers: asEventSink(),
    json: { event: "conference_ended", data: { name } },
  });

test("none → pooled: POST /room/bulk/ returns 202 and provisions rooms in the background, up to the maximum", async () => {
  expect(await gateway.sendAsApplication("POST /room/bulk/?max_vmr=4")).toMatchObject({
    status: 202,
    text: "",
  });
  expect(await gateway.settled()).toBe(4);
  expect(gateway.stack.platform.roomCount()).toBe(4);
  expect(await gateway.sendAsApplication("POST /room/bulk/?max_vmr=4")).toMatchObject({ status: 202 });
  expect(await gateway.settled()).toBe(4);
});

test.each(["/room/create", "/room/create/old"])(
  "pooled → in use: POST %s returns a pooled room with the decoded tag and requests a replacement",
  async (path) => {
    await gateway.fillPool(4);
    const roomsBefore = gateway.stack.platform.rooms().map(({ name }) => name);
    const tag = "https://verify.example.com/sessions/8d1f";
    const response = await gateway.sendAsApplication(`POST ${path}?uuiData=${encodeServiceTag(tag)}`);
    expect(response).toMatchObject({ status: 200, json: { tag, service_type: "conference" } });
    const { name } = response.json as { name: string };
    expect(roomsBefore).toContain(name);
    expect(gateway.room(name)).toMatchObject({ tag });
    expect(await gateway.settled()).toBe(4);
    expect(gateway.stack.platform.roomCount()).toBe(roomsBefore.length + 1);
  },
);

test("in use → queued for deletion: conference_ended adds the name to room-deletion-queue and deletes nothing", async () => {
  await gateway.fillPool(4);
  const name = await createdName();
  expect(await ended(name)).toMatchObject({ status: 204, text: "" });
  const [message] = await gateway.queues.deletion.receive(1, 1);
  expect(message?.text).toBe(name);
  expect(gateway.room(name)).toBeDefined();
});

test("queued for deletion → deleted: the collector deletes the room and its message", async () => {
  await gateway.fillPool(4);
  const name = await createdName();
  await ended(name);
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(gateway.room(name)).toBeUndefined();
  expect(await gateway.queues.deletion.count()).toBe(0);
  await expect(gateway.consumer.getRoom(name)).rejects.toBeInstanceOf(RoomGoneError);
});

test("queued for deletion → gone: the collector removes the message of a room that is missing from the platform", async () => {
  await ended("vanished-room");
  expect(await gateway.queues.deletion.count()).toBe(1);
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(await gateway.queues.deletion.count()).toBe(0);
});

test("any → deleted: DELETE /room/{room_name} deletes a pooled and a used room on the platform at once", async () => {
  await gateway.fillPool(4);
  const used = await createdName();
  await gateway.settled();
  const [message] = await gateway.queues.pool.receive(1, 1);
  for (const name of [used, message?.text ?? ""]) {
    expect(await gateway.sendAsApplication(`DELETE /room/${name}`)).toMatchObject({ status: 204, text: "" });
    expect(gateway.room(name)).toBeUndefined();
  }
});

test("any → deleted: DELETE /room/bulk/ deletes all matching rooms and clears the queue", async () => {
  await gateway.fillPool(4);
  await createdName();
  // A replacement that is being provisioned would be queued for deletion and could outlive the bulk delete.
  await gateway.settled();
  gateway.addRoom("test_kiosk");
  expect(await gateway.sendAsApplication("DELETE /room/bulk/")).toMatchObject({ status: 204, text: "" });
  await gateway.settled();
  expect(await gateway.queues.pool.count()).toBe(0);
  expect(gateway.stack.platform.rooms().map(({ name }) => name)).toEqual(["test_kiosk"]);
});

test("A room is created, read by the agent, used for a conference and collected after its end", async () => {
  const { platform } = gateway.stack;
  const { sinkUsername: username, sinkPassword: password } = identities;
  platform.configureSink({ url: `${gateway.url}/public/event_sink`, username, password });
  await gateway.fillPool(2);
  const name = await createdName();
  const widget = createWidgetClient({ baseUrl: gateway.url, getToken: () => identities.agentToken });
  expect(await widget.getRoom(name)).toMatchObject({ name, aliases: [{ alias: name }] });

  platform.startConference({ name, participants: 2 });
  platform.endConference({ name });
  await platform.sinkIdle();
  expect(await gateway.queues.deletion.count()).toBe(1);
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(gateway.room(name)).toBeUndefined();
  expect(await gateway.settled()).toBe(2);
});

test("The collector keeps a room whose conference is live again after a brief disconnect", async () => {
  await gateway.fillPool(2);
  const name = await createdName();
  await ended(name);
  gateway.stack.platform.startConference({ name, participants: 1 });
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(gateway.room(name)).toBeDefined();
});
