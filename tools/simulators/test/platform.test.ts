/** The platform keeps the facts on which the gateway depends, in memory and behind the simulator's sockets. */
import { describe, expect, onTestFinished, test } from "vitest";
import { createTransport } from "../../../src/lib/platform/transport.ts";
import {
  conferencePath as path,
  platformCredentials,
  usePlatform,
} from "../../../test/support/use-platform.ts";
import { createManualClock } from "../memory/clock.ts";
import { ApiError } from "../platform/api-error.ts";
import { createLiveConferences } from "../platform/live.ts";
import { createMemoryPlatform } from "../platform/memory-platform.ts";
import { startLoopbackServer } from "../services/loopback-server.ts";

const now = () => Date.UTC(2026, 3, 1, 15, 58, 6, 714);
const simulator = usePlatform(now);
const authorization = await platformCredentials.authorization();

type Method = "GET" | "POST" | "PATCH" | "DELETE";

describe.each(["in memory", "behind sockets"])("The simulated platform %s", (where) => {
  function start() {
    const memory = createMemoryPlatform(now);
    const [platform, transport] =
      where === "in memory" ? [memory, memory.transport] : [simulator, createTransport(simulator.url, 20)];
    const send = async (request: string, body?: Record<string, unknown>) => {
      const [method = "", target = path] = request.split(" ");
      return transport({ method: method as Method, path: target, body }, authorization);
    };
    return { platform, send };
  }

  const twoPins = { pin: "123456", allow_guests: true };
  test.each([
    { what: "an unknown choice", fields: { service_type: "party" }, named: "conference.service_type" },
    { what: "a number out of range", fields: { max_callrate_in: 64 }, named: "conference.max_callrate_in" },
    { what: "equal PINs", fields: { ...twoPins, guest_pin: "123456" }, named: "conference.__all__" },
    {
      what: "PINs of unequal lengths",
      fields: { ...twoPins, guest_pin: "7654321" },
      named: "conference.__all__",
    },
    {
      what: "PINs of unequal lengths of which one ends in #",
      fields: { ...twoPins, pin: "123456#", guest_pin: "654321" },
      named: "conference.__all__",
    },
    { what: "a written id", fields: { id: 7 }, named: "error" },
  ])("refuses a room with $what, and names the field", async ({ fields, named }) => {
    const { platform, send } = start();
    const { status, body } = await send("POST", { name: "a", ...fields });
    expect(status).toBe(400);
    expect(body).toHaveProperty(named);
    expect(platform.roomCount()).toBe(0);
  });

  test("refuses to wipe a list, returns the path of a new room, and counts the calls", async () => {
    const { platform, send } = start();
    platform.seedRooms({ count: 3 });
    expect((await send("DELETE")).status).toBe(403);
    expect(platform.roomCount()).toBe(3);
    const headers = { location: `${path}4/` };
    expect(await send("POST", { name: "a" })).toMatchObject({ status: 201, headers });
    await send(`GET ${path}1/`);
    expect(platform.requests()).toMatchObject({ total: 3, byRoute: { [`GET ${path}{id}/`]: 1 } });
  });

  test("has one alarm per name and node until all are cleared", async () => {
    const { platform, send } = start();
    const path = "/api/admin/status/v1/alarm/";
    const alarms = ["10.0.0.21", "10.0.0.22", "10.0.0.22"].map((node) => ({ name: "a", node }));
    expect(alarms.map(platform.raiseAlarm)).toEqual([1, 2, 2]);
    expect((await send(`GET ${path}`)).body).toMatchObject({ objects: alarms.slice(0, 2) });
    platform.clearAlarms();
    expect((await send(`GET ${path}`)).body).toMatchObject({ objects: [] });
  });

  test("lists nothing by an unknown parameter, and no next page after a full last one", async () => {
    const { platform, send } = start();
    platform.seedRooms({ count: 2 });
    expect((await send(`GET ${path}?tag=x`)).status).toBe(400);
    expect((await send(`GET ${path}?limit=2`)).body).toMatchObject({ meta: { next: null } });
  });

  test.each([
    { mode: "refuse", failure: { outcome: "not-sent" } },
    { mode: "reset", failure: { outcome: "unknown" } },
    { mode: "503", failure: { status: 503, body: "" } },
  ] as const)("is down and back after an outage of kind $mode", async ({ mode, failure }) => {
    const { send, platform } = start();
    await platform.goDown(mode);
    expect(await send("GET").catch((error: unknown) => error)).toMatchObject(failure);
    await platform.goUp();
    expect((await send("GET")).status).toBe(200);
  });
});

test("A body that is not declared as JSON gets 400", async () => {
  const undeclared = { method: "POST", headers: { authorization }, body: new TextEncoder().encode("{}") };
  expect((await fetch(simulator.url + path, undeclared)).status).toBe(400);
});

describe("The conferencing nodes of the simulated platform", () => {
  const delaySeconds = 90;
  const tooEarly = "The conferencing nodes do not know this room yet.";
  const wrongPin = "The PIN is wrong.";
  const noRoom = "There is no such room.";
  const first = { name: "a", pin: "111111", allow_guests: true, guest_pin: "222222", tag: "first" };

  function start() {
    const clock = createManualClock();
    const platform = createMemoryPlatform(clock.now);
    platform.setBehaviour({ nodeDelaySeconds: delaySeconds });
    const send = async (method: Method, body?: Record<string, unknown>) =>
      platform.transport({ method, path: method === "POST" ? path : `${path}1/`, body }, authorization);
    /** Returns the tag of the conference, or the reason of a refusal. */
    function join(pin: string): unknown {
      try {
        platform.joinConference({ name: "a", participant: "Citizen", pin });
        return platform.state.live.all()[0]?.tag;
      } catch (error) {
        return error instanceof ApiError ? Object(error.body).error : error;
      }
    }
    /** Tries PINs before and after the delay. No conference is left. */
    function beforeAndAfter(...pins: readonly string[]): unknown[] {
      const attempt = (pin: string): unknown => {
        const outcome = join(pin);
        platform.state.live.clear();
        return outcome;
      };
      clock.advance(delaySeconds - 1);
      const before = pins.map(attempt);
      clock.advance(1);
      return [before, pins.map(attempt)];
    }
    return { clock, platform, send, join, beforeAndAfter };
  }

  test("learn late of a new room, a changed PIN and tag, and a deletion, and know seeded rooms at once", async () => {
    const { platform, send, beforeAndAfter, join } = start();
    await send("POST", first);
    expect(beforeAndAfter("111111", "222222")).toEqual([
      [tooEarly, tooEarly],
      ["first", "first"],
    ]);
    await send("PATCH", { guest_pin: "333333", tag: "second" });
    expect(beforeAndAfter("222222", "333333")).toEqual([
      ["first", wrongPin],
      [wrongPin, "second"],
    ]);
    await send("DELETE");
    expect(beforeAndAfter("222222", "333333")).toEqual([
      [wrongPin, "second"],
      [noRoom, noRoom],
    ]);
    platform.seedRooms({ rows: [first] });
    expect(join("222222")).toBe("first");
  });

  test("run a conference with what it began with, and let people join it in a deleted room", async () => {
    const { clock, platform, send, join } = start();
    platform.seedRooms({ rows: [first] });
    await send("PATCH", { guest_pin: "333333", tag: "second" });
    platform.startConference({ name: "a" });
    clock.advance(delaySeconds);
    expect([join("222222"), join("333333")]).toEqual(["first", wrongPin]);
    await send("DELETE");
    clock.advance(delaySeconds);
    expect([join("222222"), join("333333")]).toEqual(["first", wrongPin]);
  });
});

test("A conference and its participants end on each node for itself", async () => {
  const emitted: string[] = [];
  let newest: unknown;
  const live = createLiveConferences(now, (node, event, data) => {
    emitted.push(`${node} ${event}`);
    newest = data;
  });
  const room = { name: "é", service_type: "conference", tag: "", pin: "", guest_pin: "" };
  live.join(room, "a", "Agent");
  live.join(room, "b", "Citizen");
  live.join(room, "c", "Guest");
  live.end("é", ["c"]);
  live.leave("é", "Agent");
  expect(live.all().map(({ participants }) => Array.from(participants, ({ node }) => node))).toEqual([["b"]]);
  live.leave("é", "Citizen");
  expect([live.all(), live.end("é")]).toEqual([[], false]);
  const seconds = now() / 1000;
  expect(newest).toMatchObject({ name: "é", start_time: seconds, end_time: seconds, is_started: false });
  const events = [
    "conference_started",
    "participant_connected",
    "participant_disconnected",
    "conference_ended",
  ];
  const of = (node: string, from: number) => events.slice(from, from + 2).map((event) => `${node} ${event}`);
  expect(emitted).toEqual([
    ...of("a", 0),
    ...of("b", 0),
    ...of("c", 0),
    ...of("c", 2),
    ...of("a", 2),
    ...of("b", 2),
  ]);
});

test("The events of a node are posted in order with its credentials, each again until it is accepted", async () => {
  const events: unknown[] = [];
  const sink = await startLoopbackServer(({ body, headers }) => {
    const { event, seq, time } = JSON.parse(body.toString());
    const [, login = ""] = headers.authorization?.split("Basic ") ?? [];
    events.push([event, seq, time, Buffer.from(login, "base64").toString()]);
    // A redirect does not accept the event.
    return { status: events.length === 1 ? 302 : 204 };
  });
  onTestFinished(sink.stop);
  simulator.configureSink({ url: `${sink.url}/a/path`, username: "sïnk", password: "p:é" });
  simulator.startConference({ name: "a" });
  await simulator.sinkIdle();
  const sent = [now() / 1000, "sïnk:p:é"];
  const started = ["eventsink_started", 1, ...sent];
  expect(events).toEqual([started, started, ["conference_started", 2, ...sent]]);
  simulator.configureSink({ url: sink.url });
  simulator.startConference({ name: "b" });
  await simulator.sinkIdle();
  expect(events.at(-1)).toEqual(["conference_started", 3, now() / 1000, ""]);
});
