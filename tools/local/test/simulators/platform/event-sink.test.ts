/** How conferencing nodes deliver their events. */
import { expect, test } from "vitest";
import { managementClient } from "../../../../../test/support/management-client.ts";
import { platformAccount } from "../../../../../test/support/use-platform.ts";
import { useStartedPerTest } from "../../../../../test/support/use-started.ts";
import { type Answer, startLoopbackServer } from "../../../simulators/loopback-server.ts";
import { startPlatformSimulator } from "../../../simulators/platform/platform-simulator.ts";

const [nodeA, nodeB] = ["10.0.0.21", "10.0.0.22"];
const [started, ended] = ["conference_started", "conference_ended"];

interface ReceivedEvent {
  readonly node: string;
  readonly seq: number;
  readonly event: string;
  readonly data: unknown;
}

/** Bodies in the order in which they came, failed attempts included. */
let received: ReceivedEvent[];
let authorizations: (string | undefined)[];
let answer: (event: ReceivedEvent) => Answer | Promise<Answer>;
const receiver = useStartedPerTest(async () => {
  [received, authorizations, answer] = [[], [], () => ({ status: 204 })];
  return startLoopbackServer(async ({ method, body, headers }) => {
    // Where a redirected post would end up if it were followed.
    if (method === "GET") return { status: 204 };
    const event: ReceivedEvent = JSON.parse(body.toString("utf8"));
    received.push(event);
    authorizations.push(headers.authorization);
    return answer(event);
  });
});
const platform = useStartedPerTest(async () => startPlatformSimulator(platformAccount));

const configure = (changes: Parameters<typeof platform.configureSink>[0] = {}) =>
  platform.configureSink({ url: receiver.url, initialBackoffSeconds: 0.001, ...changes });
const kinds = (node?: string): string[] =>
  received.filter((event) => node === undefined || event.node === node).map(({ event }) => event);

test("A conference on two nodes posts start and end from each, in separate envelopes with Basic credentials", async () => {
  configure({ username: "sink-user", password: "sink-password" });
  platform.seedRooms({ rows: [{ name: "pool-017", tag: "pool" }] });
  platform.startConference({ name: "pool-017", nodes: [nodeA, nodeB] });
  platform.endConference({ name: "pool-017" });
  await platform.sinkIdle();

  for (const node of [nodeA, nodeB]) expect(kinds(node)).toEqual(["eventsink_started", started, ended]);
  expect(received.find(({ event }) => event === ended)).toEqual({
    node: expect.any(String),
    seq: 3,
    version: 2,
    time: expect.any(Number),
    event: ended,
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
  expect(new Set(authorizations)).toEqual(new Set([expected]));
});

test("A conference that spreads starts on its new node only; one that returns starts there again", async () => {
  configure();
  platform.startConference({ name: "a", nodes: [nodeA] });
  platform.startConference({ name: "a", nodes: [nodeA, nodeB] });
  platform.endConference({ name: "a", nodes: [nodeA] });
  platform.startConference({ name: "a", nodes: [nodeA] });
  await platform.sinkIdle();

  expect(kinds(nodeA)).toEqual(["eventsink_started", started, ended, started]);
  expect(kinds(nodeB)).toEqual(["eventsink_started", started]);
});

test("Participants join and leave on their node, with the room's name in `conference`", async () => {
  configure();
  platform.startConference({ name: "pool-017", participants: 1 });
  platform.endConference({ name: "pool-017" });
  await platform.sinkIdle();

  const participant = ["participant_connected", "participant_disconnected"];
  expect(kinds()).toEqual(["eventsink_started", started, ...participant, ended]);
  expect(received[2]?.data).toMatchObject({ conference: "pool-017", role: "chair" });
  expect(received[3]?.data).toMatchObject({ disconnect_reason: expect.any(String) });
});

test("A failed event is retried with the same seq before other events of its node, and a delivery resets the back-off", async () => {
  configure({ maxBackoffSeconds: 0.004 });
  const attempts = new Map<number, number>();
  answer = ({ seq }) => {
    attempts.set(seq, (attempts.get(seq) ?? 0) + 1);
    return { status: (attempts.get(seq) ?? 0) <= 3 ? 503 : 204 };
  };
  platform.startConference({ name: "a" });
  platform.endConference({ name: "a" });
  await platform.sinkIdle();

  expect(received.map(({ seq }) => seq)).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
  const counts = { queued: 0, delivered: 3, failedAttempts: 9, stoppedNodes: [] };
  expect(platform.sinkState()).toMatchObject(counts);
});

test("A node posts one event at a time and does not delay other nodes", async () => {
  configure();
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  answer = async ({ node }) => {
    if (node === nodeA) await gate;
    return { status: 204 };
  };
  platform.startConference({ name: "a", nodes: [nodeA, nodeB] });
  await expect.poll(() => kinds(nodeB)).toHaveLength(2);

  expect(kinds(nodeA)).toHaveLength(1);
  release();
  await platform.sinkIdle();
  expect(kinds(nodeA)).toHaveLength(2);
});

test("A redirect and a late response count as failures", async () => {
  configure({ timeoutSeconds: 2 });
  const answers: Answer[] = [{ status: 302, headers: { location: "/elsewhere" } }, "silence"];
  answer = () => answers.shift() ?? { status: 204 };
  platform.startConference({ name: "a" });
  await platform.sinkIdle();

  expect(received.map(({ seq }) => seq)).toEqual([1, 1, 1, 2]);
});

test("A node past the maximum back-off stops with an alarm", async () => {
  configure({ maxBackoffSeconds: 0.004 });
  answer = () => ({ status: 401 });
  platform.startConference({ name: "a" });
  await platform.sinkIdle();

  // Back-offs of 1, 2 and 4 ms are waited out; the next would be 8.
  expect(received).toHaveLength(4);
  expect(platform.sinkState()).toMatchObject({ stoppedNodes: [nodeA], queued: 2 });
  const alarms = await managementClient(platform)("GET", "/api/admin/status/v1/alarm/");
  expect(alarms.json.objects).toMatchObject([{ name: "eventsink_maximum_backoff", node: nodeA }]);
});

test("The platform posts nothing without a sink, which can be configured later without credentials", async () => {
  platform.startConference({ name: "a" });
  expect(platform.sinkState().nodes).toEqual([]);

  configure();
  platform.endConference({ name: "a" });
  await platform.sinkIdle();
  expect(kinds()).toEqual(["eventsink_started", ended]);
  expect(authorizations).toEqual([undefined, undefined]);
});
