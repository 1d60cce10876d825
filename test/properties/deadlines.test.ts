/** Every call to the outside ends in time wherever its server hangs, and the next call is served. */

import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createContactCentreCheck } from "../../src/lib/auth/contact-centre.ts";
import { createSigningKeys } from "../../src/lib/auth/signing-keys.ts";
import { createAdapters } from "../../src/lib/dependencies.ts";
import { type CreateRecordStore, systemClock } from "../../src/lib/ports.ts";
import type { Queue } from "../../src/lib/queue.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { listen } from "../../tools/simulators/services/listen.ts";
import { exampleEnvironment, oauthEnvironment } from "../support/example-settings.ts";
import { createRecordingLog } from "../support/recording-log.ts";
import { createAuthority } from "../support/tls-front.ts";
import { useStarted } from "../support/use-started.ts";

/** Where the server hangs once: in the first or a later token, in the handshake, before the headers, or in the body. */
type Stage = "first token" | "later token" | "TLS" | "headers" | "body";
let hangs: Stage | undefined;
/** Ends the time of all calls. */
let expire: () => void;
const hangsIn = (stage: Stage): boolean => {
  if (hangs !== stage) return false;
  hangs = undefined;
  // The client has received by then what the server has sent.
  setTimeout(expire, 20);
  return true;
};

/** Until the call has ended, its time ends when the server hangs. Returns the milliseconds that it may take. */
async function rejectWhileHanging(stage: Stage, run: () => Promise<unknown>): Promise<number[]> {
  const ending = new AbortController();
  expire = () => ending.abort(new DOMException("The time has ended", "TimeoutError"));
  hangs = stage;
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => ending.signal);
  try {
    await expect(run()).rejects.toThrow(/./);
    return timeout.mock.calls
      .map(([milliseconds]) => milliseconds)
      .filter((asked) => asked !== tokenRequestMilliseconds);
  } finally {
    timeout.mockRestore();
  }
}
const isTokenRequest = (url: string) => /^\/(?:identity|oauth)/.test(url);
const hoursOfToken = 24;
// The request of the app's identity, whose callers wait for 3 s.
const tokenRequestMilliseconds = 6000;

const message = (time: string) =>
  '<?xml version="1.0"?>' +
  "<QueueMessagesList><QueueMessage><MessageId>m</MessageId><PopReceipt>r</PopReceipt><DequeueCount>1</DequeueCount>" +
  `<InsertionTime>${time}</InsertionTime><ExpirationTime>${time}</ExpirationTime>` +
  `<TimeNextVisible>${time}</TimeNextVisible><MessageText>room-a</MessageText></QueueMessage></QueueMessagesList>`;
const record = { room: "room-a", tagHash: "a1", createdAt: "2026-01-02T03:04:05.678Z" };

/** The platform's. */
const successes: Readonly<Record<string, number>> = { GET: 200, POST: 201, PATCH: 202, DELETE: 204 };

/** The response of the server that stands for all others. */
function respond({ url = "", method = "" }: IncomingMessage, response: ServerResponse): void {
  // Each call opens a connection of its own.
  response.setHeader("connection", "close").setHeader("etag", "1").setHeader("x-ms-request-id", "1");
  const isToken = isTokenRequest(url);
  if (isToken && (hangsIn("first token") || hangsIn("later token"))) return;
  if (!isToken && hangsIn("headers")) return;
  const json = (body: object) =>
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  if (!isToken && hangsIn("body")) {
    response.writeHead(200, { "content-type": "application/json", "content-length": 1000, etag: "1" });
    return void response.write("{");
  }
  if (isToken) {
    const seconds = hoursOfToken * 3600;
    const expires = { expires_in: seconds, expires_on: String(Math.floor(Date.now() / 1000) + seconds) };
    const resource = "https://storage.azure.com/";
    return void json({ access_token: "token", token_type: "Bearer", resource, ...expires });
  }
  if (url.includes("/.well-known/")) return void json({ issuer: "issuer", jwks_uri: `${server.url}/keys` });
  if (url === "/keys") return void json({ keys: [{ kid: "unusable" }] });
  if (url.includes("/users/me")) return void json({ state: "active", division: { id: divisionId } });
  if (url.includes("/create-records/") && method === "GET") return void json(record);
  if (url.includes("/messages?") && method !== "DELETE") {
    response.statusCode = method === "POST" ? 201 : 200;
    response.setHeader("content-type", "application/xml");
    return void response.end(message(new Date().toUTCString()));
  }
  if (url.startsWith(path)) return void response.writeHead(successes[method] ?? 500).end();
  const time = new Date().toUTCString();
  response
    .writeHead(url.includes("/create-records/") ? 201 : method === "GET" ? 200 : 204, {
      "x-ms-approximate-messages-count": "1",
      "x-ms-popreceipt": "r",
      "x-ms-time-next-visible": time,
      "last-modified": time,
    })
    .end();
}

const server = useStarted(async () => {
  const https = createHttpsServer(await createAuthority("127.0.0.1"), respond);
  const sockets = new Set<Socket>();
  const front = createServer((socket) => {
    sockets.add(socket.on("error", () => socket.destroy()));
    if (!hangsIn("TLS")) https.emit("connection", socket);
  });
  const plain = createHttpServer(respond);
  return {
    url: (await listen(front)).replace("http:", "https:"),
    identityUrl: `${await listen(plain)}/identity`,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      front.close();
      plain.closeAllConnections();
      plain.close();
    },
  };
});

const divisionId = "55555555-5555-4555-8555-555555555555";
const pass = (hours: number) => void vi.setSystemTime(Date.now() + hours * 3600_000);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.stubEnv("IDENTITY_ENDPOINT", server.identityUrl);
  vi.stubEnv("IDENTITY_HEADER", "made-up");
  // Trusts the server's certificate.
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

function open() {
  const settings = loadSettings({
    ...exampleEnvironment,
    ...oauthEnvironment,
    AzureWebJobsStorage: undefined,
    AzureWebJobsStorage__credential: "managedidentity",
    AzureWebJobsStorage__queueServiceUri: `${server.url}/queues`,
    AzureWebJobsStorage__blobServiceUri: `${server.url}/blobs`,
    PLATFORM_URL: server.url,
    PLATFORM_TIMEOUT_SECONDS: "7",
    AUTH_AUTHORITY: server.url,
    CONTACT_CENTRE_API_URL: server.url,
    CONTACT_CENTRE_DIVISION_IDS: divisionId,
    LOGS_INGESTION_ENDPOINT: server.url,
    LOGS_INGESTION_RULE_ID: "rule",
    LOGS_INGESTION_STREAM: "Custom-X",
  });
  const log = createRecordingLog();
  const checkAgent = createContactCentreCheck(settings.contactCentre, systemClock);
  const keys = createSigningKeys(settings.bearer, systemClock);
  return { ...createAdapters(settings), log, checkAgent, keys };
}

const answered: readonly Stage[] = ["TLS", "headers", "body"];
const authorised: readonly Stage[] = ["first token", "later token", ...answered];
const held = { id: "m", text: "room-a", popReceipt: "r", dequeueCount: 1, insertedAt: 0, ageSeconds: 0 };
const path = "/api/admin/configuration/v1/conference/";

/** Every method of the ports: a new one is missing here until it has a row. */
const ofQueue: Readonly<Record<keyof Queue, (queue: Queue) => Promise<unknown>>> = {
  put: async (queue) => queue.put("room-a"),
  receive: async (queue) => queue.receive(1, 60),
  delete: async (queue) => queue.delete(held),
  setInvisible: async (queue) => queue.setInvisible(held, 0),
  count: async (queue) => queue.count(),
  peek: async (queue) => queue.peek(),
  clear: async (queue) => queue.clear(),
};
const ofRecords: Readonly<Record<keyof CreateRecordStore, (store: CreateRecordStore) => Promise<unknown>>> = {
  read: async (store) => store.read("id"),
  write: async (store) => store.write("id", record),
};

interface Call {
  readonly name: string;
  /** How long it may take, according to its documentation or its setting. */
  readonly seconds: number;
  readonly stages: readonly Stage[];
  readonly run: (parts: ReturnType<typeof open>) => Promise<unknown>;
}
const calls: readonly Call[] = [
  ...Object.entries(ofQueue).map(
    ([name, run]): Call => ({
      name: `Queue.${name}`,
      seconds: 3,
      stages: authorised,
      run: async ({ queues }) => run(queues.pool),
    }),
  ),
  ...Object.entries(ofRecords).map(
    ([name, run]): Call => ({
      name: `CreateRecordStore.${name}`,
      seconds: 3,
      stages: authorised,
      run: async ({ createRecords }) => run(createRecords),
    }),
  ),
  ...(["GET", "POST", "PATCH", "DELETE"] as const).map(
    (method): Call => ({
      name: `The platform's ${method}`,
      seconds: 7,
      stages: authorised,
      run: async ({ platformClient }) => platformClient.call({ method, path }),
    }),
  ),
  {
    name: "The metrics sink",
    seconds: 20,
    stages: answered,
    run: async ({ metricsSink }) => metricsSink(Object.create(null)),
  },
  {
    name: "The contact centre's check",
    seconds: 3,
    stages: answered,
    run: async ({ checkAgent, log }) => checkAgent("token", log),
  },
  {
    name: "The look-up of a signing key",
    seconds: 5,
    stages: answered,
    run: async ({ keys, log }) => keys.find("key", log),
  },
];

test.each(calls.flatMap(({ stages, ...call }) => stages.map((stage) => ({ ...call, stage }))))(
  "$name rejects in time if the server hangs in the stage “$stage”, and the next call is served",
  async (row) => {
    const parts = open();
    const run = async () => row.run(parts);
    if (row.stage === "later token") {
      await run();
      pass(hoursOfToken);
    }
    const asked = await rejectWhileHanging(row.stage, run);
    expect(hangs).toBeUndefined();
    expect(Math.max(...asked)).toBe(row.seconds * 1000);
    // A pause or a request for a token that hangs has ended.
    pass(0.01);
    await run();
  },
);
