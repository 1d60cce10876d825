/** Faults, latency, limits and outages of the simulated platform. */
import { expect, onTestFinished, test } from "vitest";
import { conferencePath, managementClient } from "../../../../../test/support/management-client.ts";
import { platformAccount, usePlatform } from "../../../../../test/support/use-platform.ts";
import { startPlatformSimulator } from "../../../simulators/platform/platform-simulator.ts";

const platform = usePlatform();
const call = managementClient(platform);

const create = (name: string) => call("POST", conferencePath, { name });

test("A status fault before the commit leaves the call undone, for its count and method only", async () => {
  platform.addFault({ method: "POST", kind: "status", status: 503, count: 1, retryAfterSeconds: 5 });

  expect((await call("GET", conferencePath)).status).toBe(200);
  const refused = await create("a");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(platform.roomCount()).toBe(0);
  expect((await create("a")).status).toBe(201);
});

test("A 500 after the commit keeps the room, so a retry finds its own name taken", async () => {
  platform.addFault({ kind: "status", when: "after", count: 1 });

  const failed = await create("a");
  expect(failed.status).toBe(500);
  expect(failed.json).toEqual({ error_message: expect.any(String) });
  expect((await create("a")).text).toContain("already exists");
});

test("The fault html500 returns an HTML page", async () => {
  platform.addFault({ kind: "html500" });
  const failed = await create("a");

  expect(failed.status).toBe(500);
  expect(failed.headers.get("content-type")).toMatch(/^text\/html/);
});

test.each(["before", "after"] as const)("A reset %s the commit breaks the connection", async (when) => {
  platform.addFault({ kind: "reset", when, count: 1 });

  await expect(create("a")).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
  expect(platform.roomCount()).toBe(when === "after" ? 1 : 0);
});

test("A timeout after the commit stores the room and sends no response", async () => {
  platform.addFault({ kind: "timeout", when: "after", count: 1 });
  const abort = new AbortController();
  const authorization = `Basic ${Buffer.from("api-user:api-password").toString("base64")}`;
  const pending = fetch(platform.url + conferencePath, {
    method: "POST",
    headers: { authorization },
    body: JSON.stringify({ name: "a" }),
    signal: abort.signal,
  });
  await expect.poll(() => platform.roomCount()).toBe(1);
  await expect.poll(() => platform.requests().byOutcome).toEqual({ silence: 1 });
  abort.abort();

  await expect(pending).rejects.toThrow(/aborted/);
});

test("A commit can happen after its failed response", async () => {
  const [id] = platform.seedRooms({ rows: [{ name: "a", tag: "before" }] });
  platform.addFault({
    method: "PATCH",
    kind: "status",
    when: "after",
    commitAfterMilliseconds: 2000,
    count: 1,
  });

  expect((await call("PATCH", `${conferencePath}${id}/`, { tag: "late" })).status).toBe(500);
  expect(platform.rooms()).toMatchObject([{ tag: "before" }]);
  await expect.poll(() => platform.rooms()).toMatchObject([{ tag: "late" }]);
});

test("A fault's share follows the random numbers, and its pattern matches path and query", async () => {
  const numbers = [0.05, 0.5, 0.05, 0.5];
  const random = () => numbers.shift() ?? 1;
  const seeded = await startPlatformSimulator({ ...platformAccount, random });
  onTestFinished(seeded.stop);
  seeded.addFault({ pathPattern: "name=a$", kind: "status", status: 429, share: 0.1 });
  const statuses = [];
  for (const query of ["name=a", "name=b", "name=a", "name=a", "name=b", "name=a"]) {
    statuses.push((await managementClient(seeded)("GET", `${conferencePath}?${query}`)).status);
  }

  expect(statuses).toEqual([429, 200, 200, 429, 200, 200]);
});

test("A fault is cleared by its id", async () => {
  const kept = platform.addFault({ kind: "status", status: 502 });
  const cleared = platform.addFault({ kind: "status", status: 503 });
  platform.clearFaults(cleared);
  expect((await create("a")).status).toBe(502);
  platform.clearFaults(kept);

  expect((await create("a")).status).toBe(201);
});

test("Latency delays the selected calls before they are executed", async () => {
  platform.setLatency({ milliseconds: 60_000, method: "POST" });
  const pending = create("a");
  const settled = Promise.allSettled([pending]);
  await expect.poll(() => platform.requests().inFlight).toBe(1);

  expect((await call("GET", conferencePath)).json.meta.total_count).toBe(0);
  await platform.stop();
  expect(await settled).toMatchObject([{ status: "rejected" }]);
});

test("Latency is at least the configured time", async () => {
  platform.setLatency({ milliseconds: 30, jitterMilliseconds: 5 });
  const startedAt = performance.now();
  await call("GET", conferencePath);

  // Timers may fire up to a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
});

test("The request limit returns 429 until the minute is over", async () => {
  platform.setBehaviour({ requestLimitPerMinute: 2 });
  await call("GET", conferencePath);
  await call("GET", conferencePath);
  const limited = await call("GET", conferencePath);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);

  platform.advanceClock(60);
  expect((await call("GET", conferencePath)).status).toBe(200);
});

test.each([
  ["refuse", { rejects: "ECONNREFUSED" }],
  ["reset", { rejects: "ECONNRESET" }],
] as const)(
  "down by %s breaks every connection, and up brings the same address back",
  async (mode, expected) => {
    platform.seedRooms({ count: 1 });
    const { url } = platform;
    await platform.goDown(mode);
    await expect(call("GET", conferencePath)).rejects.toMatchObject({ cause: { code: expected.rejects } });
    expect((await fetch(`${platform.controlUrl}/control/requests`)).status).toBe(200);

    await platform.goUp();
    expect(platform.url).toBe(url);
    expect((await call("GET", conferencePath)).json.meta.total_count).toBe(1);
  },
);

test("Down mode 503 returns 503", async () => {
  await platform.goDown("503");
  expect((await call("GET", conferencePath)).status).toBe(503);
  await platform.goUp();
  expect((await call("GET", conferencePath)).status).toBe(200);
});

test("Calls are counted by route and outcome, with the maximum in flight", async () => {
  platform.setLatency({ milliseconds: 60_000, pathPattern: "slow" });
  const slow = Promise.allSettled([call("GET", "/slow/"), call("GET", "/slow/"), call("GET", "/slow/")]);
  await expect.poll(() => platform.requests().inFlight).toBe(3);
  await create("a");
  await call("GET", `${conferencePath}1/`);

  expect(platform.requests()).toMatchObject({
    total: 5,
    maxInFlight: 4,
    byRoute: { "GET /slow/": 3, [`POST ${conferencePath}`]: 1, [`GET ${conferencePath}{id}/`]: 1 },
    byOutcome: { "200": 1, "201": 1 },
  });
  await platform.stop();
  await slow;
});
