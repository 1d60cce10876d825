/**
 * `npm run bench`: creates beside the bare calls that a create consists of, in the same run, and a burst of creates.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import PQueue from "p-queue";
import * as z from "zod";
import { formatMarker } from "../../src/lib/ownership/room.ts";
import { forEachParallel } from "../../src/lib/parallel.ts";
import { startLocalGateway } from "../local/stack/local-gateway.ts";
import { openLocalQueues } from "../local/stack/local-queues.ts";
import { fetchAccessToken } from "../simulators/consumer.ts";
import { identities } from "../simulators/identities.ts";
import { createCommand } from "../terminal/create-command.ts";

const gatewayName = "bench";
const platformLatencyMilliseconds = 20;
const createsPerSecond = 25;
const seconds = 30;
const burst = 100;

createCommand("npm run bench", "Measures creates beside the bare calls that they consist of.").parse();
// `--help` has ended by now, because it needs no bundle.
await import("../../scripts/build.ts");
const { connection, stack, stop } = await startLocalGateway({
  entry: fileURLToPath(new URL("../../dist/main.js", import.meta.url)),
  settings: { GATEWAY_NAME: gatewayName, MAX_VMR: "500", POOL_READY_DELAY_SECONDS: "0" },
  timersEnabled: false,
});
const { pool } = openLocalQueues(connection.storageConnectionString);
const bearer = { authorization: `Bearer ${await fetchAccessToken(connection.tokenUrl)}` };
const { platformUsername: username, platformPassword: password } = identities;
const basic = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
const conferences = `${stack.platform.url}/api/admin/configuration/v1/conference/`;
const serviceTag = "https://verify.example.com/sessions/bench";
const createUrl = `${connection.gatewayUrl}/room/create?uuiData=${Buffer.from(serviceTag).toString("hex")}`;
const Found = z.object({ objects: z.tuple([z.object({ id: z.int() })]) });

/** Sends a request and returns the body of the response. Throws an Error for any status but 2xx. */
async function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  fields?: object,
): Promise<string> {
  const body = fields ? JSON.stringify(fields) : null;
  const response = await fetch(url, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${response.status}`);
  return text;
}

const create = async () => send("POST", createUrl, bearer);

// As many as the platform serves at once, and the gateway makes.
const platformCalls = new PQueue({ concurrency: 5 });

/** Receives a name, looks the room up, changes it, deletes the name, and puts it back as a replacement does. */
async function bareCalls(): Promise<void> {
  const [message] = await pool.receive(1, 300);
  if (!message) throw new Error("the pool is empty");
  await platformCalls.add(async () => {
    const found = await send("GET", `${conferences}?name=${message.text}`, basic);
    const { objects } = Found.parse(JSON.parse(found));
    await send("PATCH", `${conferences}${objects[0].id}/`, basic, { tag: serviceTag, description: "bench" });
  });
  await pool.delete(message);
  await pool.put(message.text);
}

/** Creates rooms on the platform and puts their names into the pool. */
async function fillPool(count: number): Promise<void> {
  const namePrefix = `bench-${randomUUID().slice(0, 8)}-`;
  const description = formatMarker({
    gateway: gatewayName,
    state: "pooled",
    since: new Date().toISOString(),
  });
  stack.platform.seedRooms({ count, namePrefix, fields: { description } });
  const names = Array.from({ length: count }, (_, index) => `${namePrefix}${String(index).padStart(5, "0")}`);
  await forEachParallel(names, async (name) => void (await pool.put(name)), 8);
}

/**
 * Starts a task at random moments, whether or not earlier ones have ended, and returns the sorted milliseconds. Time
 * counts from the moment at which a task was due, so delays of this process are part of the figure.
 */
async function timesOf(task: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const running: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let due = startedAt; due - startedAt < seconds * 1000; ) {
    const dueAt = due;
    await delay(Math.max(0, dueAt - performance.now()));
    running.push(task().then(() => void times.push(performance.now() - dueAt)));
    due += (-Math.log(1 - Math.random()) / createsPerSecond) * 1000;
  }
  await Promise.all(running);
  return times.toSorted((one, other) => one - other);
}

const percentile = (times: readonly number[], share: number) =>
  times[Math.ceil(share * times.length) - 1] ?? Number.NaN;

/** Prints percentiles of creates beside those of the bare calls. */
function compare(title: string, creates: readonly number[], bare: readonly number[]): void {
  for (const share of [0.5, 0.9, 0.99]) {
    const [one, other] = [percentile(creates, share), percentile(bare, share)];
    const times = `${one.toFixed(1)} ms, bare calls ${other.toFixed(1)} ms`;
    console.log(`${title}, p${share * 100}: ${times}, ratio ${(one / other).toFixed(2)}`);
  }
}

/** Starts a task for each caller of a burst at once, and returns after how many milliseconds each was done, sorted. */
async function burstTimesOf(task: () => Promise<unknown>): Promise<number[]> {
  const startedAt = performance.now();
  const callers = Array.from({ length: burst }, async () => task().then(() => performance.now() - startedAt));
  return (await Promise.all(callers)).toSorted((one, other) => one - other);
}

await fillPool(300);
for (let warmUp = 0; warmUp < 200; warmUp++) await create();
stack.platform.setLatency({ milliseconds: platformLatencyMilliseconds });
const creates = await timesOf(create);
compare(`${createsPerSecond} creates per second`, creates, await timesOf(bareCalls));

await fillPool(burst);
const bareBurst = await burstTimesOf(bareCalls);
compare(`${burst} creates at once`, await burstTimesOf(create), bareBurst);
await stop();
