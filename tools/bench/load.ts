/** Load: creates one by one, by several callers, or at a rate; and the pool that they use. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { encodeServiceTag } from "../../client/src/service-tag.ts";
import { formatMarker } from "../../src/lib/pool/room.ts";
import { type BareCalls, serviceTag } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { sendExpecting } from "./warm-http.ts";

const createdSchema = z.object({ name: z.string() });
const requestsSchema = z.object({ total: z.int() });

/** Creates a room and returns its name. Throws if the status is not 200. */
export async function create({ gatewayUrl, bearer }: BenchStack): Promise<string> {
  const query = new URLSearchParams({ uuiData: encodeServiceTag(serviceTag) });
  const text = await sendExpecting(200, "POST", `${gatewayUrl}/room/create?${query.toString()}`, {
    headers: bearer,
  });
  return createdSchema.parse(JSON.parse(text)).name;
}

/** Runs a task several times, by this many concurrent callers. */
export async function runConcurrently(
  count: number,
  callers: number,
  task: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await task(index);
    }
  };
  await Promise.all(Array.from({ length: callers }, work));
}

export interface OpenLoopOptions {
  readonly ratePerSecond: number;
  readonly seconds: number;
  readonly task: () => Promise<unknown>;
}

export interface OpenLoopTimes {
  /** The milliseconds of each successful task. */
  readonly times: readonly number[];
  readonly failures: number;
  /** When each successful task ended, in seconds after the start. */
  readonly endedAtSeconds: readonly number[];
}

/**
 * Starts tasks with Poisson arrivals, whether or not earlier ones have ended. Times count from the moment at which a
 * task was due, so delays in the driver or the server are part of the figure (no coordinated omission).
 */
export async function runOpenLoop({ ratePerSecond, seconds, task }: OpenLoopOptions): Promise<OpenLoopTimes> {
  const times: number[] = [];
  const endedAtSeconds: number[] = [];
  const failures = new Map<string, number>();
  const countFailure = (error: unknown): void => {
    const text = error instanceof Error ? error.message : String(error);
    failures.set(text, (failures.get(text) ?? 0) + 1);
  };
  const running: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let dueAt = startedAt; ; ) {
    dueAt += (-Math.log(1 - Math.random()) / ratePerSecond) * 1000;
    if (dueAt - startedAt > seconds * 1000) break;
    const ahead = dueAt - performance.now();
    if (ahead > 1) await delay(ahead);
    const due = dueAt;
    const onSuccess = () => {
      times.push(performance.now() - due);
      endedAtSeconds.push((performance.now() - startedAt) / 1000);
    };
    running.push(task().then(onSuccess, countFailure));
  }
  await Promise.all(running);
  for (const [text, count] of failures) console.log(`${count} times: ${text}`);
  const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
  return { times, failures: failed, endedAtSeconds };
}

export async function setLatency(stack: BenchStack, milliseconds: number): Promise<void> {
  await stack.control("POST", "/control/latency", { milliseconds });
}

/** Creates rooms on the platform and returns their names. */
export async function seedRooms(stack: BenchStack, count: number): Promise<string[]> {
  const namePrefix = `bench-${randomUUID().slice(0, 8)}-`;
  const description = formatMarker({
    gateway: "vmr-gateway",
    state: "pooled",
    since: new Date().toISOString(),
  });
  await stack.control("POST", "/control/rooms", { count, namePrefix, fields: { description } });
  return Array.from({ length: count }, (_, index) => `${namePrefix}${String(index).padStart(5, "0")}`);
}

/** Creates rooms on the platform and puts their names into the pool. */
export async function fillPool(stack: BenchStack, bare: BareCalls, count: number): Promise<void> {
  const names = await seedRooms(stack, count);
  await runConcurrently(count, 8, async (index) => bare.put("pool", names[index] ?? ""));
}

/** Creates rooms until the app's code is compiled, and waits until the platform gets no more requests. */
export async function warmUp(stack: BenchStack, bare: BareCalls, creates: number): Promise<void> {
  await fillPool(stack, bare, creates);
  await runConcurrently(creates, 4, async () => create(stack));
  for (let previous = -1; ; await delay(500)) {
    const { total } = requestsSchema.parse(await stack.control("GET", "/control/requests"));
    if (total === previous) return;
    previous = total;
  }
}
