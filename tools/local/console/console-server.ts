/** The console's web server: the page, the event stream, and the actions. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { Connection } from "../../simulators/connection.ts";
import { identities } from "../../simulators/identities.ts";
import { listen, type Port } from "../../simulators/process/listen.ts";
import { bundlePage } from "../pages/bundle-page.ts";
import { tokenLine } from "../stack/token-line.ts";
import { type CollectorOptions, startCollector } from "./collector.ts";
import type { Addresses, Greeting } from "./console-state.ts";
import { referenceFiles, respondToReference } from "./reference-routes.ts";
import { createActionRunner } from "./run-action.ts";

export interface ConsoleOptions extends Omit<CollectorOptions, "onSnapshot"> {
  /** The default is a free port. */
  readonly port?: Port;
}

const pageFolder = fileURLToPath(new URL("page/", import.meta.url));
// Once per process.
let ownFiles: ReturnType<typeof bundlePage> | undefined;
const valuesSchema = z.record(z.string(), z.string());

// A page of another origin can neither be loaded into this one, nor this one into it.
const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const htmlType = "text/html; charset=utf-8";
const jsonType = "application/json";
const notFound =
  '<!doctype html><title>Not found</title><p>There is no such page. <a href="/">Console</a></p>';

/** Starts the console on 127.0.0.1, with the API reference below /api/. Throws if its page cannot be bundled. */
export async function startConsole(options: ConsoleOptions) {
  const { connection, timeline } = options;
  ownFiles ??= bundlePage({ folder: pageFolder, entry: "main.tsx", name: "console" });
  const files = await ownFiles;
  // Bundled when it is first opened, because that takes two seconds.
  let reference: ReturnType<typeof referenceFiles> | undefined;
  const addresses = addressesOf(connection);
  const runner = createActionRunner(connection, addresses);
  const streams = new Set<ServerResponse>();
  const broadcast = (event: string, data: unknown): void => {
    for (const stream of streams) sendEvent(stream, event, data);
  };
  const collector = startCollector({
    ...options,
    onSnapshot: (snapshot) => broadcast("snapshot", snapshot),
  });
  const endings = [
    timeline.subscribe((entry) => broadcast("entry", entry)),
    options.stack.platform.onEvent(timeline.onPlatformEvent),
  ];

  function openStream(response: ServerResponse): void {
    response.writeHead(200, { ...securityHeaders, "content-type": "text/event-stream" });
    const greeting: Greeting = {
      addresses,
      pooledAfterSeconds: connection.poolReadyDelaySeconds,
      deletedAfterSeconds: connection.garbageMinimumAgeSeconds,
      history: collector.history(),
      entries: timeline.entries(),
    };
    sendEvent(response, "greeting", greeting);
    const latest = collector.latest();
    if (latest) sendEvent(response, "snapshot", latest);
    streams.add(response);
    response.on("close", () => streams.delete(response));
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", url);
    // A name that resolves to this computer must not let a foreign page read or drive the console.
    const isOwn = request.headers.host === new URL(url).host && (request.headers.origin ?? url) === url;
    if (!isOwn) return send(response, 403);
    if (request.method === "GET" && pathname === "/events") return openStream(response);
    const [, correlationId] = /^\/lines\/([\w.-]+)$/.exec(pathname) ?? [];
    if (request.method === "GET" && correlationId !== undefined)
      return send(response, 200, JSON.stringify(options.stack.logWorkspace.linesOf(correlationId)), jsonType);
    if (await respondToReference(request, response, connection)) return;
    const [, part, name = ""] = /^(\/api)?\/(.*)$/.exec(pathname) ?? [];
    if (part !== undefined) reference ??= referenceFiles();
    const file = (part === undefined ? files : await reference)?.get(name || "index.html");
    if (request.method === "GET" && file) return send(response, 200, file.gzipped, file.contentType);
    const [, id] = /^\/actions\/(\w+)$/.exec(pathname) ?? [];
    if (request.method !== "POST" || id === undefined) return send(response, 404, notFound);
    const values = valuesSchema.safeParse(await json(request).catch(() => undefined));
    if (!values.success) return send(response, 400);
    const result = await runner.run(id, values.data);
    if (!result) return send(response, 404, notFound);
    send(response, 200, JSON.stringify(result), jsonType);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  const url = await listen(server, options.port);
  return {
    url,
    stop: async (): Promise<void> => {
      for (const end of endings) end();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, collector.stop()]);
    },
  };
}

export function addressesOf(connection: Connection): Addresses {
  return {
    gateway: connection.gatewayUrl,
    platformControl: connection.platformControlUrl,
    token: connection.tokenUrl,
    contactCentre: connection.contactCentreUrl,
    tokenLine: tokenLine(connection.tokenUrl),
    agentToken: identities.agentToken,
  };
}

function sendEvent(stream: ServerResponse, event: string, data: unknown): void {
  stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Sends a text, or bytes that are compressed. */
function send(
  response: ServerResponse,
  status: number,
  content: string | Uint8Array = "",
  type = htmlType,
): void {
  const encoding = typeof content === "string" ? {} : { "content-encoding": "gzip" };
  response.writeHead(status, { ...securityHeaders, "content-type": type, ...encoding });
  response.end(content);
}
