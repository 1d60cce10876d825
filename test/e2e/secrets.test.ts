/** Uses the whole gateway with known secrets, then searches all its output for them. */
import { generateKeyPairSync } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { identities } from "../../tools/simulators/identities.ts";
import { useRunningGateway } from "../support/running-gateway.ts";
import { canary, type Exchange, useEverything } from "../support/secrets-run.ts";

const hostPin = "90817263544536271809";
const privateKey = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();
const pemLines = privateKey.split("\n").filter((line) => line.length > 20 && !line.startsWith("-"));

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const tags = [1, 2].map((number) => `https://verify.example.com/sessions/canary-tag-${number}`);

let run: Awaited<ReturnType<typeof useEverything>>;
const gateway = useRunningGateway({
  settings: () => ({
    ROOM_HOST_PIN: hostPin,
    PLATFORM_USERNAME: "",
    PLATFORM_PASSWORD: "",
    PLATFORM_OAUTH_CLIENT_ID: "88888888-8888-4888-8888-888888888888",
    PLATFORM_OAUTH_PRIVATE_KEY: privateKey.replaceAll("\n", "\\n"),
    GC_MINIMUM_AGE_SECONDS: "0",
  }),
});
beforeAll(async () => {
  run = await useEverything(gateway, hostPin, tags);
});

const isPrivateRead = ({ request }: Exchange) => request.startsWith("GET /room/");

/** A response without the fields that may hold a secret (specification 4). */
function withoutNamedFields(exchange: Exchange): string {
  const { status, headers, json, text } = exchange.response;
  const named = ["guest_pin", "tag", ...(isPrivateRead(exchange) ? ["pin"] : [])];
  const withoutNamed = (key: string, value: unknown) => (named.includes(key) ? "" : value);
  return `${JSON.stringify(headers)} ${status === 200 ? JSON.stringify(json, withoutNamed) : text}`;
}

test("Log lines, traces, error bodies, headers and metrics rows contain no secrets", async () => {
  const { exchanges, tokens, guestPins } = run;
  const statuses = new Set(exchanges.map(({ response }) => response.status));
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
  // A truncated token is still a secret: its signature is searched for, too.
  const parts = [...tokens]
    .flatMap((token) => [token, token.split(".")[2] ?? ""])
    .filter((part) => part.length >= 16);
  const everywhere = [hostPin, ...guestPins, ...passwords, ...parts, ...pemLines, storageKey];
  const inLogs = [...everywhere, ...tags, ...tags.map(hex), canary, hex(canary)];
  expect(inLogs.filter((secret) => secret.length < 8)).toEqual([]);
  expect(inLogs.length).toBeGreaterThan(40);

  const logs = gateway.log.map((entry) => JSON.stringify(entry));
  expect(logs.length).toBeGreaterThan(100);
  expect(found(logs, inLogs)).toEqual([]);

  const rows = gateway.stack.logWorkspace.rows().map((row) => JSON.stringify(row));
  expect(rows.length).toBeGreaterThan(1);
  expect(found(rows, inLogs)).toEqual([]);

  expect(found(exchanges.map(withoutNamedFields), everywhere)).toEqual([]);
  const failures = exchanges.filter(({ response }) => response.status >= 400);
  expect(found(textsOf(failures), [...everywhere, ...tags])).toEqual([]);
});

test("Only private reads contain the host PIN, and the search for secrets finds PINs and tags in them", () => {
  const others = run.exchanges.filter((exchange) => !isPrivateRead(exchange));
  expect(found(textsOf(others), [hostPin])).toEqual([]);
  const reads = textsOf(run.exchanges.filter(isPrivateRead));
  for (const secrets of [[hostPin], tags]) expect(found(reads, secrets)).not.toEqual([]);
});

const textsOf = (exchanges: readonly Exchange[]) => exchanges.map(({ response }) => response.text);

function found(texts: readonly string[], secrets: readonly string[]): string[] {
  return texts.flatMap((text) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${secret} in ${text}`),
  );
}
