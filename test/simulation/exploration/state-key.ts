/** The state of the world as text. Worlds with equal texts behave identically from then on. */

import type { Task } from "../faults.ts";
import { isClaim } from "../ledger.ts";
import type { World } from "../world.ts";

/**
 * Returns the state. Two states are equal if they differ only in the numbers of generated ids, in the order of entries
 * that nobody reads in order, and in times that are in the same order and less than half a second apart.
 */
export function stateKey(world: World, rest: unknown, isExact: boolean): string {
  const { queues, platform, ledger, records, clock, running } = world;
  const state = {
    rest,
    queues: Object.values(queues).map((queue) =>
      queue.contents().map((message) => withoutTimes(message, clock.now())),
    ),
    rooms: platform.rooms(),
    liveSince: platform.liveSince(),
    records: records.contents(),
    ledger,
    dueTimes: clock.dueTimes(),
    now: clock.now(),
    running: [...running].map(({ process }) => process.index).toSorted((one, other) => one - other),
  };
  const text = withNumberedIds(JSON.stringify(state, simplify));
  return isExact ? withRankedTimes(text) : withAges(text, clock.now());
}

/** The code compares the times of messages in whole seconds only. */
function withoutTimes<Message extends { insertedAt: number; visibleAt: number }>(
  message: Message,
  now: number,
) {
  const { insertedAt, visibleAt, ...rest } = message;
  return {
    ...rest,
    seconds: [(now - insertedAt) / 1000, Math.max(0, visibleAt - now) / 1000].map(Math.round),
    isVisible: visibleAt <= now,
  };
}

function simplify(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value].map((entry) => JSON.stringify(entry, simplify)).toSorted();
  if (value instanceof Set) return [...value].map((entry) => JSON.stringify(entry, simplify)).toSorted();
  if (isTask(value)) return describe(value);
  return typeof value === "number" ? Math.round(value) : value;
}

function isTask(value: unknown): value is Task {
  return typeof value === "object" && value !== null && "faultsMet" in value;
}

const unobserved = ["id", "process", "functionName", "random", "faults", "faultsMet", "calls"];

/** Contains only what the promises depend on. */
function describe(task: Task): unknown {
  const { process, functionName, faultsMet } = task;
  const observations = Object.entries(task).filter(([name]) => !unobserved.includes(name));
  return {
    by: [process.index, functionName],
    isAlive: process.isAlive,
    isSlow: process.frozenUntil > 0,
    faults: [faultsMet.filter((fault) => fault !== "freeze").length, faultsMet.length],
    observations: isClaim(task) ? [task.changeSentAt] : observations,
  };
}

function withNumberedIds(text: string): string {
  const numbers = new Map<string, number>();
  return text.replaceAll(/id-\d+|[\da-f]{8}-[\da-f-]{27}/g, (id) => {
    numbers.set(id, numbers.get(id) ?? numbers.size);
    return `id#${numbers.get(id)}`;
  });
}

const timePattern = /\b(?:20[34]\d-\d\d-\d\dT[\d:.]+Z?|(?:189|19\d)\d{10})\b/g;
const millisecondsOf = (time: string) =>
  time.includes("T") ? Date.parse(time.endsWith("Z") ? time : `${time}Z`) : Number(time);

function withAges(text: string, now: number): string {
  return text.replaceAll(timePattern, (time) => `${Math.round((now - millisecondsOf(time)) / 1000)} s ago`);
}

function withRankedTimes(text: string): string {
  const found = new Set((text.match(timePattern) ?? []).map(millisecondsOf));
  const times = [...found].toSorted((one, other) => one - other);
  const ranks = new Map(times.map((time, index) => [time, index]));
  const gaps = times.map((time, index) => Math.round((time - (times[index - 1] ?? time)) / 1000));
  return text.replaceAll(timePattern, (time) => `t${ranks.get(millisecondsOf(time))}`) + gaps.join();
}
