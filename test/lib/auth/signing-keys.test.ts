/** Signing keys during rotations and outages: when they are fetched, who waits for that, and what is logged. */
import { createPublicKey } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import {
  createSigningKeys,
  type PublishedKeys,
  type SigningKeys,
} from "../../../src/lib/auth/signing-keys.ts";
import { createSigningKey } from "../../../tools/local/simulators/identity/signing-key.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { createRecordingLog, type RecordingLog } from "../../support/recording-log.ts";

const hour = 3600;
const issuers = ["https://issuer.example.com/", "https://issuer.example.com/v2.0"];
const pem = createPublicKey(createSigningKey().privatePem).export({ type: "spki", format: "pem" }).toString();
const published = (...keyIds: string[]): PublishedKeys => ({
  issuers,
  keys: new Map(keyIds.map((keyId) => [keyId, pem])),
});
const unavailable = {
  code: "identity-provider-unavailable",
  status: 503,
  details: { retryAfterSeconds: 10 },
};

let clock: ManualClock;
let log: RecordingLog;
let keys: SigningKeys;
let fetches: number;
/** What the provider does with a fetch. */
let provide: () => PublishedKeys | Promise<PublishedKeys>;
beforeEach(() => {
  clock = createManualClock();
  log = createRecordingLog();
  fetches = 0;
  provide = () => published("first");
  keys = createSigningKeys(async () => {
    fetches += 1;
    return provide();
  }, clock);
});

const find = async (keyId = "first") => keys.find(keyId, log);
const isKnown = async (keyId?: string) => (await find(keyId)).key !== undefined;
const fail = () => {
  throw new Error("provider down");
};

test("find returns the key and both issuers, and concurrent callers share one fetch", async () => {
  const found = await Promise.all(Array.from({ length: 50 }, async () => find()));

  expect(fetches).toBe(1);
  for (const { key, ...others } of found) expect([key?.type, others]).toEqual(["public", { issuers }]);
});

test("1,000 unknown key IDs in sequence cause one fetch", async () => {
  await find();
  for (let index = 0; index < 1000; index++) expect(await isKnown(`unknown-${index}`)).toBe(false);
  expect(fetches).toBe(2);
});

test("1,000 unknown key IDs at once and later cause one fetch on a new instance", async () => {
  await Promise.all(Array.from({ length: 1000 }, async (_, index) => find(`unknown-${index}`)));
  expect(await isKnown("unknown-later")).toBe(false);
  expect(fetches).toBe(1);
});

test("Unknown key IDs cause one fetch in five minutes", async () => {
  await find();
  await find("unknown-1");
  clock.advance(299);
  await find("unknown-2");
  expect(fetches).toBe(2);
  clock.advance(1);
  await find("unknown-3");
  expect(fetches).toBe(3);
});

test("find returns a key published after the last fetch, and no longer a withdrawn one", async () => {
  await find();
  provide = () => published("first", "second");
  expect(await isKnown("second")).toBe(true);
  expect(fetches).toBe(2);

  clock.advance(300);
  provide = () => published("third");
  expect(await isKnown("third")).toBe(true);
  expect(await isKnown("first")).toBe(false);
});

test("find waits for a running fetch that may return the new key", async () => {
  await find();
  const { promise, resolve } = Promise.withResolvers<PublishedKeys>();
  provide = async () => promise;
  const found = [isKnown("second"), isKnown("second")];
  resolve(published("first", "second"));

  expect(await Promise.all(found)).toEqual([true, true]);
  expect(fetches).toBe(2);
});

test("Keys are fetched again after an hour, and find does not wait for that", async () => {
  await find();
  clock.advance(hour - 1);
  await find();
  expect(fetches).toBe(1);

  clock.advance(1);
  const { promise, resolve } = Promise.withResolvers<PublishedKeys>();
  provide = async () => promise;
  expect(await isKnown()).toBe(true);
  expect(await isKnown()).toBe(true);
  expect(fetches).toBe(2);
  resolve(published("first"));
});

test("A failed hourly refresh is retried after 10 s, not with every request", async () => {
  await find();
  clock.advance(hour);
  provide = fail;
  await find();
  await expect.poll(() => log.events(), { interval: 2 }).toEqual(["signing-keys-stale"]);

  clock.advance(9);
  await find();
  expect(fetches).toBe(2);
  clock.advance(1);
  await find();
  expect(fetches).toBe(3);
});

test("A known key works for 24 h if the provider is down, and again after the outage", async () => {
  await find();
  provide = fail;
  for (let hours = 1; hours < 24; hours++) {
    clock.advance(hour);
    expect(await isKnown()).toBe(true);
    await expect.poll(() => log.events(), { interval: 2 }).toEqual(Array(hours).fill("signing-keys-stale"));
  }
  clock.advance(hour);
  await expect(find()).rejects.toMatchObject(unavailable);

  provide = () => published("first");
  clock.advance(10);
  expect(await isKnown()).toBe(true);
});

test("find throws 503 on an instance without keys, logs no age, and retries after 10 s", async () => {
  provide = fail;
  await expect(find()).rejects.toMatchObject(unavailable);
  await expect(find()).rejects.toMatchObject(unavailable);
  expect(fetches).toBe(1);
  expect(log.fieldsOf("signing-keys-stale")).toEqual({ ageSeconds: undefined });

  provide = () => published("first");
  clock.advance(9);
  await expect(find()).rejects.toMatchObject(unavailable);
  clock.advance(1);
  expect(await isKnown()).toBe(true);
});

test("find returns no key for an unknown ID if the provider is down, and logs the age of the known keys", async () => {
  await find();
  clock.advance(90);
  provide = fail;

  expect(await isKnown("unknown")).toBe(false);
  expect(await isKnown()).toBe(true);
  expect(log.lines).toEqual([
    {
      level: "error",
      event: "signing-keys-stale",
      fields: { ageSeconds: 90 },
      cause: expect.objectContaining({ message: "provider down" }),
    },
  ]);
});

test("A response with a malformed key leaves the known keys unchanged", async () => {
  await find();
  const malformed = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----";
  provide = () => ({ issuers, keys: new Map([["second", malformed]]) });

  expect(await isKnown("second")).toBe(false);
  expect(await isKnown()).toBe(true);
});
