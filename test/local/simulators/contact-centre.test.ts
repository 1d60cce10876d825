/** The contact-centre stub's current-user endpoint and its faults. */
import { expect, test } from "vitest";
import { startContactCentre } from "../../../local/simulators/contact-centre.ts";
import { useStartedPerTest } from "../../support/use-started.ts";

const agent = {
  token: "agent-token",
  id: "44444444-4444-4444-8444-444444444444",
  name: "Test Agent",
  divisionId: "55555555-5555-4555-8555-555555555555",
  divisionName: "SBC",
  state: "active" as const,
};
const outsider = { ...agent, token: "outsider-token", divisionId: "other", divisionName: "Other" };

const centre = useStartedPerTest(async () => startContactCentre({ users: [agent, outsider] }));

async function me(token?: string) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${centre.url}/api/v2/users/me`, { headers });
  const body: unknown = await response.json();
  return { status: response.status, headers: response.headers, body };
}

test("A token returns its user and division", async () => {
  const found = await me("agent-token");
  expect(found.status).toBe(200);
  expect(found.body).toMatchObject({
    id: agent.id,
    name: "Test Agent",
    state: "active",
    version: 1,
    division: { id: agent.divisionId, name: "SBC" },
  });
  expect(found.headers.get("inin-ratelimit-allowed")).toBe("300");
  expect(found.headers.get("inin-ratelimit-count")).toBe("1");
  expect((await me("outsider-token")).body).toMatchObject({ division: { id: "other" } });
  expect(centre.callCount()).toBe(2);
});

test.each([undefined, "nonsense"])("Token %s gets 401 bad.credentials", async (token) => {
  const refused = await me(token);

  expect(refused.status).toBe(401);
  expect(refused.body).toMatchObject({
    message: "Invalid login credentials.",
    code: "bad.credentials",
    status: 401,
  });
});

test("A deleted user's token gets 401; an inactive user's returns that state", async () => {
  centre.setUsers([
    { ...agent, state: "inactive" },
    { ...outsider, state: "deleted" },
  ]);

  expect((await me("agent-token")).body).toMatchObject({ state: "inactive" });
  expect((await me("outsider-token")).status).toBe(401);
});

test("failNext fails the next calls only", async () => {
  centre.failNext({ status: 503, count: 2 });
  centre.failNext({ status: 429, retryAfterSeconds: 7 });
  const answers = [
    await me("agent-token"),
    await me("agent-token"),
    await me("agent-token"),
    await me("agent-token"),
  ];

  expect(answers.map(({ status }) => status)).toEqual([503, 503, 429, 200]);
  expect(answers[2]?.headers.get("retry-after")).toBe("7");
});

test("A token beyond the rate limit gets 429 with Retry-After; another token does not", async () => {
  centre.setRateLimit(1);
  await me("agent-token");
  const limited = await me("agent-token");

  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(limited.headers.get("inin-ratelimit-count")).toBe("2");
  expect((await me("outsider-token")).status).toBe(200);
});

test("Latency delays the response", async () => {
  centre.setLatency(30);
  const startedAt = performance.now();
  await me("agent-token");

  // Timers may fire up to a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
});

test("The control API does over HTTP what the functions do in process", async () => {
  const control = (method: string, path: string, body?: unknown) =>
    fetch(`${centre.url}/control/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  await control("POST", "faults", { status: 500, count: 9 });
  expect((await me("agent-token")).status).toBe(500);
  await control("DELETE", "faults");
  expect((await me("agent-token")).status).toBe(200);
  await control("POST", "users", [{ ...agent, token: "new-token" }]);
  expect((await me("new-token")).status).toBe(200);
  await control("POST", "rate-limit", { requestsPerMinute: 0 });
  expect((await me("new-token")).status).toBe(429);

  expect(await (await control("GET", "calls")).json()).toEqual({ calls: 4 });
});
