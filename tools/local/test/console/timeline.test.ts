/** The timeline entries that the console makes from the host's log. */
import { expect, test } from "vitest";
import { describeTrouble, summarizeCreates } from "../../console/creates.ts";
import { createTimeline } from "../../console/timeline.ts";

const requests: Readonly<Record<string, string>> = {
  createRoomFromQueue: "POST /room/create",
  getRoom: "GET /room/abc",
  getPublicRoom: "GET /public/room/%E0%A4%A",
};

function started() {
  const timeline = createTimeline();
  let runs = 0;
  const log = (functionName: string, lines: readonly object[], outcome = "Succeeded"): void => {
    runs += 1;
    const source = { level: "information", functionName, invocationId: `run-${runs}` } as const;
    for (const line of lines) {
      timeline.onLog({ ...source, category: `Function.${functionName}.User`, message: JSON.stringify(line) });
    }
    const message = `Executed 'Functions.${functionName}' (${outcome}, Id=1, Duration=12ms)`;
    const title = requests[functionName];
    const background = { kind: functionName === "provisionRoom" ? "queue" : "timer" } as const;
    const trigger = title === undefined ? background : { kind: "request" as const, title };
    timeline.onLog({ ...source, category: `Function.${functionName}`, message, trigger });
  };
  return { timeline, log };
}

test("A request becomes one entry with method, path, status, duration, correlation ID, room and its state", () => {
  const { timeline, log } = started();
  log("createRoomFromQueue", [
    { event: "room-claimed", room: "abc" },
    { event: "request", status: 200, durationMilliseconds: 34, correlationId: "trace-1" },
  ]);
  expect(timeline.entries()).toEqual([
    {
      id: "run-1",
      time: expect.any(Number),
      kind: "request",
      tone: "good",
      title: "POST /room/create",
      status: 200,
      durationMilliseconds: 34,
      correlationId: "trace-1",
      steps: ["Room claimed"],
      rooms: ["abc"],
      states: { abc: "assigned" },
    },
  ]);
});

test.each([
  ["getRoom", "abc"],
  // An encoding that is not valid is shown as it is.
  ["getPublicRoom", "%E0%A4%A"],
])("A request that names a room belongs to that room: %s %s", (functionName, room) => {
  const { timeline, log } = started();
  log(functionName, [{ event: "request", status: 404, code: "room-not-found", durationMilliseconds: 5 }]);
  expect(timeline.entries()).toMatchObject([
    { title: requests[functionName], tone: "warning", rooms: [room], steps: ["Room not found"] },
  ]);
});

test("A timer's entry counts what was done, and a failed queue run is marked", () => {
  const { timeline, log } = started();
  log("collectGarbage", [
    { event: "room-deleted", room: "a" },
    { event: "room-deleted", room: "b" },
    { event: "deletion-skipped", room: "c", reason: "young" },
  ]);
  log("provisionRoom", [{ event: "run-failed" }], "Failed");
  expect(timeline.entries()).toMatchObject([
    { kind: "timer", steps: ["Room deleted × 2", "Deletion skipped (young)"], rooms: ["a", "b", "c"] },
    { kind: "queue", tone: "bad", steps: ["Run failed"] },
  ]);
});

test("A create counts as failed if it returns 503, or if its process ends, which is shown as 500", () => {
  const { timeline, log } = started();
  log("createRoomFromQueue", [], "Failed");
  expect(timeline.entries()).toMatchObject([{ title: "POST /room/create", status: 500, tone: "bad" }]);
  log("createRoomFromQueue", [{ event: "request", status: 503, durationMilliseconds: 5 }]);
  expect(summarizeCreates(timeline.entries())).toMatchObject({ count: 2, failed: 2 });
});

test("After thousands of runs, the newest are shown, each with its steps and its room's state", () => {
  const { timeline, log } = started();
  for (let index = 0; index <= 3000; index++)
    log("provisionRoom", [{ event: "room-provisioned", room: `${index}` }]);
  const entries = timeline.entries();
  expect(entries).toHaveLength(3000);
  for (const [entry, room] of [
    [entries[0], "1"],
    [entries.at(-1), "3000"],
  ] as const)
    expect(entry).toMatchObject({ steps: ["Room provisioned"], states: { [room]: "provisioning" } });
});

test("Runs that never end do not keep later runs from having steps", () => {
  const { timeline, log } = started();
  const source = {
    level: "information",
    functionName: "getRoom",
    category: "Function.getRoom.User",
  } as const;
  for (let index = 0; index < 600; index++)
    timeline.onLog({ ...source, invocationId: `lost-${index}`, message: '{"event":"room-read"}' });
  log("collectGarbage", [{ event: "room-deleted", room: "a" }]);
  expect(timeline.entries()).toMatchObject([{ steps: ["Room deleted"], states: { a: "gone" } }]);
});

test("Rooms are live from the first node's start to the last one's end, each time, and people come and go", () => {
  const { timeline, log } = started();
  const conference = { name: "abc" };
  const citizen = { conference: "abc", display_name: "Citizen", uuid: "1" };
  for (let meeting = 0; meeting < 2; meeting++) {
    timeline.onPlatformEvent("a", "conference_started", conference);
    timeline.onPlatformEvent("b", "conference_started", conference);
    expect(timeline.endedAt("abc")).toBeUndefined();
    timeline.onPlatformEvent("a", "conference_ended", conference);
    log("eventSink", [{ event: "room-queued-for-deletion", room: "abc" }]);
    expect(timeline.endedAt("abc")).toBe(timeline.entries().at(-1)?.time);
  }
  timeline.onPlatformEvent("a", "participant_connected", citizen);
  timeline.onPlatformEvent("a", "participant_disconnected", citizen);
  const titles = timeline.entries().map(({ title }) => title);
  expect(titles.filter((title) => title === "Live")).toHaveLength(2);
  expect(titles.slice(-2)).toEqual(["Citizen joined", "Citizen left"]);
  log("collectGarbage", [{ event: "room-deleted", room: "abc" }]);
  expect(timeline.endedAt("abc")).toBeUndefined();
});

test("The failure of creates is described with the failed platform call until a create succeeds", () => {
  const { timeline, log } = started();
  const create = (status: number, cause: object = {}) =>
    log("createRoomFromQueue", [{ event: "request", status, durationMilliseconds: 5, ...cause }]);
  const trouble = () => describeTrouble(timeline.entries(), Date.now());
  expect(trouble()).toBeUndefined();
  create(200);
  create(503, { code: "platform-login-refused", platformMethod: "PATCH", platformStatus: 403 });
  expect(trouble()).toBe(
    "1 of 2 creates failed in 5 min; the last: the platform refuses PATCH (403): the account may read but not change.",
  );
  create(404);
  expect(trouble()).toBeUndefined();
  create(503, { code: "storage-unavailable" });
  expect(trouble()).toBe("2 of 4 creates failed in 5 min; the last: the storage account does not respond.");
  expect(describeTrouble(timeline.entries(), Date.now() + 300_001)).toBeUndefined();
});

test("A change of the gateway's state becomes an entry with its reason, but its first start does not", () => {
  const timeline = createTimeline();
  timeline.onState({ state: "up" });
  timeline.onState({ state: "restarting", reason: "The app's process was ended by the signal SIGKILL" });
  timeline.onState({ state: "up" });
  expect(timeline.entries()).toMatchObject([
    { kind: "outage", tone: "bad", title: "Gateway restarting", steps: [expect.stringContaining("SIGKILL")] },
    { kind: "outage", tone: "good", title: "Gateway up again" },
  ]);
});

test("Creates are counted by their outcome, with percentiles of those that handed out a room", () => {
  const { timeline, log } = started();
  for (let milliseconds = 1; milliseconds <= 100; milliseconds++)
    log("createRoomFromQueue", [{ event: "request", status: 200, durationMilliseconds: milliseconds }]);
  for (const status of [503, 404, 422])
    log("createRoomFromQueue", [{ event: "request", status, durationMilliseconds: 1 }]);
  log("getRoom", [{ event: "request", status: 200, durationMilliseconds: 1 }]);
  expect(summarizeCreates(timeline.entries())).toEqual({
    count: 102,
    failed: 1,
    empty: 1,
    since: timeline.entries()[0]?.time,
    percentiles: { p50: 50, p90: 90, p99: 99 },
  });
  expect(summarizeCreates(timeline.entries().slice(0, 10)).percentiles).toEqual({ p50: 5, p90: 9, p99: 10 });
  expect(summarizeCreates(timeline.entries().slice(0, 9)).percentiles).toBeUndefined();
});
