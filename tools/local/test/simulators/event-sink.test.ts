/** How conferencing nodes deliver their events. */
import { expect, test } from "vitest";
import { managementClient } from "../../../../test/support/management-client.ts";
import { platformAccount } from "../../../../test/support/use-platform.ts";
import { useStartedPerTest } from "../../../../test/support/use-started.ts";
import { type Answer, startLoopbackServer } from "../../simulators/loopback-server.ts";
import { startPlatformSimulator } from "../../simulators/platform/platform-simulator.ts";

const [nodeA, nodeB] = ["10.0.0.21", "10.0.0.22"];
const [started, ended] = ["conference_started", "conference_ended"];

interface ReceivedEvent {
  readonly node: string;
  readonly seq: number;
  readonly event: string;
  readonly data: unknown;
}

/** Bodies in the order of arrival, including failed attempts. */
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

test("A conference on two nodes posts start, participants and end from each, in envelopes with Basic credentials", async () => {
  configure({ username: "sink-user", password: "sink-password" });
  platform.seedRooms({ rows: [{ name: "pool-017", tag: "pool" }] });
  platform.startConference({ name: "pool-017", nodes: [nodeA, nodeB], participants: 1 });
  platform.endConference({ name: "pool-017" });
  await platform.sinkIdle();
  const participant = ["participant_connected", "participant_disconnected"];
  expect(kinds(nodeA)).toEqual(["eventsink_started", started, ...participant, ended]);
  expect(kinds(nodeB)).toEqual(["eventsink_started", started, ended]);
  expect(received.find(({ event }) => event === "participant_connected")?.data).toMatchObject({
    conference: "pool-017",
  });
  expect(received.find(({ event, node }) => event === ended && node === nodeB)).toMatchObject({
    seq: 3,
    version: 2,
    time: expect.any(Number),
    data: { name: "pool-017", tag: "pool", end_time: expect.any(Number), is_started: false },
  });
  const expected = `Basic ${Buffer.from("sink-user:sink-password").toString("base64")}`;
  expect(new Set(authorizations)).toEqual(new Set([expected]));
});

test("A failed, late or redirected event is retried with the same seq before other events of its node, which do not wait for other nodes", async () => {
  configure({ timeoutSeconds: 2 });
  const answers: Answer[] = [
    { status: 503 },
    { status: 302, headers: { location: "/elsewhere" } },
    "silence",
  ];
  answer = ({ node }) => (node === nodeA && answers.shift()) || { status: 204 };
  platform.startConference({ name: "a", nodes: [nodeA, nodeB] });
  await platform.sinkIdle();
  expect(received.filter(({ node }) => node === nodeA).map(({ seq }) => seq)).toEqual([1, 1, 1, 1, 2]);
  expect(kinds(nodeB)).toHaveLength(2);
  expect(platform.sinkState()).toMatchObject({ queued: 0, delivered: 4, failedAttempts: 3 });
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
