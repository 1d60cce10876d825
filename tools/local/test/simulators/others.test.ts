/** Refusals and control routes of the other simulators. Most other tests cover their normal responses. */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { useStarted } from "../../../../test/support/use-started.ts";
import { startContactCentre } from "../../simulators/contact-centre.ts";
import { startLogWorkspace } from "../../simulators/log-workspace.ts";
import { startTokenIssuer } from "../../simulators/token-issuer.ts";
import { tokenForm } from "../../stack/access-token.ts";
import { contactCentreUsers, identities, tenant } from "../../stack/identities.ts";

const issuer = useStarted(async () => startTokenIssuer(tenant));
const centre = useStarted(async () => startContactCentre({ users: contactCentreUsers }));
const workspace = useStarted(async () => startLogWorkspace());

test.each([
  ["a wrong secret", { client_secret: "guess" }, 401, "invalid_client"],
  ["no grant type", { grant_type: "" }, 400, "invalid_request"],
  ["another grant type", { grant_type: "password" }, 400, "unsupported_grant_type"],
  ["somebody else's scope", { scope: "api://other/.default" }, 400, "invalid_scope"],
])("The token issuer refuses %s", async (_, change, status, error) => {
  const body = new URLSearchParams({ ...tokenForm, ...change });
  const response = await fetch(issuer.tokenUrl, { method: "POST", body });
  expect([response.status, await response.json()]).toMatchObject([status, { error }]);
});

test("The token issuer goes down and up over HTTP", async () => {
  const control = async (path: string) => fetch(`${issuer.url}/control/${path}`, { method: "POST" });
  const path = `${issuer.url}/${identities.tenantId}/.well-known/openid-configuration`;
  await control("down");
  await expect(fetch(path)).rejects.toThrow(/fetch failed/);
  await control("up");
  expect((await fetch(path)).status).toBe(200);
});

test("The contact centre fails the next calls only, until its faults are cleared", async () => {
  const faults = `${centre.url}/control/faults`;
  const headers = { authorization: `Bearer ${identities.agentToken}` };
  const me = async () => (await fetch(`${centre.url}/api/v2/users/me`, { headers })).status;
  await fetch(faults, { method: "POST", body: JSON.stringify({ status: 429, count: 2 }) });
  expect([await me(), await me(), await me()]).toEqual([429, 429, 200]);
  centre.failNext({ status: 500, count: 9 });
  await fetch(faults, { method: "DELETE" });
  expect(await me()).toBe(200);
});

test("The log workspace takes arrays of rows, gzipped or not, if the API version is named", async () => {
  const path = `${workspace.url}/dataCollectionRules/dcr-1/streams/Custom-Metrics`;
  const send = async (query: string, body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
    (await fetch(path + query, { method: "POST", body, headers })).status;
  const gzip = { "content-encoding": "gzip" };
  expect(await send("?api-version=1", "[{}]")).toBe(204);
  expect(await send("?api%2Dversion=1", new Uint8Array(gzipSync("[{}]")), gzip)).toBe(204);
  expect(await send("", "[{}]")).toBe(400);
  expect(await send("?api-version=1", "{}")).toBe(400);
  expect(await send("?api-version=1", "[{}]", gzip)).toBe(400);
  expect(workspace.rows()).toHaveLength(2);
});
