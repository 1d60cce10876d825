/** Retries of platform calls. */
import { beforeEach, describe, expect, test } from "vitest";
import type { PlatformCall, PlatformClient } from "../../../src/lib/platform/client.ts";
import { PlatformError } from "../../../src/lib/platform/platform-error.ts";
import { withRetries } from "../../../src/lib/platform/retry.ts";
import { secureRandom } from "../../../src/lib/ports.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { newPlatformClient, usePlatform } from "../../support/use-platform.ts";

const path = "/api/admin/configuration/v1/conference/";

const platform = usePlatform();
let clock: ManualClock;
let client: PlatformClient;
beforeEach(() => {
  clock = createManualClock();
  client = withRetries(newPlatformClient(platform.url, { clock }), clock, secureRandom);
});

const outcomeOf = async (
  method: PlatformCall["method"],
  limits: Pick<PlatformCall, "startBefore" | "timeoutSeconds"> = {},
) => {
  const place = method === "GET" || method === "POST" ? path : `${path}1/`;
  return client.call({ method, path: place, ...limits }).then(
    () => "done",
    (error: unknown) => error,
  );
};
const attempts = () => platform.requests().total;

describe("with a transient fault", () => {
  test.each([500, 502, 503, 504])("a GET is retried after status %i", async (status) => {
    platform.addFault({ kind: "status", status, count: 2 });
    expect(await outcomeOf("GET")).toBe("done");
    expect(attempts()).toBe(3);
  });

  test("a GET is retried after a reset", async () => {
    platform.addFault({ kind: "reset", count: 2 });
    expect(await outcomeOf("GET")).toBe("done");
  });

  test("a DELETE is retried, and returns 404 if the first attempt was carried out", async () => {
    platform.seedRooms({ count: 1 });
    platform.addFault({ kind: "status", status: 500, when: "after", count: 1 });
    expect(await outcomeOf("DELETE")).toMatchObject({ platformStatus: 404 });
    expect(platform.roomCount()).toBe(0);
  });

  test.each(["POST", "PATCH"] as const)(
    "a %s is not retried if it may have been carried out",
    async (method) => {
      for (const fault of [
        { kind: "status", status: 500 },
        { kind: "status", status: 503 },
        { kind: "reset" },
      ] as const) {
        platform.addFault({ ...fault, count: 1 });
        expect(await outcomeOf(method)).toMatchObject({ outcome: "unknown" });
      }
      expect(attempts()).toBe(3);
    },
  );

  test.each(["GET", "POST", "PATCH", "DELETE"] as const)("a throttled %s is retried", async (method) => {
    platform.seedRooms({ count: 1 });
    platform.addFault({ kind: "status", status: 429, retryAfterSeconds: 1, count: 1 });
    await outcomeOf(method);
    expect(attempts()).toBe(2);
    expect(clock.sleeps).toEqual([1000]);
  });

  test.each(["GET", "PATCH"] as const)("a %s that timed out is not retried", async (method) => {
    platform.addFault({ kind: "timeout", count: 1 });
    expect(await outcomeOf(method, { timeoutSeconds: 1 })).toMatchObject({ code: "platform-timeout" });
    expect(attempts()).toBe(1);
  });

  test.each([400, 401, 403, 404, 409])("a GET is not retried after status %i", async (status) => {
    platform.addFault({ kind: "status", status, count: 1 });
    expect(await outcomeOf("GET")).toMatchObject({ platformStatus: status });
    expect(attempts()).toBe(1);
  });
});

test("a lasting fault is thrown after three attempts", async () => {
  platform.addFault({ kind: "status", status: 503 });
  expect(await outcomeOf("GET")).toMatchObject({ code: "platform-unavailable" });
  expect(attempts()).toBe(3);
});

test("the pauses are random: 50 to 150 ms, then 200 to 600 ms", async () => {
  platform.addFault({ kind: "status", status: 500 });
  for (let call = 0; call < 10; call++) await outcomeOf("GET");

  const [first, second] = [0, 1].map((rest) => clock.sleeps.filter((_, index) => index % 2 === rest));
  for (const pause of first ?? []) expect(pause).toSatisfy((length: number) => length >= 50 && length <= 150);
  for (const pause of second ?? [])
    expect(pause).toSatisfy((length: number) => length >= 200 && length <= 600);
  expect(new Set(clock.sleeps).size).toBeGreaterThan(10);
});

test("a call is not retried if Retry-After exceeds two seconds", async () => {
  platform.addFault({ kind: "status", status: 503, retryAfterSeconds: 3 });
  expect(await outcomeOf("GET")).toMatchObject({ details: { retryAfterSeconds: 3 } });
  expect(attempts()).toBe(1);
});

test("a call is retried after a Retry-After of two seconds", async () => {
  platform.addFault({ kind: "status", status: 503, retryAfterSeconds: 2, count: 1 });
  expect(await outcomeOf("GET")).toBe("done");
  expect(clock.sleeps).toEqual([2000]);
});

test("a throttled POST without Retry-After is retried after a short pause", async () => {
  platform.addFault({ kind: "status", status: 429, count: 1 });
  await outcomeOf("POST");
  expect(attempts()).toBe(2);
  expect(clock.sleeps[0]).toBeLessThanOrEqual(150);
});

test("a call is not retried if the pause would end at its deadline or later", async () => {
  platform.addFault({ kind: "status", status: 503 });
  expect(await outcomeOf("GET", { startBefore: clock.now() + 50 })).toMatchObject({ platformStatus: 503 });
  expect(attempts()).toBe(1);
});

test("the next attempt starts after the pause", async () => {
  const { promise: pause, resolve: endPause } = Promise.withResolvers<void>();
  let calls = 0;
  const call = async () => {
    calls += 1;
    if (calls === 1) throw new PlatformError({ outcome: "not-sent", message: "x" });
    return { body: {} };
  };
  const pausedClock = { ...clock, sleep: async () => pause };
  const response = withRetries({ call, background: { call } }, pausedClock, secureRandom).call({
    method: "GET",
    path,
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls).toBe(1);
  endPause();
  await expect(response).resolves.toEqual({ body: {} });
});

test("a call to an unreachable platform has three attempts", async () => {
  await platform.goDown("refuse");
  expect(await outcomeOf("POST")).toMatchObject({ outcome: "not-sent" });
  expect(clock.sleeps).toHaveLength(2);
  await platform.goUp();
});

test("background calls are retried too", async () => {
  platform.addFault({ kind: "status", status: 503, count: 2 });
  await expect(client.background.call({ method: "GET", path })).resolves.toBeDefined();
});
