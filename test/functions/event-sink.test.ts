/** POST /public/event_sink: every status it can return. */
import { expect, test } from "vitest";
import { eventSink } from "../../src/functions/event-sink.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { asEventSink } from "../support/credentials.ts";
import { failure } from "../support/failure-responses.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";

const ended = (name: unknown) => ({ event: "conference_ended", data: { name } });

const gateway = useInProcessGateway();

const post = async (json: unknown) => gateway.call(eventSink, { json });
const queued = async () => (await gateway.receiveTexts("deletion")).toSorted();

test("Returns 204 without a body and queues the room name", async () => {
  expect(await post(ended("a-room"))).toMatchObject({ status: 204, text: "" });
  expect(await queued()).toEqual(["a-room"]);
  expect(gateway.log.join("\n")).not.toMatch(/event-(ignored|unusable)/);
});

const connected = { event: "participant_connected", data: { conference: "a-room" } };

test.each<[string, unknown, string]>([
  ["an event of another kind", connected, "participant_connected"],
  ["an empty object", {}, "unnamed"],
])("Returns 204 for %s, queues nothing and names the kind in one log line", async (_, event, kind) => {
  expect(await post(event)).toMatchObject({ status: 204, text: "" });
  expect(await gateway.queues.deletion.count()).toBe(0);
  expect(gateway.log).toEqual([expect.stringContaining(`"ignored":1,"kind":"${kind}"`)]);
});

test("Returns 204 for conference_ended without a usable name, and logs it", async () => {
  expect(await post(ended("a\u0001b"))).toMatchObject({ status: 204, text: "" });
  expect(await gateway.queues.deletion.count()).toBe(0);
  expect(gateway.log.find((text) => text.includes("event-unusable"))).toContain(`"count":1`);
});

// The platform does not document the Content-Type that it sends.
test("Returns 204 for JSON with another Content-Type", async () => {
  const sent = { text: JSON.stringify(ended("a-room")), headers: { "content-type": "text/plain" } };
  expect(await gateway.call(eventSink, sent)).toMatchObject({ status: 204 });
  expect(await queued()).toEqual(["a-room"]);
});

test("Returns 401 with a Basic challenge before it reads the body", async () => {
  const challenge = { "www-authenticate": 'Basic realm="vmr-gateway", charset="UTF-8"' };
  const headers = asEventSink(identities.sinkUsername, "wrong");
  const response = await gateway.callAsGiven(eventSink, { text: "not JSON", headers });
  expect(response).toMatchObject(failure("unauthenticated", challenge));
});
