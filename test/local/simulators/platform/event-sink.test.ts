/** How conferencing nodes deliver their events. */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from "../../../../local/simulators/platform/platform-simulator.ts";
import { type EventReceiver, startEventReceiver } from "../../../support/event-receiver.ts";
import { managementClient } from "../../../support/management-client.ts";
import { platformAccount } from "../../../support/use-platform.ts";

const sinkCredentials = { username: "sink-user", password: "sink-password" };
const [nodeA, nodeB] = ["10.0.0.21", "10.0.0.22"];

let receiver: EventReceiver;
let platform: PlatformSimulator;
beforeEach(async () => {
  receiver = await startEventReceiver();
  const eventSink = { url: receiver.url, ...sinkCredentials, initialBackoffSeconds: 0.001 };
  platform = await startPlatformSimulator({ ...platformAccount, eventSink });
});
afterEach(async () => {
  await platform.stop();
  await receiver.stop();
});

const kinds = (node?: string): string[] =>
  receiver.received.filter((event) => node === undefined || event.node === node).map(({ event }) => event);

test("A conference on two nodes posts start and end from each, in separate envelopes with Basic credentials", async () => {
  platform.seedRooms({ rows: [{ name: "pool-017", tag: "pool" }] });
  platform.startConference({ name: "pool-017", nodes: [nodeA, nodeB] });
  platform.endConference({ name: "pool-017" });
  await platform.sinkIdle();

  for (const node of [nodeA, nodeB]) {
    expect(kinds(node)).toEqual(["eventsink_started", "conference_started", "conference_ended"]);
  }
  const ended = receiver.received.filter(({ event }) => event === "conference_ended");
  expect(ended[0]).toEqual({
    node: expect.any(String),
    seq: 3,
    version: 2,
    time: expect.any(Number),
    event: "conference_ended",
    data: {
      name: "pool-017",
      service_type: "conference",
      tag: "pool",
      start_time: expect.any(Number),
      end_time: expect.any(Number),
      is_started: false,
      is_locked: false,
      guests_muted: false,
    },
  });
  const expected = `Basic ${Buffer.from("sink-user:sink-password").toString("base64")}`;
  expect(new Set(receiver.authorizations)).toEqual(new Set([expected]));
});

test("A conference that spreads starts on its new node only; one that returns starts there again", async () => {
  platform.startConference({ name: "a", nodes: [nodeA] });
  platform.startConference({ name: "a", nodes: [nodeA, nodeB] });
  platform.endConference({ name: "a", nodes: [nodeA] });
  platform.startConference({ name: "a", nodes: [nodeA] });
  await platform.sinkIdle();

  const [started, ended] = ["conference_started", "conference_ended"];
  expect(kinds(nodeA)).toEqual(["eventsink_started", started, ended, started]);
  expect(kinds(nodeB)).toEqual(["eventsink_started", started]);
});

test("Participants join and leave on their node, with the room's name in `conference`", async () => {
  platform.startConference({ name: "pool-017", participants: 1 });
  platform.endConference({ name: "pool-017" });
  await platform.sinkIdle();

  expect(kinds()).toEqual([
    "eventsink_started",
    "conference_started",
    "participant_connected",
    "participant_disconnected",
    "conference_ended",
  ]);
  expect(receiver.received[2]?.data).toMatchObject({ conference: "pool-017", role: "chair" });
  expect(receiver.received[3]?.data).toMatchObject({ disconnect_reason: expect.any(String) });
});

test("A failed event is retried with the same seq before other events of its node", async () => {
  let failures = 3;
  receiver.answer = ({ seq }) => ({ status: seq === 2 && failures-- > 0 ? 500 : 204 });
  platform.emitEvent({ event: "conference_ended", data: { name: "a" } });
  platform.emitEvent({ event: "conference_ended", data: { name: "b" } });
  await platform.sinkIdle();

  expect(receiver.received.map(({ seq }) => seq)).toEqual([1, 2, 2, 2, 2, 3]);
  expect(platform.sinkState()).toMatchObject({ queued: 0, delivered: 3, failedAttempts: 3 });
});

test("A node posts one event at a time and does not delay other nodes", async () => {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  receiver.answer = async ({ node }) => {
    if (node === nodeA) await gate;
    return { status: 204 };
  };
  for (const node of [nodeA, nodeA, nodeB]) platform.emitEvent({ node, event: "conference_updated" });
  await expect.poll(() => kinds(nodeB)).toHaveLength(2);

  expect(kinds(nodeA)).toHaveLength(1);
  release();
  await platform.sinkIdle();
  expect(kinds(nodeA)).toHaveLength(3);
});

test("A redirect and a late response count as failures", async () => {
  platform.configureSink({ timeoutSeconds: 2 });
  const answers = [{ status: 302, headers: { location: "/elsewhere" } }, "silence" as const];
  receiver.answer = () => answers.shift() ?? { status: 204 };
  platform.emitEvent({ event: "conference_updated" });
  await platform.sinkIdle();

  expect(receiver.received.map(({ seq }) => seq)).toEqual([1, 1, 1, 2]);
});

test("A delivery resets the back-off", async () => {
  platform.configureSink({ maxBackoffSeconds: 0.004 });
  const attempts = new Map<number, number>();
  receiver.answer = ({ seq }) => {
    attempts.set(seq, (attempts.get(seq) ?? 0) + 1);
    return { status: (attempts.get(seq) ?? 0) <= 3 ? 503 : 204 };
  };
  for (const name of ["a", "b"]) platform.emitEvent({ event: "conference_ended", data: { name } });
  await platform.sinkIdle();

  expect(platform.sinkState()).toMatchObject({
    queued: 0,
    delivered: 3,
    failedAttempts: 9,
    stoppedNodes: [],
  });
});

test("A node past the maximum back-off stops with an alarm until the sink is restarted", async () => {
  platform.configureSink({ maxBackoffSeconds: 0.004 });
  receiver.answer = () => ({ status: 401 });
  platform.emitEvent({ event: "conference_ended", data: { name: "a" } });
  await platform.sinkIdle();

  // Back-offs of 1, 2 and 4 ms are waited out; the next would be 8.
  expect(receiver.received).toHaveLength(4);
  expect(platform.sinkState()).toMatchObject({ stoppedNodes: [nodeA], queued: 2 });
  const alarms = await managementClient(platform)("GET", "/api/admin/status/v1/alarm/");
  expect(alarms.json.objects).toMatchObject([{ name: "eventsink_maximum_backoff", node: nodeA }]);

  receiver.answer = () => ({ status: 204 });
  receiver.received.length = 0;
  platform.restartSink();
  platform.emitEvent({ event: "conference_ended", data: { name: "b" } });
  await platform.sinkIdle();
  // What was buffered comes with its old numbers, then the count begins again.
  expect(receiver.received.map(({ seq, event }) => [seq, event])).toEqual([
    [1, "eventsink_started"],
    [2, "conference_ended"],
    [1, "eventsink_started"],
    [2, "conference_ended"],
  ]);
  expect(platform.sinkState()).toMatchObject({ stoppedNodes: [], queued: 0 });
  expect((await managementClient(platform)("GET", "/api/admin/status/v1/alarm/")).json.objects).toEqual([]);
});

test("A bulk sink wraps full envelopes and retries a failed batch as a whole", async () => {
  platform.configureSink({ bulk: true, bulkIntervalSeconds: 0.01 });
  let failures = 1;
  receiver.answer = ({ event }) => ({ status: event === "eventsink_bulk" && failures-- > 0 ? 503 : 204 });
  for (const name of ["a", "b", "c"]) platform.emitEvent({ event: "conference_ended", data: { name } });
  await platform.sinkIdle();

  expect(kinds()).toEqual(["eventsink_started", "eventsink_bulk", "eventsink_bulk"]);
  expect(receiver.received[2]).toMatchObject({ node: "127.0.0.1", seq: 0 });
  expect(receiver.received[2]?.data).toMatchObject([
    { node: nodeA, seq: 2, data: { name: "a" } },
    { node: nodeA, seq: 3, data: { name: "b" } },
    { node: nodeA, seq: 4, data: { name: "c" } },
  ]);
  expect(platform.sinkState().delivered).toBe(4);
});

test("The sink posts duplicates and stale events on request", async () => {
  platform.configureSink({ duplicateShare: 1 });
  platform.emitEvent({ event: "conference_ended", data: { name: "a" }, time: 1_700_000_000.5 });
  await platform.sinkIdle();

  expect(receiver.received.map(({ seq }) => seq)).toEqual([1, 1, 2, 2]);
  expect(receiver.received[2]?.time).toBe(1_700_000_000.5);
});

test("A shuffled sink reorders queued events but not the one in flight", async () => {
  await platform.stop();
  const eventSink = { url: receiver.url, shuffle: true };
  platform = await startPlatformSimulator({ ...platformAccount, eventSink, random: () => 0 });
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  receiver.answer = async () => {
    await gate;
    return { status: 204 };
  };
  for (const name of ["a", "b", "c"]) platform.emitEvent({ event: "conference_ended", data: { name } });
  await expect.poll(() => receiver.received).toHaveLength(1);
  release();
  await platform.sinkIdle();

  expect(receiver.received.map(({ seq }) => seq)).toEqual([1, 4, 3, 2]);
});

test("The platform posts nothing without a sink, which can be configured later", async () => {
  await platform.stop();
  platform = await startPlatformSimulator(platformAccount);
  platform.startConference({ name: "a" });
  expect(platform.sinkState().nodes).toEqual([]);

  platform.configureSink({ url: receiver.url });
  platform.endConference({ name: "a" });
  await platform.sinkIdle();
  expect(kinds()).toEqual(["eventsink_started", "conference_ended"]);
  expect(receiver.authorizations).toEqual([undefined, undefined]);
});
