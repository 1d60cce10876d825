/** Fetching the published keys: all or nothing, and only from safe addresses. */
import { expect, test } from "vitest";
import { z } from "zod";
import { fetchPublishedKeys } from "../../../src/lib/auth/published-keys.ts";
import { createSigningKey } from "../../../tools/local/simulators/identity/signing-key.ts";
import { startTokenIssuer } from "../../../tools/local/simulators/identity/token-issuer.ts";
import { type Answer, startLoopbackServer } from "../../../tools/local/simulators/loopback-server.ts";
import { tenant } from "../../../tools/local/stack/identities.ts";
import { useStartedPerTest } from "../../support/use-started.ts";

const { tenantId } = tenant;
const v1 = `/${tenantId}/.well-known/openid-configuration`;
const v2 = `/${tenantId}/v2.0/.well-known/openid-configuration`;

/** The responses of the provider by path, and the paths of the calls so far. */
let answers: Record<string, Answer>;
let paths: string[];
const provider = useStartedPerTest(async () => {
  [answers, paths] = [{}, []];
  return startLoopbackServer(({ url }) => {
    paths.push(url.pathname);
    return answers[url.pathname] ?? { status: 404 };
  });
});
const metadata = () => ({
  status: 200,
  body: { issuer: "https://issuer.example.com/", jwks_uri: `${provider.url}/keys` },
});
const keySet = (...keys: object[]) => ({ status: 200, body: { keys } });
const fetchKeys = async () => fetchPublishedKeys(provider.url, tenantId);

test("fetchPublishedKeys returns both issuers and the keys of both documents", async () => {
  const issuer = await startTokenIssuer(tenant);
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
  answers = { [v1]: metadata(), [v2]: metadata(), "/keys": keySet(createSigningKey().publicJwk) };
  expect((await fetchKeys()).issuers).toEqual(["https://issuer.example.com/"]);
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
  answers = { [v1]: { status: 200, body }, [v2]: { status: 200, body } };
  await expect(fetchKeys()).rejects.toThrow(z.ZodError);
});

test.each<[string, () => Record<string, Answer>, string]>([
  ["one document cannot be read", () => ({ [v2]: { status: 500 } }), "status code 500"],
  [
    "a document is a redirect to a valid one",
    () => ({ [v2]: { status: 302, headers: { location: "/elsewhere" } }, "/elsewhere": metadata() }),
    "status code 302",
  ],
  ["the key set cannot be read", () => ({ "/keys": { status: 404 } }), "Not Found"],
  ["the key set is empty", () => ({ "/keys": keySet() }), "did not contain any"],
])("fetchPublishedKeys throws if %s", async (_, failing, message) => {
  const valid = { [v1]: metadata(), [v2]: metadata(), "/keys": keySet(createSigningKey().publicJwk) };
  answers = { ...valid, ...failing() };
  await expect(fetchKeys()).rejects.toThrow(message);
  expect(paths).not.toContain("/elsewhere");
});

test("fetchPublishedKeys throws after 5 s if documents or keys do not arrive", async () => {
  const silentKeys = fetchPublishedKeys(provider.url, "silent-keys");
  const valid = `/silent-keys/.well-known/openid-configuration`;
  answers = {
    [v1]: "silence",
    [v2]: "silence",
    [valid]: metadata(),
    [valid.replace("/.", "/v2.0/.")]: metadata(),
    "/keys": "silence",
  };
  const outcomes = await Promise.allSettled([fetchKeys(), silentKeys]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(paths).toContain("/keys");
}, 20_000);
