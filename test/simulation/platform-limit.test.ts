/** Many instances with the real platform client against one platform with few slots, in virtual time. */
import { afterAll, describe, expect, test } from "vitest";
import { createClient, type PlatformClient } from "../../src/lib/platform/client.ts";
import {
  type Exchange,
  type PlatformHttpResponse,
  transportFailure,
} from "../../src/lib/platform/exchange.ts";
import { createBasicLogIn } from "../../src/lib/platform/log-in.ts";
import { PlatformError } from "../../src/lib/platform/platform-error.ts";
import type { RandomSource } from "../../src/lib/ports.ts";
import { createSeededRandom } from "../../tools/local/process/seeded-random.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";

interface PlatformModel {
  /** Mean time that a slot works on a call. */
  readonly serviceMilliseconds: number;
  /** Whether a 429 has `Retry-After`. */
  readonly hasRetryAfter: boolean;
  /** `fixed`: 1,000 calls in each window of 60 s. `sliding`: 1,000 calls in any 60 s, refused calls included. */
  readonly window: "fixed" | "sliding";
}

const slotCount = 5;
const callsPerMinute = 1000;
const timeoutSeconds = 10;
const maxConcurrency = 5;
// Twenty windows of the limit per minute: over ten, chance alone can make shares differ by more than a factor of two.
const minutes = 20;
const callers = 6;
const backgroundJobs = 4;

const models: Readonly<Record<string, PlatformModel>> = {
  "few slots, 0.5 s per call": { serviceMilliseconds: 500, hasRetryAfter: true, window: "fixed" },
  "few slots, 1.5 s per call": { serviceMilliseconds: 1500, hasRetryAfter: true, window: "fixed" },
  "calls per minute, 429 with Retry-After": {
    serviceMilliseconds: 100,
    hasRetryAfter: true,
    window: "fixed",
  },
  "calls per minute, 429 without Retry-After": {
    serviceMilliseconds: 100,
    hasRetryAfter: false,
    window: "fixed",
  },
  "calls per minute, refused calls count": {
    serviceMilliseconds: 100,
    hasRetryAfter: false,
    window: "sliding",
  },
};

/** Returns an exchange with a platform whose slots serve calls in the order of arrival. */
function createPlatformModel(model: PlatformModel, scheduler: Scheduler, random: RandomSource): Exchange {
  const waiting: (() => void)[] = [];
  let busySlots = 0;
  let recent: number[] = [];

  function isAdmitted(): boolean {
    const now = scheduler.now();
    const first = recent[0] ?? now;
    if (model.window === "fixed" && now - first >= 60_000) recent = [];
    if (model.window === "sliding") recent = recent.filter((at) => now - at < 60_000);
    recent.push(now);
    return recent.length <= callsPerMinute;
  }

  function startNext(): void {
    if (busySlots >= slotCount) return;
    const serve = waiting.shift();
    if (!serve) return;
    busySlots += 1;
    scheduler.after(model.serviceMilliseconds * (0.5 + random.integerBelow(1000) / 1000), () => {
      busySlots -= 1;
      serve();
      startNext();
    });
  }

  return async (request) =>
    new Promise((resolve, reject) => {
      if (!isAdmitted()) {
        const seconds = Math.ceil(((recent[0] ?? 0) + 60_000 - scheduler.now()) / 1000);
        const headers = model.hasRetryAfter ? { "retry-after": String(seconds) } : {};
        scheduler.after(10, () => resolve(responseOf(429, headers)));
        return;
      }
      // The platform works on a call to its end, whether or not anybody still waits for it.
      waiting.push(() => resolve(responseOf(200)));
      startNext();
      const timeout = Object.assign(new Error("timeout"), { code: "ETIMEDOUT" });
      scheduler.after(timeoutSeconds * 1000, () => reject(transportFailure(request, timeout)));
    });
}

function responseOf(status: number, headers: Record<string, string> = {}): PlatformHttpResponse {
  return { status, headers, body: {} };
}

interface Instance {
  readonly client: PlatformClient;
  done: number;
  byCallers: number;
}

interface Figures {
  readonly model: string;
  readonly instances: number;
  readonly goodputPercent: number;
  readonly shareRatio: number;
  readonly callersPercent: number;
  readonly timeouts: number;
}

const figures: Figures[] = [];
afterAll(() => console.table(figures));

async function run(name: string, model: PlatformModel, count: number): Promise<Figures> {
  const random = createSeededRandom(count);
  const scheduler = createScheduler(random);
  const exchange = createPlatformModel(model, scheduler, random);
  const clock = {
    now: scheduler.now,
    sleep: async (milliseconds: number) =>
      new Promise<void>((resolve) => scheduler.after(milliseconds, resolve)),
  };
  const logIn = createBasicLogIn("gateway", "platform-password");
  let timeouts = 0;
  const instances: Instance[] = Array.from({ length: count }, () => ({
    client: createClient(exchange, { timeoutSeconds, maxConcurrency, logIn, clock, random }),
    done: 0,
    byCallers: 0,
  }));

  /** Calls again and again. A PATCH of unknown outcome costs its room. */
  async function work(instance: Instance, isCaller: boolean): Promise<void> {
    const { call } = isCaller ? instance.client : instance.client.background;
    for (let turn = 0; ; turn++) {
      try {
        await call({ method: turn % 2 === 0 ? "GET" : "PATCH", path: `/conference/${turn}/` });
        instance.done += 1;
        if (isCaller) instance.byCallers += 1;
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        if (error.outcome === "unknown") timeouts += 1;
        await clock.sleep(1000);
      }
    }
  }

  for (const instance of instances) {
    for (let caller = 0; caller < callers; caller++) void work(instance, true);
    for (let job = 0; job < backgroundJobs; job++) void work(instance, false);
  }
  await scheduler.advance(minutes * 60_000);
  const done = instances.map((instance) => instance.done);
  const total = done.reduce((sum, one) => sum + one, 0);
  const capacity = Math.min(callsPerMinute, (slotCount * 60_000) / model.serviceMilliseconds);
  const byCallers = instances.reduce((sum, instance) => sum + instance.byCallers, 0);
  return {
    model: name,
    instances: count,
    goodputPercent: Math.round((100 * total) / (capacity * minutes)),
    shareRatio: Number((Math.max(...done) / Math.min(...done)).toFixed(2)),
    callersPercent: Math.round((100 * byCallers) / total),
    timeouts,
  };
}

describe.each(Object.entries(models))("Instances at a platform limited by %s", (name, model) => {
  test.each([1, 2, 5, 10, 20])("use it, share it and never time out if there are %i", async (count) => {
    const result = await run(name, model, count);
    figures.push(result);
    expect(result.goodputPercent).toBeGreaterThanOrEqual(80);
    expect(result.shareRatio).toBeLessThanOrEqual(2);
    expect(result.timeouts).toBe(0);
  });
});
