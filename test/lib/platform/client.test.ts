/** Calls to the platform over real sockets: failures, deadlines, concurrency and retries. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  createClient,
  type PlatformCall,
  type PlatformCalls,
  type PlatformClient,
} from "../../../src/lib/platform/client.ts";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import { withRetries } from "../../../src/lib/platform/retries.ts";
import { createBasicCredentials } from "../../../src/lib/platform/transport.ts";
import { secureRandom } from "../../../src/lib/ports.ts";
import { type Reply, startLoopbackServer } from "../../../tools/simulators/loopback-server.ts";
import { noCredentials } from "../../../tools/simulators/platform/memory-platform.ts";
import { createSeededRandom } from "../../../tools/simulators/process/seeded-random.ts";
import {
  createManualClock,
  createVirtualClock,
  type ManualClock,
  settlePromises,
} from "../../support/clock.ts";
import { conferencePath as path } from "../../support/management-client.ts";
import { shortenTimeouts } from "../../support/shortened-timeouts.ts";
import { newPlatformClient, usePlatform } from "../../support/use-platform.ts";
import { useStartedPerTest } from "../../support/use-started.ts";

const account = { username: "api-user", password: "pässword" };

const platform = usePlatform({ ...account, requestLimitPerMinute: null });
let clock: ManualClock;
let client: PlatformClient;
beforeEach(() => {
  clock = createManualClock();
  client = newClient();
});

const newClient = (url = platform.url, password = account.password, timeoutSeconds = 20): PlatformClient => {
  const credentials = createBasicCredentials(account.username, password);
  return newPlatformClient(url, { timeoutSeconds, maxConcurrency: 4, credentials, clock });
};
const get = async (changes: Partial<PlatformCall> = {}, through = client) =>
  through.call({ method: "GET", path, ...changes });
/** Each successful call raises the limit, which begins at one; these reach the ceiling of four. */
async function reachCeiling(of: PlatformClient): Promise<void> {
  for (let calls = 0; calls < 8; calls++) await get({}, of);
}

test("a call logs in, sends its query and returns the body", async () => {
  platform.seedRooms({ count: 3 });
  expect((await get({ query: { name: "room-00001", limit: 5 } })).body).toMatchObject({
    meta: { total_count: 1, limit: 5 },
    objects: [{ name: "room-00001" }],
  });
});

test("a call with wrong credentials fails and is not retried", async () => {
  const wrong = newClient(platform.url, "wrong");
  await expect(get({}, wrong)).rejects.toMatchObject({
    code: "platform-login-refused",
    outcome: "refused",
    platformStatus: 401,
    message: `GET ${path}: status 401: login refused`,
    details: { retryAfterSeconds: 30 },
  });
  expect(platform.requests().total).toBe(1);
});

describe("failures", () => {
  test.each([
    [400, "refused", "platform-rejected"],
    [401, "refused", "platform-login-refused"],
    [403, "refused", "platform-login-refused"],
    [404, "refused", "platform-rejected"],
    [429, "refused", "platform-unavailable"],
    [500, "unknown", "platform-unavailable"],
    [503, "unknown", "platform-unavailable"],
  ] as const)("status %i has the outcome %s and is %s", async (status, outcome, code) => {
    platform.addFault({ kind: "status", status });
    await expect(get()).rejects.toMatchObject({ outcome, code, platformStatus: status });
  });

  test("no response within the client's or the call's own timeout has an unknown outcome", async () => {
    platform.addFault({ kind: "timeout" });
    const asked = shortenTimeouts();
    const error = { outcome: "unknown", code: "platform-timeout" };
    await expect(get()).rejects.toMatchObject(error);
    await expect(get({ timeoutSeconds: 3 })).rejects.toMatchObject(error);
    expect(asked).toEqual([20_000, 3000]);
  });

  test("a call to a closed port was not sent, and its error keeps the transport failure as its cause", async () => {
    await expect(get({}, newClient("http://127.0.0.1:1"))).rejects.toMatchObject({
      outcome: "not-sent",
      code: "platform-unavailable",
      message: `GET ${path}: ECONNREFUSED`,
      cause: { code: "ECONNREFUSED" },
    });
  });

  // No resolver accepts a label of more than 63 characters.
  const noName = `${"x".repeat(64)}.invalid`;
  test.each([`http://${noName}`, `https://${noName}`])(
    "a call to a name that does not resolve (%s) was not sent",
    async (url) => {
      await expect(get({}, newClient(url))).rejects.toMatchObject({ outcome: "not-sent" });
    },
  );

  test("a call over TLS to a server without TLS was not sent", async () => {
    const url = platform.url.replace("http:", "https:");
    await expect(get({}, newClient(url))).rejects.toMatchObject({ outcome: "not-sent" });
  });

  test.each([
    ["/accounts/login/?next=/api/", "platform-login-refused"],
    ["https://platform.example.com/login", "platform-login-refused"],
    ["/api/admin/configuration/v1/conference/", "platform-rejected"],
    ["/blogin/", "platform-rejected"],
  ])("a redirect to %s is %s", async (location, code) => {
    platform.addFault({ kind: "status", status: 302, headers: { location } });
    await expect(get()).rejects.toMatchObject({ code, outcome: "refused" });
  });

  test.each([
    [300, "platform-login-refused"],
    [400, "platform-rejected"],
    [503, "platform-unavailable"],
  ])("a link to the login page with status %i is %s", async (status, code) => {
    platform.addFault({ kind: "status", status, headers: { location: "/login/" } });
    await expect(get()).rejects.toMatchObject({ code });
  });

  test.each([
    ["7", 7],
    ["1", 1],
    ["1.2", 2],
  ])("a Retry-After of %s is returned in seconds", async (given, seconds) => {
    platform.addFault({ kind: "status", status: 503, headers: { "retry-after": given } });
    await expect(get()).rejects.toMatchObject({
      hasRetryAfter: true,
      details: { retryAfterSeconds: seconds },
    });
  });

  test.each(["-1", "0", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"])(
    "a Retry-After of %s is ignored",
    async (given) => {
      platform.addFault({ kind: "status", status: 503, headers: { "retry-after": given } });
      await expect(get()).rejects.toMatchObject({ hasRetryAfter: false, details: { retryAfterSeconds: 5 } });
    },
  );

  test("the error keeps the body of a 400 and of no other status", async () => {
    platform.addFault({
      kind: "status",
      status: 400,
      body: { conference: { pin: ["too short"] } },
      count: 1,
    });
    platform.addFault({ kind: "status", status: 409, body: { error: "x" }, count: 1 });
    const rejected: unknown = await get().catch((cause: unknown) => cause);
    expect(rejected).toMatchObject({ body: { conference: { pin: ["too short"] } } });
    // The platform would reject it again.
    expect(rejected).not.toHaveProperty("details.retryAfterSeconds");
    await expect(get()).rejects.toMatchObject({ body: undefined });
  });

  test("the error's message contains method, path and status, and no query, body or password", async () => {
    platform.addFault({ kind: "status", status: 500 });
    const call = { method: "POST" as const, path, query: { name: "secret-q" }, body: { pin: "secret-b" } };
    const error: unknown = await client.call(call).catch((cause: unknown) => cause);

    expect(error).toMatchObject({ message: `POST ${path}: status 500` });
    expect(String(error instanceof Error ? error.stack : "")).not.toMatch(/secret-|pässword/);
  });
});

describe("a call with a deadline", () => {
  test("is not sent once the deadline has passed", async () => {
    await expect(get({ startBefore: clock.now() })).rejects.toMatchObject({
      outcome: "not-sent",
      code: "platform-timeout",
    });
    expect(platform.requests().total).toBe(0);
    await expect(get({ startBefore: clock.now() + 1 })).resolves.toBeDefined();
  });

  test("is not sent if the login ends after the deadline", async () => {
    const credentials = {
      authorization: async () => {
        clock.advance(2);
        return createBasicCredentials(account.username, account.password).authorization();
      },
      invalidate: () => false,
    };
    const slow = newPlatformClient(platform.url, { credentials, clock });
    const error = { outcome: "not-sent", code: "platform-timeout" };
    await expect(get({ startBefore: clock.now() + 2000 }, slow)).rejects.toMatchObject(error);
    expect(platform.requests().total).toBe(0);
    await expect(get({ startBefore: clock.now() + 2001 }, slow)).resolves.toBeDefined();
  });

  test("is not retried if the new login after a 401 ends after the deadline", async () => {
    const credentials = {
      ...createBasicCredentials(account.username, account.password),
      invalidate: () => {
        clock.advance(59);
        return true;
      },
    };
    const slow = newPlatformClient(platform.url, { credentials, clock });
    platform.seedRooms({ rows: [{ name: "room-1", tag: "of another caller" }] });
    platform.addFault({ kind: "status", status: 401, count: 1 });
    const change = { method: "PATCH", path: `${path}1/`, body: { tag: "late" } } as const;
    const startBefore = clock.now() + 25_000;
    const error = { outcome: "not-sent", code: "platform-timeout" };
    await expect(slow.call({ ...change, startBefore })).rejects.toMatchObject(error);
    expect(platform.rooms()).toMatchObject([{ tag: "of another caller" }]);
  });
});

test("Fields from a function are those of the moment at which they are sent, also the second time", async () => {
  platform.seedRooms({ rows: [{ name: "room-1" }] });
  const basic = createBasicCredentials(account.username, account.password);
  const credentials = {
    authorization: async () => {
      clock.advance(5);
      return basic.authorization();
    },
    invalidate: () => true,
  };
  const slow = newPlatformClient(platform.url, { credentials, clock });
  const queuedAt = clock.now();
  const sentAt: number[] = [];
  const body = () => {
    sentAt.push((clock.now() - queuedAt) / 1000);
    return { description: `sent after ${sentAt.at(-1)} s` };
  };
  platform.addFault({ kind: "status", status: 401, count: 1 });
  await slow.call({ method: "PATCH", path: `${path}1/`, body });
  expect(sentAt).toEqual([5, 10]);
  expect(platform.rooms()).toMatchObject([{ description: "sent after 10 s" }]);
});

describe("concurrent calls", () => {
  test("never exceed the maximum, including background calls", async () => {
    platform.setLatency({ milliseconds: 10 });
    const calls = Array.from({ length: 40 }, async (_, index) =>
      (index % 2 === 0 ? client : client.background).call({ method: "GET", path }),
    );
    await Promise.all(calls);
    expect(platform.requests().maxInFlight).toBe(4);
  });
});

describe("A call without a free slot", () => {
  /** The requests that wait for their response, until `releaseNext`. */
  let paths: string[];
  let held: ((reply: Reply) => void)[];
  const server = useStartedPerTest(async () => {
    [paths, held] = [[], []];
    return startLoopbackServer(async ({ url }) => {
      if (url.pathname === path) return { status: 200, body: {} };
      paths.push(url.pathname);
      return new Promise<Reply>((resolve) => void held.push(resolve));
    });
  });
  const request = (changes: Partial<PlatformCall> = {}) =>
    ({ method: "GET", path: "/x/", ...changes }) as const;
  let calls: Promise<unknown>[];
  beforeEach(async () => {
    client = newClient(server.url);
    await reachCeiling(client);
    calls = Array.from({ length: 4 }, async () => client.call(request({ path: "/first/" })));
    await vi.waitUntil(() => held.length === 4, { interval: 2 });
  });
  /** Responds to all requests, also to those that follow, and waits for all calls. */
  async function release(count: number): Promise<void> {
    for (let finished = 0; finished < count; finished++) {
      await vi.waitUntil(() => held.length > 0, { interval: 2, timeout: 20_000 });
      held.shift()?.({ status: 200, body: {} });
    }
    await Promise.all(calls);
    expect(paths).toHaveLength(count);
  }

  test("that is in the background leaves two slots to callers", async () => {
    for (let count = 0; count < 4; count++)
      calls.push(client.background.call(request({ path: "/background/" })));
    await new Promise(setImmediate);
    for (let count = 0; count < 4; count++) calls.push(client.call(request({ path: "/waiting/" })));
    await release(12);
    expect(paths.slice(4, 8)).toEqual(["/background/", "/background/", "/waiting/", "/waiting/"]);
  });

  test("is sent at once if it is part of a claim, which has a slot", async () => {
    calls.push(client.call(request({ path: "/claim/", isInClaim: true })));
    await vi.waitUntil(() => held.length === 5, { interval: 2 });
    await expect(release(5)).resolves.toBeUndefined();
  });

  test("is not sent if it waited 20 s; background calls keep waiting", async () => {
    const late = client.call(request()).catch((error: unknown) => error);
    calls.push(client.background.call(request()));
    clock.advance(20);
    await release(5);
    expect(await late).toMatchObject({ outcome: "not-sent", code: "platform-timeout" });
  });

  test.each([
    ["after less than 20 s", 19.999, undefined],
    ["before its deadline, which replaces the 20 s", 59, 60],
  ])("is sent %s", async (_, seconds, deadlineSeconds) => {
    const startBefore = deadlineSeconds && clock.now() + deadlineSeconds * 1000;
    calls.push(client.call(request(startBefore === undefined ? {} : { startBefore })));
    clock.advance(seconds);
    await expect(release(5)).resolves.toBeUndefined();
  });

  test("is not sent after its deadline", async () => {
    const late = client.call(request({ startBefore: clock.now() + 1000 })).catch((error: unknown) => error);
    clock.advance(1);
    await release(4);
    expect(await late).toMatchObject({ outcome: "not-sent", code: "platform-timeout" });
  });
});

test("A call counts as started when it has its slot, so each round of failures lowers the limit", async () => {
  const random = createSeededRandom(1);
  const clock = createVirtualClock(random);
  const transport = async () => {
    await clock.sleep(1000);
    return { status: 504, headers: {}, body: "" };
  };
  const limits = { timeoutSeconds: 10, maxConcurrency: 4 };
  const client = createClient(transport, { ...limits, credentials: noCredentials, clock, random });
  let ended = 0;
  for (let calls = 0; calls < 12; calls++) void get({}, client).catch(() => (ended += 1));
  // Four at once, then two, then one.
  for (const expected of [4, 6, 7, 8]) {
    await clock.advance(1000);
    expect(ended).toBe(expected);
  }
});

test("A caller is refused at once during a pause, even if no slot is free", async () => {
  const random = createSeededRandom(1);
  const clock = createVirtualClock(random);
  let calls = 0;
  const transport = async () => {
    const isFirst = calls++ === 0;
    await clock.sleep(isFirst ? 10 : 60_000);
    return { status: isFirst ? 503 : 200, headers: { "retry-after": "7" }, body: "" };
  };
  const limits = { timeoutSeconds: 90, maxConcurrency: 4 };
  const client = createClient(transport, { ...limits, credentials: noCredentials, clock, random });
  for (let call = 0; call < 4; call++) void get({}, client).catch(() => undefined);
  await clock.advance(1000);
  const outcome = get({}, client).catch((error: unknown) => error);
  await settlePromises();
  expect(await Promise.race([outcome, Promise.resolve("still waiting")])).toMatchObject({
    details: { retryAfterSeconds: 7 },
  });
});

describe("Retries", () => {
  const path = "/api/admin/configuration/v1/conference/";

  const platform = usePlatform();
  let clock: ManualClock;
  let client: PlatformCalls;
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
      platform.addFault({ kind: "timeout" });
      shortenTimeouts();
      expect(await outcomeOf(method)).toMatchObject({ code: "platform-timeout" });
      expect(clock.sleeps).toEqual([]);
    });

    test.each([400, 401, 403, 404, 409])("a GET is not retried after status %i", async (status) => {
      platform.addFault({ kind: "status", status, count: 1 });
      expect(await outcomeOf("GET")).toMatchObject({ platformStatus: status });
      expect(attempts()).toBe(1);
    });
  });

  test("a permanent fault is thrown after three attempts", async () => {
    platform.addFault({ kind: "status", status: 503 });
    expect(await outcomeOf("GET")).toMatchObject({ code: "platform-unavailable" });
    expect(attempts()).toBe(3);
  });

  test("the pauses are random: 50 to 150 ms, then 200 to 600 ms", async () => {
    platform.addFault({ kind: "status", status: 500 });
    for (let call = 0; call < 10; call++) await outcomeOf("GET");

    const [first, second] = [0, 1].map((rest) => clock.sleeps.filter((_, index) => index % 2 === rest));
    for (const pause of first ?? [])
      expect(pause).toSatisfy((length: number) => length >= 50 && length <= 150);
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

  test("Tries a call to an unreachable platform three times", async () => {
    await platform.goDown("refuse");
    expect(await outcomeOf("POST")).toMatchObject({ outcome: "not-sent" });
    expect(clock.sleeps).toHaveLength(2);
    await platform.goUp();
  });

  test("background calls are retried too", async () => {
    platform.addFault({ kind: "status", status: 503, count: 2 });
    await expect(client.background.call({ method: "GET", path })).resolves.toBeDefined();
  });
});
