/** How fast a room is handed out: alone, at a steady rate, at saturation, in a burst, and against building one. */
import { setTimeout as wait } from "node:timers/promises";
import autocannon from "autocannon";
import { type BareCalls, createBareCalls } from "./bare-calls.ts";
import { runOpenLoop } from "./open-loop.ts";
import type { BenchStack } from "./processes.ts";
import type { Result } from "./results.ts";
import { fillPool } from "./rooms.ts";
import { round, summarise } from "./statistics.ts";
import { send, timed } from "./warm-http.ts";

const uuiData = `${Buffer.from("https://verify.example.com/sessions/bench").toString("hex")};encoding=hex`;

/** Asks the gateway for a room; gives its name. */
async function create({ gatewayUrl, token }: BenchStack): Promise<string> {
  const url = `${gatewayUrl}/room/create?uuiData=${encodeURIComponent(uuiData)}`;
  const answer = await send("POST", url, { headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200) throw new Error(`create: ${answer.status} ${answer.text}`);
  return (JSON.parse(answer.text) as { name: string }).name;
}

async function claimBare(bare: BareCalls): Promise<void> {
  const message = await bare.receive();
  const room = await bare.find(message.text);
  await bare.patch(room.id, { tag: "https://verify.example.com/sessions/bench", description: "bench" });
  await bare.remove(message);
}

async function setLatency(stack: BenchStack, milliseconds: number): Promise<void> {
  await stack.control("POST", "/control/latency", { milliseconds });
}

/** Creates and floors take turns, so that both meet the same noise; each waits until replacements are over. */
export async function measureAlone(stack: BenchStack): Promise<Result[]> {
  const bare = createBareCalls(stack);
  const results: Result[] = [];
  for (const latency of [0, 20, 100]) {
    const rounds = latency === 100 ? 60 : 150;
    await fillPool(stack, bare, 2 * rounds + 40);
    await setLatency(stack, latency);
    const floors: number[] = [];
    const creates: number[] = [];
    for (let index = 0; index < rounds + 20; index++) {
      const floor = await timed(async () => claimBare(bare));
      const created = await timed(async () => create(stack));
      await wait(3 * latency + 30);
      if (index >= 20) {
        floors.push(floor);
        creates.push(created);
      }
    }
    const [floor, created] = [summarise(floors), summarise(creates)];
    const ratio = round(created.p50 / floor.p50);
    results.push({
      what: `create alone, platform latency ${latency} ms`,
      figures: {
        p50Milliseconds: created.p50,
        p90Milliseconds: created.p90,
        floorP50Milliseconds: floor.p50,
        ...(latency === 0 ? { addedMilliseconds: round(created.p50 - floor.p50) } : { ratio }),
      },
      target: latency === 0 ? "milliseconds added are reported" : "p50 ≤ 1.15 × floor",
      ...(latency > 0 && { isReached: ratio <= 1.15 }),
    });
  }
  await setLatency(stack, 0);
  return results;
}

/** 45 creates a second for a minute, after a warm-up; replacements run meanwhile. */
export async function measureSteadyRate(stack: BenchStack, seconds: number): Promise<Result[]> {
  const bare = createBareCalls(stack);
  await fillPool(stack, bare, 500);
  await setLatency(stack, 20);
  const task = async () => void (await create(stack));
  await runOpenLoop({ ratePerSecond: 45, seconds: 5, task });
  const { times, failed } = await runOpenLoop({ ratePerSecond: 45, seconds, task });
  const { p50, p90, p99, count } = summarise(times);
  await setLatency(stack, 0);
  return [
    {
      what: `create at 45/s for ${seconds} s, platform latency 20 ms`,
      figures: { creates: count, failed, p50Milliseconds: p50, p90Milliseconds: p90, p99Milliseconds: p99 },
      target: "p50 ≤ 60, p90 ≤ 120, p99 ≤ 250 ms (published bar of warm-pool claims: 92 / 182 / 376)",
      isReached: p50 <= 60 && p90 <= 120 && p99 <= 250 && failed === 0,
      remark:
        "Replacements are made meanwhile, so that two creates' worth of calls run for each one. The statuses of failed creates were not recorded; that the pool of 500 ran empty, because one process made fewer than 45 rooms a second beside the load, is a guess that fits their number and is not profiled.",
    },
  ];
}

/** As many creates as go through, with 32 callers that each wait for their answer. */
export async function measureSaturation(stack: BenchStack): Promise<Result[]> {
  const bare = createBareCalls(stack);
  const latency = 20;
  const platformConcurrency = 20;
  await stack.restartGateway({ PLATFORM_MAX_CONCURRENCY: String(platformConcurrency) });
  await fillPool(stack, bare, 2500);
  await create(stack);
  await setLatency(stack, latency);
  const result = await autocannon({
    url: `${stack.gatewayUrl}/room/create?uuiData=${encodeURIComponent(uuiData)}`,
    method: "POST",
    headers: { authorization: `Bearer ${stack.token}` },
    connections: 32,
    duration: 10,
  });
  await setLatency(stack, 0);
  const perSecond = round(result["2xx"] / result.duration);
  const byPlatform = round((platformConcurrency / latency) * (1000 / 3));
  return [
    {
      what: "create, saturation",
      figures: {
        createsPerSecond: perSecond,
        otherAnswers: result.non2xx + result.errors,
        platformLatencyMilliseconds: latency,
        platformConcurrency,
        platformLimitPerSecond: byPlatform,
      },
      target: "≥ 100/s",
      isReached: perSecond >= 100,
      remark:
        "The platform allows concurrency ÷ latency ÷ 3 calls (GET and PATCH of the claim, POST of the replacement) creates a second; what limits here is not profiled: a bare receive from Azurite took about 10 ms at 1,500 messages on a busy computer, which points to Azurite, but gateway and driver shared its cores. On paper, the real platform's 1,000 requests a minute allow 5.5 creates a second (3 calls each); claims keep precedence because they go first in the client's queue and background calls leave two of the slots free, so that a backlog of replacements delays itself and not the callers.",
    },
  ];
}

/** 300 requests at once on a pool of 300. */
export async function measureBurst(stack: BenchStack): Promise<Result[]> {
  const bare = createBareCalls(stack);
  await drainPool(stack);
  await fillPool(stack, bare, 300);
  await setLatency(stack, 20);
  const names = new Set<string>();
  const times = await Promise.all(
    Array.from({ length: 300 }, async () => timed(async () => names.add(await create(stack)))),
  );
  await setLatency(stack, 0);
  const { p50, p99 } = summarise(times);
  return [
    {
      what: "burst of 300 on a pool of 300, platform latency 20 ms",
      figures: { distinctRooms: names.size, p50Milliseconds: p50, p99Milliseconds: p99 },
      target: "300 distinct rooms, p50 ≤ 1 s",
      isReached: names.size === 300 && p50 <= 1000,
      remark:
        "Not profiled: 300 receives at some 8 ms each, one after the other in Azurite, would make up most of it.",
    },
  ];
}

async function drainPool({ gatewayUrl, token }: BenchStack): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await send("DELETE", `${gatewayUrl}/room/bulk`, { headers });
  if (status !== 204) throw new Error(`bulk delete: ${status}`);
}

/** What the pool saves: a room built inside the request, with and without the platform's replication delay. */
export async function measureAgainstBuilding(stack: BenchStack): Promise<Result[]> {
  const bare = createBareCalls(stack);
  await fillPool(stack, bare, 120);
  await setLatency(stack, 20);
  const creates: number[] = [];
  const builds: number[] = [];
  for (let index = 0; index < 100; index++) {
    creates.push(await timed(async () => create(stack)));
    builds.push(
      await timed(async () => {
        const name = `built-${index}-${Math.random().toString(36).slice(2)}`;
        const pins = { pin: "482913", allow_guests: true, guest_pin: "771204" };
        await bare.createRoom({ name, ...pins, aliases: [{ alias: name }] });
        await bare.find(name);
      }),
    );
    await wait(40);
  }
  await setLatency(stack, 0);
  const [created, built] = [summarise(creates), summarise(builds)];
  const replicationSeconds = 90;
  return [
    {
      what: "create against building a room inside the request, platform latency 20 ms",
      figures: {
        createP50Milliseconds: created.p50,
        buildP50Milliseconds: built.p50,
        ratio: round(created.p50 / built.p50),
        ratioWithReplication: (created.p50 / (built.p50 + replicationSeconds * 1000)).toExponential(1),
      },
      target: "ratio",
      remark:
        "Building takes two bare calls and no queue; what makes the pool necessary is that a room can be dialled only " +
        `${replicationSeconds} s after it was made, when the platform has replicated it to its nodes.`,
    },
  ];
}
