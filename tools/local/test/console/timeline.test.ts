/** The timeline entries that the console makes from the host's log, and what they say about provisioning. */
import { expect, test } from "vitest";
import { createTimeline } from "../../console/timeline.ts";
import { describeProvisioningProblem } from "../../terminal/provisioning-problem.ts";

const requests: Readonly<Record<string, string>> = {
  createRoomFromQueue: "POST /room/create",
  getRoom: "GET /room/abc",
  listRooms: "GET /room/list",
  getPublicRoom: "GET /public/room/abc",
  eventSink: "POST /public/event_sink",
};

function started() {
  const timeline = createTimeline();
  let runs = 0;
  const log = (functionName: string, lines: readonly object[], outcome = "Succeeded"): void => {
    runs += 1;
    const source = { level: "information", functionName, invocationId: `run-${runs}` } as const;
    const category = `Function.${functionName}`;
    for (const line of lines)
      timeline.onLog({ ...source, category: `${category}.User`, message: JSON.stringify(line) });
    const message = `Executed 'Functions.${functionName}' (${outcome}, Id=1, Duration=12ms)`;
    const title = requests[functionName];
    const background = { kind: functionName === "provisionRoom" ? "queue" : "timer" } as const;
    const trigger = title === undefined ? background : { kind: "request" as const, title };
    timeline.onLog({ ...source, category, message, trigger });
  };
  return { timeline, log };
}

test("Each run becomes an entry with what was done, its rooms, and what has failed", () => {
  const { timeline, log } = started();
  log("createRoomFromQueue", [
    { event: "room-claimed", room: "abc" },
    { event: "request", status: 200, durationMilliseconds: 34, correlationId: "trace-1" },
  ]);
  log("collectGarbage", [
    { event: "room-deleted", room: "a" },
    { event: "room-deleted", room: "b" },
    { event: "deletion-skipped", room: "c", reason: "young" },
  ]);
  log("provisionRoom", [{ event: "run-failed" }], "Failed");
  log("getPublicRoom", [{ event: "request", status: 404, code: "room-not-found" }]);
  log("getRoom", [{ event: "request", status: 500, code: "unexpected", room: "sha256:0123456789ab" }]);
  log("eventSink", [{ event: "request", status: 204, ignored: 1, kind: "conference_started" }]);
  log("listRooms", [{ event: "request", status: 200 }]);
  // Its process has ended.
  log("createRoomFromQueue", [], "Failed");
  const created = { id: "run-1", kind: "request", tone: "good", title: "POST /room/create", status: 200 };
  const details = { durationMilliseconds: 34, correlationId: "trace-1", steps: ["Room claimed"] };
  const deletions = { steps: ["Room deleted × 2", "Deletion skipped (young)"], rooms: ["a", "b", "c"] };
  expect(timeline.entries()).toMatchObject([
    { ...created, ...details, rooms: ["abc"] },
    { kind: "timer", ...deletions },
    { kind: "queue", tone: "bad", steps: ["Run failed"] },
    { title: "GET /public/room/abc", tone: "warning", rooms: ["abc"], steps: ["Room not found"] },
    { title: "GET /room/abc", status: 500, tone: "bad", rooms: ["abc"] },
    { kind: "event", tone: "good", steps: ["Event ignored (conference_started)"], rooms: [] },
    { title: "GET /room/list", rooms: [] },
    { title: "POST /room/create", status: 500, tone: "bad", durationMilliseconds: 12 },
  ]);
});

test("After a thousand runs, the newest are shown, each with its steps, and no line of an ended run is kept", () => {
  const { timeline, log } = started();
  for (let index = 0; index <= 1000; index++)
    log("provisionRoom", [{ event: "room-provisioned", room: `${index}` }]);
  const entries = timeline.entries();
  const [oldest] = entries;
  expect([entries.length, oldest?.steps, oldest?.rooms]).toEqual([1000, ["Room provisioned"], ["1"]]);
  const source = { level: "information", functionName: "provisionRoom", invocationId: "run-1" } as const;
  const message = "Executed 'Functions.provisionRoom' (Succeeded, Id=1, Duration=12ms)";
  timeline.onLog({ ...source, category: "Function.provisionRoom", message, trigger: { kind: "queue" } });
  expect(timeline.entries().at(-1)).toMatchObject({ id: "run-1", steps: [] });
});

test("The end of a room is known when it is queued for deletion or discarded", () => {
  const { timeline, log } = started();
  log("eventSink", [{ event: "room-queued-for-deletion", room: "abc" }]);
  log("createRoomFromQueue", [{ event: "room-discarded", room: "def" }]);
  expect([...timeline.endings().keys()]).toEqual(["abc", "def"]);
});

test("Provisioning has a problem after three failures in a row, until a room is provisioned", () => {
  const { timeline, log } = started();
  const failWith = (platformStatus: number) => () => {
    const refused = { failure: "platform-rejected", platformStatus, platformMethod: "POST" };
    log("provisionRoom", [{ event: "provisioning-failed", ...refused }], "Failed");
  };
  const provision = () => log("provisionRoom", [{ event: "room-provisioned", room: "a" }]);
  const runs = [failWith(500), failWith(500), failWith(403), provision, failWith(403)];
  const problems = runs.map((run) => [run(), describeProvisioningProblem(timeline.entries())][1]);
  const words = "the platform refuses POST (403): the account may not create";
  expect(problems).toEqual([undefined, undefined, words, undefined, undefined]);
});
