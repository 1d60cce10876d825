/** A whole run with known secrets, after which everything that came out is searched for them. */
import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { type RunningGateway, startRunningGateway } from "../support/running-gateway.ts";
import { createRecorder, type Exchange, useEverything } from "../support/secrets-run.ts";

const hostPin = "90817263544536271809";
const oauthClientId = "88888888-8888-4888-8888-888888888888";
const { privateKey } = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const publicKeyPem = createPublicKey(createPrivateKey(privateKey))
  .export({ type: "spki", format: "pem" })
  .toString();
const pemLines = privateKey.split("\n").filter((line) => line.length > 20 && !line.startsWith("-"));

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const tags = [
  "https://verify.example.com/sessions/canary-tag-1",
  "https://verify.example.com/sessions/canary-tag-2",
];

let gateway: RunningGateway;
let exchanges: readonly Exchange[];
let tokens: ReadonlySet<string>;
let guestPins: readonly string[];
beforeAll(async () => {
  gateway = await startRunningGateway({
    platform: { oauthClients: [{ clientId: oauthClientId, publicKeyPem }] },
    settings: () => ({
      ROOM_HOST_PIN: hostPin,
      PLATFORM_USERNAME: "",
      PLATFORM_PASSWORD: "",
      PLATFORM_OAUTH_CLIENT_ID: oauthClientId,
      PLATFORM_OAUTH_PRIVATE_KEY: privateKey.replaceAll("\n", "\\n"),
      GC_MINIMUM_AGE_SECONDS: "0",
    }),
  });
  const recorder = createRecorder(gateway);
  ({ exchanges, tokens } = recorder);
  guestPins = await useEverything(gateway, recorder, { hostPin, tags });
});
afterAll(async () => gateway.stop());

/** The fields that the specification names, by who may read them. */
const publicFields = ["guest_pin", "tag"];
const privateReadFields = [...publicFields, "pin"];

/** An answer without the fields in which a secret is meant to be. */
function withoutNamedFields({ request, answer }: Exchange): string {
  const isPrivateRead = request.startsWith("GET /room/");
  const named = new Set(isPrivateRead ? privateReadFields : publicFields);
  const body =
    answer.status === 200
      ? JSON.stringify(answer.json, (key, value: unknown) => (named.has(key) ? "" : value))
      : answer.text;
  return `${JSON.stringify(answer.headers)} ${body}`;
}

test("0 secrets in log lines, traces, error bodies, headers and metric rows", async () => {
  const statuses = new Set(exchanges.map(({ answer }) => answer.status));
  expect(statuses).toEqual(new Set([200, 202, 204, 401, 403, 404, 422, 502, 503]));
  expect(guestPins.every((pin) => pin.length === hostPin.length)).toBe(true);

  const storageKey = /AccountKey=([^;]+)/.exec(gateway.settings["AzureWebJobsStorage"] ?? "")?.[1] ?? "";
  const passwords = [
    identities.sinkPassword,
    identities.platformPassword,
    identities.clientSecret,
    "canary-wrong-password",
    "canary-unknown-agent-token",
    "canary-agent-token-during-an-outage",
  ];
  // A token cut up would be one still: its signature is searched for alone, too.
  const parts = [...tokens]
    .flatMap((token) => [token, token.split(".")[2] ?? ""])
    .filter((part) => part.length >= 16);
  const everywhere = [hostPin, ...guestPins, ...passwords, ...parts, ...pemLines, storageKey];
  const inLogs = [...everywhere, ...tags, ...tags.map(hex), "canary-tag"];
  expect(inLogs.filter((secret) => secret.length < 8)).toEqual([]);
  expect(inLogs.length).toBeGreaterThan(40);

  const logs = gateway.log.map((entry) => JSON.stringify(entry));
  expect(logs.length).toBeGreaterThan(100);
  expect(found(logs, inLogs)).toEqual([]);

  const rows = gateway.stack.logWorkspace.rows().map((row) => JSON.stringify(row));
  expect(rows.length).toBeGreaterThan(1);
  expect(found(rows, inLogs)).toEqual([]);

  expect(found(exchanges.map(withoutNamedFields), everywhere)).toEqual([]);
  const failures = exchanges.filter(({ answer }) => answer.status >= 400);
  expect(
    found(
      failures.map(({ answer }) => answer.text),
      [...everywhere, ...tags],
    ),
  ).toEqual([]);
});

test("the host PIN is in no answer of a create or of a public read, not even in a named field", () => {
  const answers = exchanges
    .filter(({ request }) => !request.startsWith("GET /room/"))
    .map(({ answer }) => answer.text);
  expect(found(answers, [hostPin])).toEqual([]);
});

test("the search finds what is there: the named fields do carry PINs and tags", () => {
  const reads = exchanges
    .filter(({ request }) => request.startsWith("GET /room/"))
    .map(({ answer }) => answer.text);
  expect(found(reads, [hostPin]).length).toBeGreaterThan(0);
  expect(found(reads, tags).length).toBeGreaterThan(0);
});

function found(texts: readonly string[], secrets: readonly string[]): string[] {
  return texts.flatMap((text) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${secret} in ${text}`),
  );
}
