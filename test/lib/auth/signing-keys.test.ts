/** Signing keys during rotations and outages. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSigningKey } from "../../../local/simulators/identity/signing-key.ts";
import { startTokenIssuer, type TokenIssuer } from "../../../local/simulators/identity/token-issuer.ts";
import { fetchPublishedKeys } from "../../../src/lib/auth/published-keys.ts";
import { createSigningKeys, type SigningKeys } from "../../../src/lib/auth/signing-keys.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { createRecordingLog, type RecordingLog } from "../../support/recording-log.ts";

const tenantId = "11111111-1111-4111-8111-111111111111";
const hour = 3600;
const unavailable = {
  code: "identity-provider-unavailable",
  status: 503,
  details: { retryAfterSeconds: 10 },
};

let issuer: TokenIssuer;
let clock: ManualClock;
let log: RecordingLog;
let keys: SigningKeys;
let fetches: number;
beforeEach(async () => {
  issuer = await startTokenIssuer({ tenantId, clients: [] });
  clock = createManualClock();
  log = createRecordingLog();
  fetches = 0;
  keys = createSigningKeys(async () => {
    fetches += 1;
    return fetchPublishedKeys(issuer.url, tenantId);
  }, clock);
});
afterEach(async () => issuer.stop());

function currentKeyId(): string {
  const [header = ""] = issuer.signToken({}).split(".");
  return JSON.parse(Buffer.from(header, "base64url").toString()).kid;
}
const find = async (keyId = currentKeyId()) => keys.find(keyId, log);

test("find returns the key and both issuers, and concurrent callers share one fetch", async () => {
  const found = await Promise.all(Array.from({ length: 50 }, async () => find()));

  expect(fetches).toBe(1);
  expect(found[0]?.key?.type).toBe("public");
  expect(found[0]?.issuers).toEqual([`${issuer.url}/${tenantId}/`, `${issuer.url}/${tenantId}/v2.0`]);
});

test("1,000 unknown key IDs in sequence cause one fetch", async () => {
  await find();
  for (let index = 0; index < 1000; index++) expect((await find(`unknown-${index}`)).key).toBeUndefined();
  expect(fetches).toBe(2);
});

test("1,000 unknown key IDs at once cause one fetch on a new instance", async () => {
  await Promise.all(Array.from({ length: 1000 }, async (_, index) => find(`unknown-${index}`)));
  expect(fetches).toBe(1);
});

test("unknown key IDs cause one fetch in five minutes", async () => {
  await find();
  await find("unknown-1");
  clock.advance(299);
  await find("unknown-2");
  expect(fetches).toBe(2);
  clock.advance(1);
  await find("unknown-3");
  expect(fetches).toBe(3);
});

test("find returns a key published after the last fetch", async () => {
  await find();
  issuer.rotateKeys();

  expect((await find()).key).toBeDefined();
  expect(fetches).toBe(2);
});

test("find no longer returns a withdrawn key after the next refresh", async () => {
  const old = currentKeyId();
  await find(old);
  issuer.rotateKeys({ keepOld: false });
  await find();
  expect((await find(old)).key).toBeUndefined();
});

test("keys are refreshed hourly in the background", async () => {
  await find();
  clock.advance(hour);
  expect((await find()).key).toBeDefined();
  expect((await find()).key).toBeDefined();
  expect(fetches).toBe(2);
});

test("a known key works for 24 h if the provider is down, and the outage is logged", async () => {
  const keyId = currentKeyId();
  await find(keyId);
  issuer.setDown(true);
  for (let hours = 1; hours < 24; hours++) {
    clock.advance(hour);
    expect((await find(keyId)).key).toBeDefined();
    await expect
      .poll(() => log.events().filter((event) => event === "signing-keys-stale").length)
      .toBe(hours);
  }
  clock.advance(hour);

  await expect(find(keyId)).rejects.toMatchObject(unavailable);
});

test("find returns the same key after an outage of more than 24 h", async () => {
  const keyId = currentKeyId();
  await find(keyId);
  issuer.setDown(true);
  clock.advance(25 * hour);
  await expect(find(keyId)).rejects.toMatchObject(unavailable);

  issuer.setDown(false);
  clock.advance(10);
  expect((await find(keyId)).key).toBeDefined();
});

test("find throws 503 on an instance without keys and retries after 10 s", async () => {
  issuer.setDown(true);
  await expect(find("any")).rejects.toMatchObject(unavailable);
  await expect(find("any")).rejects.toMatchObject(unavailable);
  expect(fetches).toBe(1);

  issuer.setDown(false);
  clock.advance(9);
  await expect(find()).rejects.toMatchObject(unavailable);
  clock.advance(1);
  expect((await find()).key).toBeDefined();
});

test("find returns undefined for an unknown key ID if the provider is down and other keys are known", async () => {
  await find();
  issuer.setDown(true);

  expect((await find("unknown")).key).toBeUndefined();
  expect((await find()).key).toBeDefined();
});

test("a response with a malformed key leaves the known keys unchanged", async () => {
  const { publicJwk } = createSigningKey();
  const pem = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----";
  let published = (await fetchPublishedKeys(issuer.url, tenantId)).keys;
  const fragile = createSigningKeys(
    async () => ({ issuers: ["https://issuer.example.com"], keys: published }),
    clock,
  );
  const known = currentKeyId();
  await fragile.find(known, log);

  published = new Map([[publicJwk.kid, pem]]);
  expect((await fragile.find(publicJwk.kid, log)).key).toBeUndefined();
  expect((await fragile.find(known, log)).key).toBeDefined();
});
