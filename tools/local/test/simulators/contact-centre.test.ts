/** The contact-centre stub's faults. Its users are those of the tests of GET /public/room. */
import { expect, test } from "vitest";
import { useStartedPerTest } from "../../../../test/support/use-started.ts";
import { startContactCentre } from "../../simulators/contact-centre.ts";
import { contactCentreUsers, identities } from "../../stack/identities.ts";

const centre = useStartedPerTest(async () => startContactCentre({ users: contactCentreUsers }));
const me = async () =>
  fetch(`${centre.url}/api/v2/users/me`, { headers: { authorization: `Bearer ${identities.agentToken}` } });

test("failNext fails the next calls only, and the control API does the same over HTTP", async () => {
  const faults = `${centre.url}/control/faults`;
  centre.failNext({ status: 503, count: 2 });
  await fetch(faults, { method: "POST", body: JSON.stringify({ status: 429, retryAfterSeconds: 7 }) });
  const answers: Response[] = [];
  for (let call = 0; call < 4; call++) answers.push(await me());

  expect(answers.map(({ status }) => status)).toEqual([503, 503, 429, 200]);
  expect(answers[2]?.headers.get("retry-after")).toBe("7");

  centre.failNext({ status: 500, count: 9 });
  await fetch(faults, { method: "DELETE" });
  expect((await me()).status).toBe(200);
});
