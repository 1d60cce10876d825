/** The contact-centre stub's current-user endpoint and its faults. */
import { expect, test } from "vitest";
import { contactCentreUsers } from "../../../local/gateway/identities.ts";
import { startContactCentre } from "../../../local/simulators/contact-centre.ts";
import { useStartedPerTest } from "../../support/use-started.ts";

const [agent, outsider] = contactCentreUsers;
if (!agent || !outsider) throw new Error("two users are needed");

const centre = useStartedPerTest(async () => startContactCentre({ users: [agent, outsider] }));

async function me(token?: string) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${centre.url}/api/v2/users/me`, { headers });
  const body: unknown = await response.json();
  return { status: response.status, headers: response.headers, body };
}

test.each([agent, outsider])("The token of $name gets its user and division", async ({ token, ...user }) => {
  const { id, name, state, divisionId, divisionName } = user;
  const division = { id: divisionId, name: divisionName };
  expect(await me(token)).toMatchObject({ status: 200, body: { id, name, state, division, version: 1 } });
  expect(centre.callCount()).toBe(1);
});

test.each([undefined, "nonsense"])("The token %s gets 401 bad.credentials", async (token) => {
  const body = { message: "Invalid login credentials.", code: "bad.credentials", status: 401 };
  expect(await me(token)).toMatchObject({ status: 401, body });
});

test("A deleted user's token gets 401; an inactive user's returns that state", async () => {
  centre.setUsers([
    { ...agent, state: "inactive" },
    { ...outsider, state: "deleted" },
  ]);
  expect((await me(agent.token)).body).toMatchObject({ state: "inactive" });
  expect((await me(outsider.token)).status).toBe(401);
});

test("failNext fails the next calls only, and the control API does the same over HTTP", async () => {
  const faults = `${centre.url}/control/faults`;
  centre.failNext({ status: 503, count: 2 });
  await fetch(faults, { method: "POST", body: JSON.stringify({ status: 429, retryAfterSeconds: 7 }) });
  const answers: Awaited<ReturnType<typeof me>>[] = [];
  for (let call = 0; call < 4; call++) answers.push(await me(agent.token));

  expect(answers.map(({ status }) => status)).toEqual([503, 503, 429, 200]);
  expect(answers[2]?.headers.get("retry-after")).toBe("7");

  centre.failNext({ status: 500, count: 9 });
  await fetch(faults, { method: "DELETE" });
  expect((await me(agent.token)).status).toBe(200);
});

test("Latency delays the response", async () => {
  centre.setLatency(30);
  const startedAt = performance.now();
  await me(agent.token);

  // Timers may fire up to a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
});
