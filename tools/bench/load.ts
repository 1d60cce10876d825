/** What the benchmarks send: creates, the calls that a create consists of, and tasks at a steady rate. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { encodeServiceTag } from "../../client/src/service-tag.ts";
import { formatMarker } from "../../src/lib/ownership/room.ts";
import { forEachParallel } from "../../src/lib/parallel.ts";
import type { Queues } from "../../src/lib/ports.ts";
import { fetchAccessToken } from "../local/stack/access-token.ts";
import { startLocalGateway } from "../local/stack/local-gateway.ts";
import { openLocalQueues } from "../local/stack/local-queues.ts";
import { platformAccount } from "../simulators/identities.ts";

export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;

const gatewayName = "bench";
/** The service tag of every create. */
const serviceTag = "https://verify.example.com/sessions/bench";
const roomsSchema = z.object({ objects: z.array(z.object({ id: z.int() })) });
const createdSchema = z.object({ name: z.string() });

/** Starts everything that is measured, the bundle in a process of its own. `settings` override the usual ones. */
export async function startBenchStack(settings: Record<string, string>) {
  const { connection, stack, stop } = await startLocalGateway({
    entry: fileURLToPath(new URL("../../dist/main.js", import.meta.url)),
    settings: { GATEWAY_NAME: gatewayName, MAX_VMR: "500", POOL_READY_DELAY_SECONDS: "0", ...settings },
    timersEnabled: false,
  });
  const bearer = { authorization: `Bearer ${await fetchAccessToken(connection.tokenUrl)}` };
  const queues = openLocalQueues(connection.storageConnectionString);
  const put = async (name: string) => queues.pool.put(name);
  return {
    platform: stack.platform,
    put,
    /** What a create and its replacement do, without the gateway. */
    claimAndPut: async () => put(await claim(queues, connection.platformUrl)),
    /** Creates a room and returns its name. Throws if the status is not 200. */
    create: async (): Promise<string> => {
      const query = new URLSearchParams({ uuiData: encodeServiceTag(serviceTag) });
      const url = `${connection.gatewayUrl}/room/create?${query.toString()}`;
      return createdSchema.parse(JSON.parse(await send(200, "POST", url, bearer))).name;
    },
    stop,
  };
}

/** Sends a request and returns the body of the response. Throws if the status is another one. */
async function send(
  expected: number,
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | null = null,
): Promise<string> {
  const response = await fetch(url, { method, headers, body });
  const text = await response.text();
  if (response.status === expected) return text;
  throw new Error(`${method} ${new URL(url).pathname}: ${response.status} ${text.slice(0, 200)}`.trim());
}

/** Receives, finds, changes and removes one pooled room, as a create does: the floor of every figure. Returns its name. */
async function claim({ pool }: Queues, platformUrl: string): Promise<string> {
  const conferences = `${platformUrl}/api/admin/configuration/v1/conference/`;
  const { username, password } = platformAccount;
  const headers = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
    accept: "application/json",
    "content-type": "application/json",
  };
  const [message] = await pool.receive(1, 300);
  if (!message) throw new Error("the pool is empty");
  const name = message.text;
  const found = await send(200, "GET", `${conferences}?name=${encodeURIComponent(name)}`, headers);
  const [room] = roomsSchema.parse(JSON.parse(found)).objects;
  if (!room) throw new Error(`there is no room ${name}`);
  const change = JSON.stringify({ tag: serviceTag, description: "bench" });
  await send(202, "PATCH", `${conferences}${room.id}/`, headers, change);
  await pool.delete(message);
  return name;
}

/** Runs a task several times, by this many concurrent callers. */
export async function runConcurrently(
  count: number,
  callers: number,
  task: (index: number) => Promise<unknown>,
): Promise<void> {
  await forEachParallel([...Array(count).keys()], async (index) => void (await task(index)), callers);
}

/**
 * Starts tasks with Poisson arrivals, whether or not earlier ones have ended. Times count from the moment at which a
 * task was due, so delays in the driver or the server are part of the figure (no coordinated omission).
 */
export async function runOpenLoop(options: {
  readonly ratePerSecond: number;
  readonly seconds: number;
  readonly task: () => Promise<unknown>;
}) {
  const { ratePerSecond, seconds, task } = options;
  /** The milliseconds of each successful task. */
  const times: number[] = [];
  /** When each successful task ended, in seconds after the start. */
  const endedAtSeconds: number[] = [];
  const failures: string[] = [];
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
    running.push(task().then(onSuccess, (error: unknown) => void failures.push(String(error))));
  }
  await Promise.all(running);
  for (const [text, same] of Map.groupBy(failures, (text) => text))
    console.log(`${same.length} times: ${text}`);
  return { times, failures: failures.length, endedAtSeconds };
}

/** Creates rooms on the platform and puts their names into the pool. */
export async function fillPool({ put, platform }: BenchStack, count: number): Promise<void> {
  const namePrefix = `bench-${randomUUID().slice(0, 8)}-`;
  const since = new Date().toISOString();
  const description = formatMarker({ gateway: gatewayName, state: "pooled", since });
  platform.seedRooms({ count, namePrefix, fields: { description } });
  const nameOf = (index: number) => `${namePrefix}${String(index).padStart(5, "0")}`;
  await runConcurrently(count, 8, async (index) => put(nameOf(index)));
}

/**
 * Creates rooms until the app's code is compiled, and waits until the platform gets no more requests. Then fills the
 * pool, and each call of the platform takes this long.
 */
export async function prepare(
  stack: BenchStack,
  rooms: { readonly warmUp: number; readonly pooled: number },
  latencyMilliseconds: number,
): Promise<void> {
  await fillPool(stack, rooms.warmUp);
  await runConcurrently(rooms.warmUp, 4, stack.create);
  for (let previous = -1; ; await delay(500)) {
    const { total } = stack.platform.requests();
    if (total === previous) break;
    previous = total;
  }
  await fillPool(stack, rooms.pooled);
  stack.platform.setLatency({ milliseconds: latencyMilliseconds });
}
