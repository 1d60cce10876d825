/**
 * docs/deployment.md, "Taking over from a running service", in virtual time: the old service and the gateway share a
 * platform, while callers create rooms and meet in them.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { temporaryFolder } from "../../../test/support/script-process.ts";
import { createManualClock } from "../../simulators/memory/clock.ts";
import { createMemoryGateway, createMemoryWorld } from "../../simulators/memory/gateway.ts";
import { createMemoryQueue, type MemoryQueue } from "../../simulators/memory/queue.ts";
import { platformOf } from "../gateway/target.ts";
import { memoryTarget } from "./memory-target.ts";
import { ops } from "./run-ops.ts";

// All times are in minutes. A room is deleted within the first 21 after it was queued.
const deletion = 21;
const lastCreate = 200;
const lastEnd = lastCreate + 24 * 60 + 30;

type Meeting = Readonly<Record<"from" | "to", number>>;

/** Returns when callers are in a room that is created in this minute. */
function meetingsIn(minute: number): Meeting[] {
  const after = (from: number, to: number) => ({ from: minute + from, to: minute + to });
  if (minute === 134) return [{ from: minute + 2, to: lastEnd }];
  if (minute === 136) return [];
  if (minute === 138) return [after(45, 55)];
  // All leave for a short time: the old collector would delete the room during the second meeting.
  const isInterrupted = minute >= 52 && minute % 4 === 0;
  return isInterrupted ? [after(2, 6), after(8, 20)] : [after(2, 12)];
}

const decode = (text: string) => Buffer.from(text, "base64").toString();

/** The old service, whose collector knows no marker and does not look for a live conference. */
function createOldService({ platform, clock }: ReturnType<typeof createMemoryWorld>) {
  const { conferences } = platform.state;
  const queues = { pool: createMemoryQueue(clock), deletion: createMemoryQueue(clock) };
  let rooms = 0;
  async function addRoom(): Promise<void> {
    rooms += 1;
    const name = `Old/${rooms}+ä==`;
    platform.seedRooms({ rows: [{ name, aliases: [{ alias: name }] }] });
    await queues.pool.put(Buffer.from(name).toString("base64"));
  }
  return {
    ...queues,
    addRoom,
    create: async (): Promise<string | undefined> => {
      const [message] = await queues.pool.receive(1, 30);
      if (!message) return undefined;
      await queues.pool.delete(message);
      await addRoom();
      return conferences.findByName(decode(message.text))?.name;
    },
    collect: async (): Promise<void> => {
      for (const message of await queues.deletion.receive(20, 30)) {
        if (message.ageSeconds < 600) continue;
        const room = conferences.findByName(message.text);
        if (room) conferences.remove(String(room.id));
        await queues.deletion.delete(message);
      }
    },
  };
}

/** Carries out the steps, and returns what goes wrong. */
async function takeOver(unmarkedRooms: "collect" | "keep") {
  const world = createMemoryWorld(createManualClock());
  const { clock, platform, queues } = world;
  const { settings, client, ...gateway } = createMemoryGateway(world, {
    settings: {
      MAX_VMR: "6",
      POOL_READY_DELAY_SECONDS: "90",
      UNMARKED_ROOMS: unmarkedRooms,
      GC_MAX_MESSAGES: "99",
    },
  });
  const target = memoryTarget({ clock, queues, settings, platform: platformOf(client) });
  const unmarked = async (...args: string[]) => ops(["unmarked", ...args], { connect: async () => target });
  const file = join(await temporaryFolder(), "names.txt");
  const old = createOldService(world);
  const faults = new Set<string>();
  const calls = new Map<string, readonly Meeting[]>();
  const sinks = new Set(["old"]);
  let undelivered: { readonly sink: string; readonly name: string }[] = [];
  const running = new Set(["old app", "old collector"]);
  /** Where API Management has sent the consumers; the last one counts. */
  const backends = ["old"];

  /** Reads a queue as the document's loop does. */
  async function read(queue: MemoryQueue): Promise<string[]> {
    const texts = (await queue.receive(32, 3600)).map(({ text }) => text);
    return texts.length === 0 ? [] : [...texts, ...(await read(queue))];
  }
  async function deleteRooms(lines: readonly string[]): Promise<void> {
    await writeFile(file, lines.join("\n"));
    for (let run = 0; run < 2; run++) await unmarked(file, "--yes");
  }
  const steps = [
    { at: 20, run: async () => gateway.call("bulkCreateRooms") },
    { at: 57, run: () => sinks.add("gateway") },
    { at: 60, run: () => sinks.delete("old") },
    { at: 60, run: () => running.delete("old collector") },
    { at: 90, run: () => backends.push("gateway") },
    { at: 120, run: () => backends.push("old") },
    { at: 140, run: () => backends.push("gateway") },
    { at: 150, run: () => running.delete("old app") },
    { at: 150, run: async () => deleteRooms(await read(old.pool)) },
    { at: 150, run: async () => deleteRooms(await read(old.deletion)) },
    { at: lastEnd - 30, run: async () => deleteRooms((await unmarked()).output.split("\n")) },
  ];

  async function createRoom(): Promise<string | undefined> {
    if (backends.at(-1) === "old") return running.has("old app") ? old.create() : undefined;
    const { json } = await gateway.call("createRoomFromQueue");
    return z.object({ name: z.string() }).safeParse(json).data?.name;
  }

  /** The platform repeats an event that is refused, until its sink is removed. */
  async function deliverEvents(): Promise<void> {
    const sent = undelivered.filter(({ sink }) => sinks.has(sink));
    undelivered = [];
    for (const { sink, name } of sent) {
      const json = { event: "conference_ended", data: { name } };
      if (sink === "old") await old.deletion.put(name);
      else if ((await gateway.call("eventSink", { json })).status !== 204) undelivered.push({ sink, name });
    }
  }

  /** Adds a fault if a room exists that is neither in the gateway's pool nor among these. */
  function expectNoOtherRooms(fault: string, rooms: readonly string[]): void {
    const known = new Set([...queues.pool.texts(), ...rooms]);
    if (platform.rooms().some(({ name }) => !known.has(name))) faults.add(fault);
  }

  for (let room = 0; room < 6; room++) await old.addRoom();
  for (let minute = 0; minute <= lastEnd + deletion; minute++) {
    for (const { at, run } of steps) if (at === minute) await run();
    const created = minute > lastCreate ? "" : await createRoom();
    if (created === undefined) faults.add("create failed");
    else if (created !== "") calls.set(created, meetingsIn(minute));
    if (backends.at(-1) === "gateway" && created?.startsWith("Old/")) faults.add("old room handed out");
    while (await gateway.deliver());
    for (const [name, meetings] of calls) {
      if (meetings.some(({ from }) => from === minute)) platform.startConference({ name });
      if (!meetings.some(({ to }) => to === minute)) continue;
      platform.endConference({ name });
      undelivered.push(...Array.from(sinks, (sink) => ({ sink, name })));
    }
    if (minute === 62) queues.deletion.strikeNext("put", { failure: "unknown" });
    await deliverEvents();
    if (minute % 10 === 0) await gateway.runTimer("collectGarbage");
    if (minute % 10 === 0 && running.has("old collector")) await old.collect();
    const names = new Set(platform.rooms().map(({ name }) => name));
    const inUse = [...calls].filter(([, meetings]) => meetings.some(({ to }) => to > minute));
    if (inUse.some(([name]) => !names.has(name))) faults.add("call ended early");
    if (minute === 150 + deletion) {
      const isOver = (meetings: readonly Meeting[]) => meetings.some(({ to }) => to < minute - 2 * deletion);
      const others = [...calls].flatMap(([name, meetings]) => (isOver(meetings) ? [] : name));
      if (unmarkedRooms === "collect") expectNoOtherRooms("room left after the names", others);
      const [roomName = ""] = inUse.find(([name]) => name.startsWith("Old/")) ?? [];
      const { status } = await gateway.call("getRoom", { roomName });
      const changed = await gateway.call("updateRoom", { roomName, json: { participant_limit: 5 } });
      if (status !== 200 || changed.status !== 202) faults.add("old room unusable");
    }
    clock.advance(60);
  }
  expectNoOtherRooms("room left", []);
  if (((await unmarked()).exitCode === 0) === faults.has("room left")) faults.add("wrong number");
  return [...faults];
}

test.each(["collect", "keep"] as const)(
  "While the gateway takes over with UNMARKED_ROOMS=%s, no create fails, no call ends early and no room is left",
  async (unmarkedRooms) => expect(await takeOver(unmarkedRooms)).toEqual([]),
);
