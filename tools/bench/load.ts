/** What the benchmarks send: creates, the calls that a create consists of, and tasks at a steady rate. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { QueueSASPermissions, QueueServiceClient } from "@azure/storage-queue";
import * as z from "zod";
import { encodeServiceTag } from "../../client/src/service-tag.ts";
import { formatMarker } from "../../src/lib/ownership/room.ts";
import { forEachParallel } from "../../src/lib/parallel.ts";
import { queueNames } from "../../src/lib/ports.ts";
import { fetchAccessToken } from "../local/stack/access-token.ts";
import { startLocalGateway } from "../local/stack/local-gateway.ts";
import { platformAccount } from "../simulators/identities.ts";
import { bypassProxy } from "../simulators/process/bypass-proxy.ts";

export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;

/** The service tag of every create. */
const gatewayName = "bench";
const serviceTag = "https://verify.example.com/sessions/bench";
const storageHeaders = { "x-ms-version": "2025-11-05" };
const roomsSchema = z.object({ objects: z.array(z.object({ id: z.int() })) });
const createdSchema = z.object({ name: z.string() });

/** Starts everything that is measured, the bundle in a process of its own. `settings` override the usual ones. */
export async function startBenchStack(settings: Record<string, string>) {
  bypassProxy();
  const { connection, stack, stop } = await startLocalGateway({
    entry: fileURLToPath(new URL("../../dist/main.js", import.meta.url)),
    settings: { GATEWAY_NAME: gatewayName, MAX_VMR: "500", POOL_READY_DELAY_SECONDS: "0", ...settings },
    timersEnabled: false,
  });
  const bearer = { authorization: `Bearer ${await fetchAccessToken(connection.tokenUrl)}` };
  return {
    platform: stack.platform,
    bare: await createBareCalls(stack.settings),
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
  body?: string,
): Promise<string> {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  if (response.status === expected) return text;
  throw new Error(`${method} ${new URL(url).pathname}: ${response.status} ${text.slice(0, 200)}`.trim());
}

/**
 * The calls that a create consists of, made directly over warm connections: the floor of every figure. Queue URLs
 * contain a shared access signature, so nothing is signed during the measurement.
 */
async function createBareCalls(settings: Readonly<Record<string, string>>) {
  const { AzureWebJobsStorage: connectionString = "", PLATFORM_URL: platformUrl = "" } = settings;
  const pool = QueueServiceClient.fromConnectionString(connectionString).getQueueClient(queueNames.pool);
  await pool.createIfNotExists();
  const permissions = QueueSASPermissions.parse("raup");
  const signed = new URL(pool.generateSasUrl({ permissions, expiresOn: new Date(Date.now() + 3_600_000) }));
  const signature = signed.search.slice(1);
  const messages = `${signed.origin}${signed.pathname}/messages`;
  const conferences = `${platformUrl}/api/admin/configuration/v1/conference/`;
  const { username, password } = platformAccount;
  const platformHeaders = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
    accept: "application/json",
    "content-type": "application/json",
  };
  return {
    /** Receives, finds, changes and removes one pooled room, as a create does. Returns its name. */
    async claim(): Promise<string> {
      const received = `${messages}?numofmessages=1&visibilitytimeout=300&${signature}`;
      const xml = await send(200, "GET", received, storageHeaders);
      const part = (tag: string) => new RegExp(`<${tag}>(.*?)</${tag}>`).exec(xml)?.[1] ?? "";
      const name = part("MessageText");
      const look = `${conferences}?name=${encodeURIComponent(name)}`;
      const [room] = roomsSchema.parse(JSON.parse(await send(200, "GET", look, platformHeaders))).objects;
      if (!room) throw new Error(`there is no room ${name}`);
      const change = JSON.stringify({ tag: serviceTag, description: "bench" });
      await send(202, "PATCH", `${conferences}${room.id}/`, platformHeaders, change);
      const receipt = `popreceipt=${encodeURIComponent(part("PopReceipt"))}&${signature}`;
      await send(204, "DELETE", `${messages}/${part("MessageId")}?${receipt}`, storageHeaders);
      return name;
    },
    async put(text: string): Promise<void> {
      const body = `<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`;
      await send(201, "POST", `${messages}?messagettl=-1&${signature}`, storageHeaders, body);
    },
  };
}

/** Runs a task several times, by this many concurrent callers. */
export async function runConcurrently(
  count: number,
  callers: number,
  task: (index: number) => Promise<unknown>,
): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  await forEachParallel(indexes, async (index) => void (await task(index)), callers);
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
export async function fillPool({ bare, platform }: BenchStack, count: number): Promise<void> {
  const namePrefix = `bench-${randomUUID().slice(0, 8)}-`;
  const since = new Date().toISOString();
  const description = formatMarker({ gateway: gatewayName, state: "pooled", since });
  platform.seedRooms({ count, namePrefix, fields: { description } });
  const nameOf = (index: number) => `${namePrefix}${String(index).padStart(5, "0")}`;
  await runConcurrently(count, 8, async (index) => bare.put(nameOf(index)));
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
