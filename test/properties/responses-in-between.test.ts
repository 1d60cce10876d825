/**
 * What stands between the gateway and its dependencies, such as a firewall, a proxy or a maintenance page, responds in
 * their names: callers get 503, the log has the status, and nothing is lost or deleted.
 */
import { createServer, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, test, vi } from "vitest";
import { type Adapters, createAdapters } from "../../src/lib/dependencies.ts";
import { parseJson } from "../../src/lib/json.ts";
import { decodeRoomMessage } from "../../src/lib/ownership/room.ts";
import type { PlatformRequest } from "../../src/lib/platform/transport.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { createMemoryGateway, memorySettings } from "../../tools/simulators/memory/gateway.ts";
import { listen } from "../../tools/simulators/services/listen.ts";
import { usePoolWorld } from "../support/pool-world.ts";
import { shortenTimeouts } from "../support/shortened-timeouts.ts";
import { createAuthority, startTlsFront } from "../support/tls-front.ts";
import { newPlatformClient } from "../support/use-platform.ts";
import { useStarted } from "../support/use-started.ts";

type Gateway = ReturnType<typeof createMemoryGateway>;
type Outcome = number | "succeeded" | "failed";

interface Dependency {
  readonly name: string;
  /** The settings that name it. */
  readonly settings: (url: string) => Record<string, string>;
  /** The adapters that call it over sockets. */
  readonly adapters: (settings: Record<string, string>) => Partial<Adapters>;
  /** What is intercepted of the calls to it. Everything is by default. */
  readonly intercepts?: RegExp;
  readonly run: (gateway: Gateway) => Promise<Outcome>;
  readonly outcome: Outcome;
  /** The event of the line that has the cause. */
  readonly event: string;
  /** The responses whose status the library does not tell. */
  readonly untold?: readonly string[];
  /** Responses that cannot be told from its own, with what happens then. */
  readonly own?: Readonly<Record<string, Outcome>>;
}

const page = "<html><body>Maintenance</body></html>";
const html = { "content-type": "text/html", "content-length": `${page.length}` };
const location = "/maintenance";
const send = (status: number, headers: Record<string, string> = {}, body = "") => ({
  status,
  respond: (response: ServerResponse) => void response.writeHead(status, headers).end(body),
});
/** One for each way in which the code tells a response from the dependency's own. deadlines.test.ts has silence. */
const responses: Readonly<
  Record<string, { status?: number; respond?: (response: ServerResponse) => void; hangs?: true }>
> = {
  "302": send(302, { location, ...html }, page),
  "404 with a page": send(404, html, page),
  "407": send(407),
  "200 with a page": send(200, html, page),
  "200 without a body": send(200),
  "204": send(204),
  "a body that is cut off": {
    respond: (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"objects":[', () => response.destroy());
    },
  },
  "a body that never ends": {
    hangs: true,
    respond: (response) => void response.writeHead(200, { "content-type": "application/json" }).write("["),
  },
  "the certificate of another host": {},
};

const world = usePoolWorld();
const adapterOf = (name: keyof Adapters) => (settings: Record<string, string>) => ({
  [name]: createAdapters(loadSettings({ ...memorySettings, ...settings }))[name],
});
const ofPlatform = {
  outcome: 503,
  event: "platform-",
  settings: (url: string) => ({ PLATFORM_URL: url }),
  adapters: ({ PLATFORM_URL: url = "" }: Record<string, string>) => ({
    platformClient: newPlatformClient(url, { clock: world.clock }),
  }),
};
const ofStorage = {
  outcome: 503,
  event: "storage-unavailable",
  settings: (url: string) => ({
    AzureWebJobsStorage: `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=a2V5;QueueEndpoint=${url}/a;BlobEndpoint=${url}/a`,
  }),
  adapters: adapterOf("queues"),
};
const call =
  (name: string, request: Parameters<Gateway["call"]>[1] = {}) =>
  async (gateway: Gateway) =>
    (await gateway.call(name, request)).status;
const runTimer = (name: "collectGarbage" | "collectMetrics") => async (gateway: Gateway) =>
  gateway.runTimer(name).then(
    () => "succeeded" as const,
    () => "failed" as const,
  );
const ended = { event: "conference_ended", data: { name: "room-c" } };
const basic = Buffer.from(`${identities.sinkUsername}:${identities.sinkPassword}`).toString("base64");
const bearer = `Bearer ${Buffer.from('{"alg":"RS256","kid":"k"}').toString("base64url")}.e30.eA`;
const ofIdentityProvider = {
  outcome: 503,
  event: "signing-keys-stale",
  settings: (url: string) => ({ AUTH_AUTHORITY: url }),
  adapters: adapterOf("accessChecks"),
  run: call("getRoom", { roomName: "ended", headers: { authorization: bearer } }),
};

const dependencies: readonly Dependency[] = [
  {
    name: "the contact centre",
    settings: (url) => ({ CONTACT_CENTRE_API_URL: url }),
    adapters: adapterOf("accessChecks"),
    run: call("getPublicRoom", { roomName: "ended", headers: { "x-auth-token": "token" } }),
    outcome: 503,
    event: "contact-centre-unavailable",
  },
  { ...ofIdentityProvider, name: "the identity provider's metadata" },
  {
    ...ofIdentityProvider,
    name: "the identity provider's keys",
    intercepts: /^GET \/(?:keys|maintenance)/,
  },
  { ...ofPlatform, name: "the platform at a read", run: call("getRoom", { roomName: "ended" }) },
  {
    ...ofPlatform,
    name: "the platform at a create, whose room is found",
    run: call("createRoomFromQueue"),
    intercepts: /^PATCH/,
  },
  {
    ...ofPlatform,
    name: "the platform at a change",
    intercepts: /^PATCH/,
    run: call("updateRoom", { roomName: "ended", json: { tag: "x" } }),
  },
  {
    ...ofPlatform,
    name: "the platform at the creation of a room",
    intercepts: /^POST/,
    run: async ({ deliver }) =>
      deliver().then(
        () => "succeeded",
        () => "failed",
      ),
    outcome: "failed",
    event: "provisioning-failed",
  },
  {
    ...ofPlatform,
    name: "the platform at a deletion",
    intercepts: /^DELETE/,
    run: call("deleteRoom", { roomName: "ended" }),
    own: { 204: 204 },
  },
  {
    ...ofPlatform,
    name: "the platform at the live check",
    intercepts: /\/status\//,
    run: runTimer("collectGarbage"),
    outcome: "failed",
    event: "deletion-failed",
  },
  { ...ofStorage, name: "the queues, for a create", run: call("createRoomFromQueue") },
  {
    ...ofStorage,
    name: "the queues, for an event",
    run: call("eventSink", { json: ended, headers: { authorization: `Basic ${basic}` } }),
  },
  { ...ofStorage, name: "the queues, for bulk delete", run: call("bulkDeleteRooms") },
  {
    ...ofStorage,
    name: "the records of creates",
    adapters: adapterOf("createRecords"),
    run: call("createRoomFromQueue", { headers: { "idempotency-key": "key" } }),
    untold: ["200 with a page", "200 without a body"],
  },
  {
    name: "the log workspace",
    settings: (url) => ({ LOGS_INGESTION_ENDPOINT: url }),
    adapters: adapterOf("metricsSink"),
    run: runTimer("collectMetrics"),
    outcome: "failed",
    event: "metrics-run-failed",
    own: { 204: "succeeded" },
  },
  {
    ...ofStorage,
    name: "the app's own identity",
    settings: (url) => {
      vi.stubEnv("IDENTITY_ENDPOINT", `${url}/msi/token`);
      vi.stubEnv("IDENTITY_HEADER", "secret");
      const endpoint = "https://storage.invalid";
      return {
        AzureWebJobsStorage: "",
        AzureWebJobsStorage__queueServiceUri: endpoint,
        AzureWebJobsStorage__blobServiceUri: endpoint,
        AzureWebJobsStorage__credential: "managedidentity",
      };
    },
    run: call("createRoomFromQueue"),
    untold: ["404 with a page"],
  },
];

let intercepted: RegExp;
let respond: (response: ServerResponse) => void;

/** Responds instead of a dependency; to what is not intercepted, as the identity provider and the platform do. */
async function startInBetween() {
  const server: Server = createServer((request, response) => {
    void (async () => {
      const { method = "", url = "" } = request;
      const text = (await buffer(request)).toString();
      if (intercepted.test(`${method} ${url}`)) return respond(response);
      const keys = { issuer: "https://issuer.example.com", jwks_uri: `http://${request.headers.host}/keys` };
      if (url.endsWith("/openid-configuration")) return response.end(JSON.stringify(keys));
      const body = parseJson(text) as PlatformRequest["body"];
      const own = await world.platform.transport(
        { method: method as PlatformRequest["method"], path: url, body },
        "",
      );
      return response.writeHead(own.status).end(own.body === "" ? "" : JSON.stringify(own.body));
    })();
  });
  const url = await listen(server);
  return {
    url,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
const inBetween = useStarted(startInBetween);
const ofAnotherHost = useStarted(async () => {
  const authority = await createAuthority("Authority of the tests");
  setDefaultCACertificates([...getCACertificates(), authority.cert]);
  const front = await startTlsFront("http://127.0.0.1:1", authority);
  return { ...front, url: front.url.replace("127.0.0.1", "localhost") };
});

const namesIn = (texts: readonly string[]) => texts.map((text) => decodeRoomMessage(text).room);

describe.each(dependencies)("In front of $name", (dependency) => {
  test.each(Object.entries(responses))(
    "%s means that it is unavailable, and nothing is lost",
    async (name, { status, respond: given, hangs }) => {
      intercepted = dependency.intercepts ?? /^/;
      respond = given ?? respond;
      const url = given ? inBetween.url : ofAnotherHost.url;
      const settings = dependency.settings(url);
      const log: string[] = [];
      const gateway = createMemoryGateway(world, {
        settings,
        adapters: dependency.adapters(settings),
        onLog: (line) => void log.push(line),
      });
      await world.addPooled("pooled");
      await world.addEnded("ended");
      await world.provisioning.put('{"reason":"claimed"}');
      world.clock.advance(600);
      const rooms = world.roomNames();
      if (hangs) shortenTimeouts();

      expect(await dependency.run(gateway)).toEqual(dependency.own?.[name] ?? dependency.outcome);
      if (dependency.own?.[name] !== undefined) return;
      const line = log.find((text) => text.includes(`"event":"${dependency.event}`)) ?? '"no line"';
      const told = JSON.stringify(JSON.parse(line), (key, value: unknown) => (key === "stack" ? "" : value));
      const isTold = status !== undefined && !dependency.untold?.includes(name);
      expect(told).toMatch(isTold ? new RegExp(`\\b${status}\\b`) : /"causes":\[\{/);
      // The gateway keeps the rooms, and each of their names in a queue.
      expect(world.roomNames()).toEqual(expect.arrayContaining(rooms));
      const names = [...namesIn(world.pool.texts()), ...namesIn(world.deletion.texts())];
      expect(names).toEqual(expect.arrayContaining(["pooled", "ended"]));
      expect(world.provisioning.texts()).not.toEqual([]);
    },
  );
});
