/** Fills and empties the pool, and sets the platform's latency. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { encodeServiceTag } from "../../client/src/service-tag.ts";
import { formatMarker } from "../../src/lib/pool/room.ts";
import { type BareCalls, serviceTag } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { send, sendExpecting } from "./warm-http.ts";

const createdSchema = z.object({ name: z.string() });
const requestsSchema = z.object({ total: z.int(), byRoute: z.record(z.string(), z.int()) });

export function createUrl({ gatewayUrl }: BenchStack): string {
  const query = new URLSearchParams({ uuiData: encodeServiceTag(serviceTag) });
  return `${gatewayUrl}/room/create?${query.toString()}`;
}

/** Creates a room and returns its name. Throws if the status is not 200. */
export async function create(stack: BenchStack): Promise<string> {
  const text = await sendExpecting(200, "POST", createUrl(stack), { headers: stack.bearer });
  return createdSchema.parse(JSON.parse(text)).name;
}

/** Creates rooms from several concurrent callers. A caller that finds the pool empty retries. */
export async function createMany(stack: BenchStack, creates: number, callers: number): Promise<void> {
  await runConcurrently(creates, callers, async () => {
    for (;;) {
      const { status, text } = await send("POST", createUrl(stack), { headers: stack.bearer });
      if (status === 200) return;
      if (status !== 404) throw new Error(`create: ${status} ${text}`);
      await delay(200);
    }
  });
}

/** Runs a task several times, by this many concurrent workers. */
export async function runConcurrently(
  count: number,
  workers: number,
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
  await Promise.all(Array.from({ length: workers }, work));
}

/** Creates rooms until the app's code is compiled, and waits until all of them are replaced. */
export async function warmUp(stack: BenchStack, creates: number): Promise<void> {
  await createMany(stack, creates, 4);
  for (let previous = -1; ; await delay(500)) {
    const { total } = await platformRequests(stack);
    if (total === previous) return;
    previous = total;
  }
}

/** The number of requests that the platform has received: in total, and by method and route. */
export async function platformRequests(stack: BenchStack): Promise<z.output<typeof requestsSchema>> {
  return requestsSchema.parse(await stack.control("GET", "/control/requests"));
}

export async function setLatency(stack: BenchStack, milliseconds: number): Promise<void> {
  await stack.control("POST", "/control/latency", { milliseconds });
}

/** Creates rooms on the platform and returns their names. */
export async function seedRooms(stack: BenchStack, count: number): Promise<string[]> {
  const namePrefix = `bench-${randomUUID().slice(0, 8)}-`;
  const description = formatMarker({ state: "pooled", since: new Date().toISOString() });
  await stack.control("POST", "/control/rooms", { count, namePrefix, fields: { description } });
  return Array.from({ length: count }, (_, index) => `${namePrefix}${String(index).padStart(5, "0")}`);
}

/** Creates rooms on the platform and puts their names into the pool. */
export async function fillPool(stack: BenchStack, bare: BareCalls, count: number): Promise<void> {
  const names = await seedRooms(stack, count);
  await runConcurrently(count, 8, async (index) => bare.put("pool", names[index] ?? ""));
}

/** Deletes all rooms and empties the pool. */
export async function drainPool({ gatewayUrl, bearer }: BenchStack): Promise<void> {
  await sendExpecting(204, "DELETE", `${gatewayUrl}/room/bulk`, { headers: bearer });
}
