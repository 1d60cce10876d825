/** Calls to the platform, mostly over real sockets: failures, deadlines, concurrency and retries. */
import { beforeEach, describe, expect, test } from "vitest";
import { createClient, type PlatformCall, type PlatformClient } from "../../../src/lib/platform/client.ts";
import type { PlatformRequest } from "../../../src/lib/platform/transport.ts";
import { secureRandom } from "../../../src/lib/ports.ts";
import {
  createManualClock,
  createVirtualClock,
  type ManualClock,
  settlePromises,
  type VirtualClock,
} from "../../../tools/simulators/memory/clock.ts";
import { createSeededRandom } from "../../../tools/simulators/memory/seeded-random.ts";
import { createMemoryPlatform, noCredentials } from "../../../tools/simulators/platform/memory-platform.ts";
import type { FaultInput } from "../../../tools/simulators/services/faults.ts";
import {
  type PlatformFaultClass,
  platformFaultClasses,
  platformFaults,
} from "../../support/platform-faults.ts";
import { shortenTimeouts } from "../../support/shortened-timeouts.ts";
import {
  newPlatformClient,
  conferencePath as path,
  platformCredentials,
  usePlatform,
} from "../../support/use-platform.ts";

const platform = usePlatform();
let clock: ManualClock;
let client: PlatformClient;
beforeEach(() => {
  clock = createManualClock();
  client = newPlatformClient(platform.url, { clock });
});

test("No response within the client's or the call's own timeout has an unknown outcome, without a retry", async () => {
  // Opens the connection: before, nothing is sent.
  await client.call({ method: "GET", path });
  platform.addFault({ kind: "timeout" });
  const asked = shortenTimeouts();
  const error = { outcome: "unknown", code: "platform-timeout" };
  await expect(client.call({ method: "GET", path })).rejects.toMatchObject(error);
  await expect(client.call({ method: "GET", path, timeoutSeconds: 3 })).rejects.toMatchObject(error);
  expect(asked).toEqual([20_000, 3000]);
});

const tooLate = {
  outcome: "not-sent",
  code: "gateway-busy",
  message: expect.stringContaining("busy, not sent in time"),
};

test.each([
  ["one 401", [401], 5],
  ["two 401 in a row", [401, 401], 30],
  ["two 401 with another status between", [401, 404, 401], 5],
  ["one 403", [403], 30],
])(
  "A login that the platform refuses by %s is reported with the time to wait",
  async (_, statuses, seconds) => {
    const failures: unknown[] = [];
    for (const status of statuses) {
      platform.addFault({ kind: "status", status, count: 1 });
      failures.push(await client.call({ method: "GET", path }).catch((error: unknown) => error));
    }
    expect(failures.at(-1)).toMatchObject({ details: { retryAfterSeconds: seconds } });
  },
);

test("A call after a 401 sends the fields that a function then returns, unless its deadline has passed", async () => {
  const authorization = async () => {
    clock.advance(2);
    return platformCredentials.authorization();
  };
  const credentials = { authorization, invalidate: () => true };
  const slow = newPlatformClient(platform.url, { credentials, clock });
  platform.seedRooms({ rows: [{ name: "room-1", tag: "of another caller" }] });
  const update = async (deadlineSeconds: number) => {
    const calledAt = clock.now();
    platform.addFault({ kind: "status", status: 401, count: 1 });
    const body = () => ({ tag: `sent after ${(clock.now() - calledAt) / 1000} s` });
    const startBefore = calledAt + deadlineSeconds * 1000;
    return slow.call({ method: "PATCH", path: `${path}1/`, body, startBefore });
  };
  await expect(update(4)).rejects.toMatchObject(tooLate);
  expect(platform.rooms()).toMatchObject([{ tag: "of another caller" }]);
  await update(4.001);
  expect(platform.rooms()).toMatchObject([{ tag: "sent after 4 s" }]);
});

describe("A call while all slots are busy", () => {
  let clock: VirtualClock;
  let sent: string[];
  let client: PlatformClient;
  /** The response of the platform, and how long it takes. */
  let respond: () => { readonly seconds: number; readonly status: number };
  const outcomeOf = async (call: Partial<PlatformCall>, through: Pick<PlatformClient, "call"> = client) =>
    through.call({ method: "GET", path: "/late/", ...call }).catch((error: unknown) => error);
  beforeEach(() => {
    const random = createSeededRandom(1);
    clock = createVirtualClock(random);
    sent = [];
    respond = () => ({ seconds: 400, status: 200 });
    const transport = async (request: PlatformRequest) => {
      sent.push(request.path);
      const { seconds, status } = respond();
      await clock.sleep(seconds * 1000);
      return { status, headers: { "retry-after": "7" }, body: "" };
    };
    const limits = { timeoutSeconds: 500, maxConcurrency: 4 };
    client = createClient(transport, { ...limits, credentials: noCredentials, clock, random });
  });
  /** Sends calls, of which the platform gets four at once. */
  const keepBusy = (calls = 4, timeoutSeconds = 500) => {
    for (let call = 0; call < calls; call++) void outcomeOf({ path: "/busy/", timeoutSeconds });
  };

  test.each<[string, (call: Partial<PlatformCall>) => Promise<unknown>, number]>([
    ["after 10 s", async (call) => outcomeOf(call), 10],
    ["after 300 s in the background", async (call) => outcomeOf(call, client.background), 300],
    [
      "at its deadline, which replaces the 10 s",
      async (call) => outcomeOf({ ...call, startBefore: clock.now() + 60_000 }),
      60,
    ],
  ])("fails %s without being sent", async (_, send, seconds) => {
    keepBusy();
    let outcome: unknown;
    void send({ path: "/late/" }).then((ended) => {
      outcome = ended;
    });
    await clock.advance(seconds * 1000 - 1);
    expect(outcome).toBeUndefined();
    await clock.advance(1);
    expect(outcome).toMatchObject(tooLate);
    expect(sent).not.toContain("/late/");
  });

  test("is sent at once if its unit of work has a slot", async () => {
    const slot = await client.background.takeSlot(clock.now() + 1000);
    keepBusy();
    void outcomeOf({ path: "/claim/", slot });
    await settlePromises();
    expect(sent).toContain("/claim/");
  });

  test("counts as started when it has its slot, so each round of failures lowers the limit", async () => {
    respond = () => ({ seconds: 1, status: 504 });
    keepBusy(12);
    // Four at once, then two, then one.
    for (const expected of [4, 6, 7, 8]) {
      await settlePromises();
      expect(sent).toHaveLength(expected);
      await clock.advance(1000);
    }
  });

  test("fails at once if 200 others wait, and background work fails at its deadline; nothing is sent", async () => {
    keepBusy(204);
    await settlePromises();
    const ended: unknown[] = [];
    const note = (outcome: unknown) => void ended.push(outcome);
    void outcomeOf({}).then(note);
    void client.background.takeSlot(clock.now() + 1000).catch(note);
    await settlePromises();
    expect(ended).toMatchObject([{ ...tooLate, message: "GET /late/: busy, not sent in time" }]);
    await clock.advance(1000);
    const ofBackground = { ...tooLate, message: "several calls: busy, not sent in time" };
    expect(ended.slice(1)).toMatchObject([ofBackground]);
    expect(sent).toEqual(Array(4).fill("/busy/"));
  });

  test("waits in a line of its own if it is a claim's, where the 201st is refused at once", async () => {
    keepBusy(204);
    let refused = 0;
    const claim = async () => {
      const slot = await client.takeClaimSlot(clock.now() + 1000);
      if (!slot) refused += 1;
    };
    for (let count = 0; count < 200; count++) void claim();
    await settlePromises();
    expect(refused).toBe(0);
    await claim();
    expect(refused).toBe(1);
  });

  test.each<[number, number, number?]>([
    // Two fifths of the call's own timeout, or of the client's.
    [3.9, 3, 10],
    [4.1, 2, 10],
    [199, 3],
    [201, 2],
  ])(
    "waits after timeouts: calls that took %d s let %i be sent at once",
    async (seconds, expected, timeoutSeconds) => {
      respond = () => ({ seconds: 1, status: 504 });
      keepBusy(2);
      await clock.advance(1000);
      respond = () => ({ seconds, status: 200 });
      const startBefore = clock.now() + 1_000_000;
      const send = () => void outcomeOf({ ...(timeoutSeconds && { timeoutSeconds }), startBefore });
      for (let call = 0; call < 3; call++) send();
      await clock.advance(2 * seconds * 1000);
      sent = [];
      for (let call = 0; call < 4; call++) send();
      await settlePromises();
      expect(sent).toHaveLength(expected);
    },
  );

  test("is refused at once during a pause", async () => {
    respond = () => (sent.length === 1 ? { seconds: 0.01, status: 503 } : { seconds: 60, status: 200 });
    keepBusy();
    await clock.advance(1000);
    const outcome = outcomeOf({});
    await settlePromises();
    expect(await Promise.race([outcome, Promise.resolve("still waiting")])).toMatchObject({
      details: { retryAfterSeconds: 7 },
    });
    await expect(client.takeClaimSlot(clock.now() + 60_000)).rejects.toMatchObject({
      outcome: "not-sent",
      details: { retryAfterSeconds: 7 },
    });
  });
});

describe("A retry", () => {
  const attempts = () => platform.requests().total;
  const outcomeOf = async (call: Partial<PlatformCall>, through: Pick<PlatformClient, "call"> = client) => {
    const { method = "GET" } = call;
    const place = method === "GET" || method === "POST" ? path : `${path}1/`;
    return through.call({ method, path: place, ...call }).catch((error: unknown) => error);
  };
  const once = (status: number, more: { retryAfterSeconds?: number; when?: "after" } = {}) =>
    ({ kind: "status", status, count: 1, ...more }) as const;
  test.each<[string, PlatformCall["method"], FaultInput, number[]]>([
    ["two failures", "GET", { kind: "status", status: 500, count: 2 }, [100, 400]],
    ["a pause of 2 s", "GET", once(503, { retryAfterSeconds: 2 }), [2000]],
    ["a pause of 3 s", "GET", once(503, { retryAfterSeconds: 3 }), []],
    ["a lost response", "DELETE", once(500, { when: "after" }), [100]],
  ])("follows or not after %s of a %s, and after which pauses", async (_, method, fault, pauses) => {
    const random = { ...secureRandom, integerBelow: (limit: number) => limit / 2 };
    platform.seedRooms({ count: 1 });
    platform.addFault(fault);
    await outcomeOf({ method }, newPlatformClient(platform.url, { clock, random }));
    expect(attempts()).toBe(1 + pauses.length);
    expect(clock.sleeps).toEqual(pauses);
  });

  const methods = ["GET", "DELETE", "POST", "PATCH"] as const;
  const retriedMethods: Readonly<Record<PlatformFaultClass, readonly PlatformCall["method"][]>> = {
    "platform-rejected": [],
    "platform-login-refused": [],
    "platform-unavailable": ["GET", "DELETE"],
    "platform-timeout": [],
    throttled: methods,
    "not-from-platform": [],
  };
  test.each(platformFaultClasses.flatMap((fault) => methods.map((method) => [fault, method] as const)))(
    "follows or not after a failure of the class %s for %s",
    async (fault, method) => {
      // In memory, where a timeout takes no time.
      const { transport, ...memory } = createMemoryPlatform(clock.now);
      const limits = { timeoutSeconds: 20, maxConcurrency: 5 };
      client = createClient(transport, { ...limits, credentials: noCredentials, clock });
      memory.seedRooms({ count: 1 });
      memory.addFault({ ...platformFaults[fault], count: 1 });
      await outcomeOf({ method });
      expect(memory.requests().total).toBe(retriedMethods[fault].includes(method) ? 2 : 1);
    },
  );

  test("is the second at most, even if the fault is permanent, with random pauses of 50 to 150 and 200 to 600 ms", async () => {
    platform.addFault({ kind: "status", status: 500 });
    for (let call = 0; call < 10; call++)
      expect(await outcomeOf({}, client.background)).toMatchObject({ code: "platform-unavailable" });
    expect(attempts()).toBe(30);

    const [first = [], second = []] = [0, 1].map((rest) => clock.sleeps.filter((_, at) => at % 2 === rest));
    for (const pause of first) expect(pause).toSatisfy((length: number) => length >= 50 && length <= 150);
    for (const pause of second) expect(pause).toSatisfy((length: number) => length >= 200 && length <= 600);
    expect(new Set(clock.sleeps).size).toBeGreaterThan(10);
  });

  test("does not follow if the pause would end at the call's deadline or later", async () => {
    platform.addFault({ kind: "status", status: 503, retryAfterSeconds: 1 });
    const startBefore = clock.now() + 1000;
    expect(await outcomeOf({ startBefore })).toMatchObject({ platformStatus: 503 });
    expect(attempts()).toBe(1);
  });
});
