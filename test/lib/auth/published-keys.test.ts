/** Fetching the published keys: all or nothing, and only from safe addresses. */
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { createSigningKey } from "../../../local/simulators/identity/signing-key.ts";
import { startTokenIssuer } from "../../../local/simulators/identity/token-issuer.ts";
import {
  type LoopbackServer,
  type Reply,
  startLoopbackServer,
} from "../../../local/simulators/loopback-server.ts";
import { fetchPublishedKeys } from "../../../src/lib/auth/published-keys.ts";

const tenantId = "11111111-1111-4111-8111-111111111111";

let server: LoopbackServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function startProvider(replies: Record<string, Reply>): Promise<{ url: string; paths: string[] }> {
  const paths: string[] = [];
  server = await startLoopbackServer(({ url }) => {
    paths.push(url.pathname);
    return replies[url.pathname] ?? { status: 404 };
  });
  return { url: server.url, paths };
}
const v1 = `/${tenantId}/.well-known/openid-configuration`;
const v2 = `/${tenantId}/v2.0/.well-known/openid-configuration`;

test("fetchPublishedKeys returns both issuers and the keys of both documents", async () => {
  const issuer = await startTokenIssuer({ tenantId, clients: [] });
  issuer.rotateKeys();
  const { issuers, keys } = await fetchPublishedKeys(issuer.url, tenantId);
  const counts = issuer.fetchCounts();
  await issuer.stop();

  expect(issuers).toEqual([`${issuer.url}/${tenantId}/`, `${issuer.url}/${tenantId}/v2.0`]);
  expect(keys.size).toBe(2);
  for (const pem of keys.values()) expect(pem).toMatch(/^-----BEGIN PUBLIC KEY-----/);
  expect(counts).toMatchObject({ metadata: 2, keys: 2 });
});

test("fetchPublishedKeys fetches a shared key set once", async () => {
  const replies: Record<string, Reply> = {};
  const { url, paths } = await startProvider(replies);
  const body = { issuer: "https://issuer.example.com/", jwks_uri: `${url}/keys` };
  replies[v1] = { status: 200, body };
  replies[v2] = { status: 200, body };
  replies["/keys"] = { status: 200, body: { keys: [createSigningKey().publicJwk] } };

  expect((await fetchPublishedKeys(url, tenantId)).issuers).toEqual(["https://issuer.example.com/"]);
  expect(paths.filter((path) => path === "/keys")).toHaveLength(1);
});

test.each([
  ["no issuer", { jwks_uri: "https://keys.example.com/" }],
  ["an empty issuer", { issuer: "", jwks_uri: "https://keys.example.com/" }],
  ["no key address", { issuer: "https://issuer.example.com/" }],
  ["an http key address on another host", { issuer: "x", jwks_uri: "http://keys.example.com/" }],
  ["a key address with credentials", { issuer: "x", jwks_uri: "https://name:word@keys.example.com/" }],
  ["text", "hello"],
])("fetchPublishedKeys rejects metadata with %s", async (_, body) => {
  const { url } = await startProvider({ [v1]: { status: 200, body }, [v2]: { status: 200, body } });
  await expect(fetchPublishedKeys(url, tenantId)).rejects.toThrow(z.ZodError);
});

test.each([
  ["one document cannot be read", { [v1]: { status: 500 } }],
  ["a document is a redirect", { [v1]: { status: 302, headers: { location: "/elsewhere" } } }],
])("fetchPublishedKeys throws if %s", async (_, replies) => {
  const { url, paths } = await startProvider(replies);
  await expect(fetchPublishedKeys(url, tenantId)).rejects.toThrow("Request failed with status code");
  expect(paths).not.toContain("/elsewhere");
});

test("fetchPublishedKeys does not follow a redirect to a valid document", async () => {
  const replies: Record<string, Reply> = {};
  const { url, paths } = await startProvider(replies);
  const elsewhere = { status: 302, headers: { location: "/elsewhere" } };
  const body = { issuer: "https://issuer.example.com/", jwks_uri: `${url}/keys` };
  Object.assign(replies, { [v1]: elsewhere, [v2]: elsewhere, "/elsewhere": { status: 200, body } });
  replies["/keys"] = { status: 200, body: { keys: [createSigningKey().publicJwk] } };

  await expect(fetchPublishedKeys(url, tenantId)).rejects.toThrow("Request failed with status code 302");
  expect(paths).not.toContain("/elsewhere");
});

test("fetchPublishedKeys throws after 5 s if documents or keys do not arrive", async () => {
  server = await startLoopbackServer(({ url }) => {
    if (url.pathname.startsWith(`/${tenantId}/`) || url.pathname === "/keys") return "silence";
    return { status: 200, body: { issuer: "x", jwks_uri: `http://127.0.0.1:${server?.port}/keys` } };
  });
  const outcomes = [tenantId, "22222222-2222-4222-8222-222222222222"].map(async (tenant) =>
    fetchPublishedKeys(server?.url ?? "", tenant),
  );
  expect((await Promise.allSettled(outcomes)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
}, 20_000);

test("fetchPublishedKeys throws if the key set fails or is empty", async () => {
  const replies: Record<string, Reply> = {};
  const { url } = await startProvider(replies);
  const body = { issuer: "https://issuer.example.com/", jwks_uri: `${url}/keys` };
  replies[v1] = { status: 200, body };
  replies[v2] = { status: 200, body };

  await expect(fetchPublishedKeys(url, tenantId)).rejects.toThrow("Not Found");
  replies["/keys"] = { status: 200, body: { keys: [] } };
  await expect(fetchPublishedKeys(url, tenantId)).rejects.toThrow("did not contain any");
});
