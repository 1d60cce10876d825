/** Uses the whole gateway with known secrets, then searches all its output for them. */
import { generateKeyPairSync } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { Received, Sent } from "../../tools/simulators/exchange.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { asAgent, asEventSink, refusedTokens } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const hostPin = "90817263544536271809";
const privateKey = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();
const pemLines = privateKey.split("\n").filter((line) => line.length > 20 && !line.startsWith("-"));

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const tags = [1, 2].map((number) => `https://verify.example.com/sessions/canary-tag-${number}`);

let run: Awaited<ReturnType<typeof useEverything>>;
const gateway = useRunningGateway(() => ({
  ROOM_HOST_PIN: hostPin,
  PLATFORM_USERNAME: "",
  PLATFORM_PASSWORD: "",
  PLATFORM_OAUTH_CLIENT_ID: "88888888-8888-4888-8888-888888888888",
  PLATFORM_OAUTH_PRIVATE_KEY: privateKey.replaceAll("\n", "\\n"),
  GC_MINIMUM_AGE_SECONDS: "0",
}));
beforeAll(async () => {
  run = await useEverything();
});

interface Exchange {
  readonly request: string;
  readonly response: Received;
}

/** Part of every service tag that is refused. */
const canary = "canary-tag";
const canaryUrl = `https://verify.example.com/${canary}`;
const refusedQueries = [
  `uuiData=${hex(canaryUrl)};encoding=${canary}`,
  `uuiData=${encodeURIComponent(canaryUrl)}`,
  `uuiData=${hex(canaryUrl)}c328`,
  `uuiData=${hex(`${canaryUrl}/${"x".repeat(250)}`)}`,
  `uuidata=${hex(canaryUrl)}`,
  `uuiData=${hex(canaryUrl)}&uuiData=${hex(canary)}`,
];

/** Makes every operation succeed and fail, with secrets wherever a caller can put one. */
async function useEverything() {
  const exchanges: Exchange[] = [];
  /** Every token that was sent. */
  const tokens = new Set<string>();
  const send = async (request: string, sent: Sent = {}): Promise<Received> => {
    const { authorization = "", "x-auth-token": agentToken = "" } = sent.headers ?? {};
    for (const token of [authorization.replace(/^\w+ /, ""), agentToken]) if (token !== "") tokens.add(token);
    const response = await gateway.send(request, sent);
    exchanges.push({ request, response });
    return response;
  };
  const privately = async (request: string, sent: Sent = {}) =>
    send(request, { ...sent, headers: { ...gateway.asApplication(), ...sent.headers } });

  const { platform, issuer, contactCentre, logWorkspace } = gateway.stack;
  const guestPins: string[] = [];
  await privately("POST /room/bulk/?max_vmr=4");
  await gateway.settled();
  for (const tag of tags) {
    const { json } = await privately(`POST /room/create?uuiData=${hex(tag)};encoding=hex`);
    const { name, guest_pin } = json as { name: string; guest_pin: string };
    guestPins.push(guest_pin);
    for (const query of ["", "?constrained_attributes=false"]) {
      await privately(`GET /room/${name}${query}`);
      await privately(`GET /room/list${query}`);
      await send(`GET /public/room/${name}${query}`, { headers: asAgent });
    }
    for (const json of [
      { description: "a note", tag, guest_pin },
      { pin: Number(hostPin), guest_pin: [guest_pin] },
      { pin: hostPin.slice(0, 2), guest_pin: hostPin },
      { participant_limit: -1, pin: hostPin, tag },
      [{ pin: hostPin, guest_pin }],
    ])
      await privately(`PATCH /room/${name}`, { json });
    await privately(`PATCH /room/${name}`, { text: `{"pin": "${hostPin}", "guest_pin": "${guest_pin}"` });
    platform.startConference({ name, participants: 1 });
    await send("POST /public/event_sink", {
      headers: asEventSink(),
      json: { event: "conference_ended", data: { name, tag, service_tag: tag, pin: guest_pin } },
    });
  }
  for (const query of refusedQueries) await privately(`POST /room/create?${query}`);
  for (const [, makeToken] of Object.values(refusedTokens))
    await send("GET /room/list", { headers: { authorization: `Bearer ${makeToken(issuer)}` } });
  await privately("GET /room/nobody");
  for (const token of ["canary-unknown-agent-token", identities.otherAgentToken])
    await send("GET /public/room/x", { headers: { "x-auth-token": token } });
  await send("POST /public/event_sink", { headers: asEventSink("x", "canary-wrong-password"), json: {} });
  for (const fault of [{ status: 500, body: "<h1>Server Error</h1>" }, { kind: "reset" as const }]) {
    platform.addFault({ ...fault, count: 2 });
    await privately("GET /room/list");
    platform.clearFaults();
  }
  // The platform repeats what it rejects: once the service tag, which is the caller's, and once another field.
  const rejected = [{ tag: [tags[0]], pin: [hostPin] }, { pin: [hostPin, tags[0]] }];
  const faults = rejected.map((conference) => ({ status: 400, body: { conference } }));
  for (const fault of [...faults, { kind: "reset" as const }]) {
    platform.addFault({ ...fault, method: "PATCH" });
    await privately(`POST /room/create?uuiData=${hex(tags[0] ?? "")}`);
    platform.clearFaults();
  }
  contactCentre.failNext({ status: 500 });
  await send("GET /public/room/x", { headers: { "x-auth-token": "canary-agent-token-during-an-outage" } });
  logWorkspace.failNext({ status: 403 });
  await gateway.runTimer("collectMetrics", "Failed");
  await gateway.runTimer("collectMetrics");
  await gateway.runTimer("collectGarbage");
  await platform.goDown("refuse");
  await privately("GET /room/list");
  await privately("POST /room/create");
  await gateway.runTimer("collectMetrics");
  await platform.goUp();
  await privately("DELETE /room/bulk/");
  await gateway.settled();
  return { exchanges, tokens, guestPins };
}

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
