/** One create after the other, against the same calls made bare, and against a room that is built inside the request. */
import { setTimeout as wait } from "node:timers/promises";
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { claimBare, create, setLatency, warmUp } from "./create-calls.ts";
import type { Result } from "./results.ts";
import { fillPool } from "./rooms.ts";
import { round, summarise } from "./statistics.ts";
import { send, timed } from "./warm-http.ts";

const warmUpCreates = 1000;

/** Creates and floors take turns, so that both meet the same noise; each waits until replacements are over. */
export async function measureAlone(stack: BenchStack): Promise<Result[]> {
  const bare = createBareCalls(stack);
  await fillPool(stack, bare, 100);
  await warmUp(stack, warmUpCreates);
  const results: Result[] = [];
  for (const latencyMilliseconds of [0, 20, 100]) {
    const rounds = latencyMilliseconds === 100 ? 40 : 120;
    // Replacements stand for creates; only the bare claims use the pool up.
    await fillPool(stack, bare, rounds + 10);
    await setLatency(stack, latencyMilliseconds);
    const floors: number[] = [];
    const creates: number[] = [];
    const healthChecks: number[] = [];
    for (let index = 0; index < rounds + 10; index++) {
      const floor = await timed(async () => claimBare(bare));
      const created = await timed(async () => create(stack));
      await wait(2 * latencyMilliseconds + 30);
      const health = await timed(async () => send("GET", `${stack.gatewayUrl}/public/health`));
      if (index < 10) continue;
      floors.push(floor);
      creates.push(created);
      healthChecks.push(health);
    }
    const [floor, created] = [summarise(floors), summarise(creates)];
    const ratio = round(created.p50 / floor.p50);
    results.push({
      what: `create alone, platform latency ${latencyMilliseconds} ms`,
      figures: {
        p50Milliseconds: created.p50,
        p90Milliseconds: created.p90,
        floorP50Milliseconds: floor.p50,
        addedMilliseconds: round(created.p50 - floor.p50),
        healthCheckP50Milliseconds: summarise(healthChecks).p50,
        ...(latencyMilliseconds > 0 && { ratio }),
      },
      target: latencyMilliseconds === 0 ? "milliseconds added are reported" : "p50 ≤ 1.15 × floor",
      ...(latencyMilliseconds > 0 && { isReached: ratio <= 1.15 }),
      ...(latencyMilliseconds === 0 && {
        remark:
          "What is added: the host with its two hops between processes, which is nearly all of a health check; the request for " +
          "the replacement, a fifth call, before the answer; and about a millisecond of library code around each of the four " +
          "calls, the time from one wake-up of a process to the next being part of it.",
      }),
    });
  }
  await setLatency(stack, 0);
  return results;
}

const replicationSeconds = 90;

/** What the pool saves: a room built inside the request, with and without the platform's replication delay. */
export async function measureAgainstBuilding(stack: BenchStack): Promise<Result[]> {
  const bare = createBareCalls(stack);
  await fillPool(stack, bare, 100);
  await warmUp(stack, warmUpCreates);
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
