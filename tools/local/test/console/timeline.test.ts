/** What the console's timeline makes of the host's log. */
import { expect, test } from "vitest";
import { summarizeLatency } from "../../console/create-latency.ts";
import { createTimeline } from "../../console/timeline.ts";

function started() {
  const timeline = createTimeline();
  timeline.setFunctions([
    { name: "createRoomFromQueue", trigger: "httpTrigger", route: "room/create", methods: ["POST"] },
    {
      name: "getRoom",
      trigger: "httpTrigger",
      route: "room/{room_name:regex(^[^b].{2}$)}",
      methods: ["GET"],
    },
    { name: "collectGarbage", trigger: "timerTrigger" },
    { name: "provisionRoom", trigger: "queueTrigger" },
  ]);
  const log = (functionName: string, lines: readonly object[], outcome = "Succeeded"): void => {
    const source = { level: "information", functionName, invocationId: `id-of-${functionName}` } as const;
    for (const line of lines) {
      timeline.onLog({ ...source, category: `Function.${functionName}.User`, message: JSON.stringify(line) });
    }
    const message = `Executed 'Functions.${functionName}' (${outcome}, Id=1, Duration=12ms)`;
    timeline.onLog({ ...source, category: `Function.${functionName}`, message });
  };
  return { timeline, log };
}

test("A request becomes one entry with method, path, status, duration, caller, correlation ID and room", () => {
  const { timeline, log } = started();
  const origin = { caller: "client-1", correlationId: "trace-1" };
  log("createRoomFromQueue", [
    { event: "room-claimed", room: "abc" },
    { event: "request", status: 200, durationMilliseconds: 34, ...origin },
  ]);
  expect(timeline.entries()).toEqual([
    {
      id: "id-of-createRoomFromQueue",
      time: expect.any(Number),
      kind: "request",
      tone: "good",
      title: "POST /room/create",
      status: 200,
      durationMilliseconds: 34,
      ...origin,
      steps: ["Room claimed"],
      rooms: ["abc"],
    },
  ]);
  expect(timeline.createDurations()).toEqual([34]);
});

test("A path that becomes known later is shown in the entry, with its room", () => {
  const { timeline, log } = started();
  log("getRoom", [{ event: "request", status: 404, code: "room-not-found", durationMilliseconds: 5 }]);
  expect(timeline.entries()).toMatchObject([{ title: "GET /room/{room}", tone: "warning" }]);
  timeline.setPath("id-of-getRoom", "/room/abc", "abc");
  expect(timeline.entries()).toMatchObject([
    { title: "GET /room/abc", rooms: ["abc"], steps: ["Room not found"] },
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

test("The latency has percentiles and one bucket per duration", () => {
  const latency = summarizeLatency(Array.from({ length: 100 }, (_, index) => index + 1));
  expect(latency).toMatchObject({ count: 100, p50: 50, p90: 90, p99: 99 });
  expect(latency.buckets.reduce((sum, { count }) => sum + count, 0)).toBe(100);
  expect(summarizeLatency([])).toMatchObject({ count: 0, p50: 0, p99: 0 });
});
