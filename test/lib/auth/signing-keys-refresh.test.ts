/** Refreshes of the signing keys: when they start, who waits for them, and what is logged if they fail. */
import { createPublicKey } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { createSigningKey } from "../../../local/simulators/identity/signing-key.ts";
import {
  createSigningKeys,
  type PublishedKeys,
  type SigningKeys,
} from "../../../src/lib/auth/signing-keys.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { createRecordingLog, type RecordingLog } from "../../support/recording-log.ts";

const pem = createPublicKey(createSigningKey().privatePem).export({ type: "spki", format: "pem" }).toString();
const published = (...keyIds: string[]): PublishedKeys => ({
  issuers: ["https://issuer.example.com/"],
  keys: new Map(keyIds.map((keyId) => [keyId, pem])),
});

let clock: ManualClock;
let log: RecordingLog;
let responses: (() => Promise<PublishedKeys>)[];
let fetches: number;
let keys: SigningKeys;
beforeEach(() => {
  clock = createManualClock();
  log = createRecordingLog();
  responses = [];
  fetches = 0;
  keys = createSigningKeys(async () => {
    fetches += 1;
    return responses.shift()?.() ?? published("first");
  }, clock);
});

/** Queues a fetch that ends when the returned function is called. */
function pendingFetch(): (found: PublishedKeys) => void {
  const { promise, resolve } = Promise.withResolvers<PublishedKeys>();
  responses.push(async () => promise);
  return resolve;
}
const fail = async (): Promise<PublishedKeys> => {
  throw new Error("provider down");
};

test("keys younger than an hour are not fetched again", async () => {
  await keys.find("first", log);
  clock.advance(3599);
  await keys.find("first", log);
  expect(fetches).toBe(1);
});

test("find does not wait for the hourly refresh", async () => {
  await keys.find("first", log);
  clock.advance(3600);
  const finish = pendingFetch();

  expect((await keys.find("first", log)).key).toBeDefined();
  expect(fetches).toBe(2);
  finish(published("first"));
});

test("a failed hourly refresh is retried after 10 s, not with every request", async () => {
  await keys.find("first", log);
  clock.advance(3600);
  responses.push(fail);
  await keys.find("first", log);
  await expect.poll(() => log.events(), { interval: 2 }).toEqual(["signing-keys-stale"]);

  clock.advance(9);
  await keys.find("first", log);
  expect(fetches).toBe(2);
  clock.advance(1);
  await keys.find("first", log);
  expect(fetches).toBe(3);
});

test("an unknown key ID causes no fetch right after the first one", async () => {
  expect((await keys.find("unknown-1", log)).key).toBeUndefined();
  expect((await keys.find("unknown-2", log)).key).toBeUndefined();
  expect(fetches).toBe(1);
});

test("find waits for a running fetch that may return the new key", async () => {
  await keys.find("first", log);
  const finish = pendingFetch();
  const asked = [keys.find("second", log), keys.find("second", log)];
  finish(published("first", "second"));

  for (const { key } of await Promise.all(asked)) expect(key).toBeDefined();
  expect(fetches).toBe(2);
});

test("a failed fetch is logged with its cause and the age of the known keys in seconds", async () => {
  await keys.find("first", log);
  clock.advance(90);
  responses.push(fail);
  await keys.find("unknown", log);

  expect(log.lines).toEqual([
    {
      level: "error",
      event: "signing-keys-stale",
      fields: { ageSeconds: 90 },
      cause: expect.objectContaining({ message: "provider down" }),
    },
  ]);
});

test("a failed first fetch is logged without an age", async () => {
  responses.push(fail);
  await expect(keys.find("first", log)).rejects.toMatchObject({ code: "identity-provider-unavailable" });
  expect(log.fieldsOf("signing-keys-stale")).toEqual({ ageSeconds: undefined });
});
