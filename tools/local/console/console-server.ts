/**
 * The console's web server: the page, the state that it draws, the API reference below /api/, and the calls of both.
 */
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import type { Connection } from "../../simulators/connection.ts";
import { fetchAccessToken, tokenLine } from "../../simulators/consumer.ts";
import { identities } from "../../simulators/identities.ts";
import type { Port } from "../../simulators/services/listen.ts";
import {
  type LoopbackRequest,
  type Reply,
  startLoopbackServer,
} from "../../simulators/services/loopback-server.ts";
import type { Addresses } from "./actions.ts";
import type { Shown } from "./console-state.ts";
import { openSnapshots, type SnapshotOptions } from "./snapshot.ts";

export interface ConsoleOptions extends SnapshotOptions {
  /** The default is a free port. */
  readonly port?: Port;
}

const folderOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// A page of another origin can neither be loaded into this one, nor this one into it.
const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const icon = folderOf("page/icon.svg");
const openapi = folderOf("../../../openapi.json");
const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};
const notFound = show(
  404,
  '<!doctype html><title>Not found</title><p>There is no such page. <a href="/">Console</a></p>',
);
const timeoutMilliseconds = 240_000;
const called = /^\/(?:api|actions)\/(gateway|platform|issuer|contactCentre)(\/.*)/;
// Developers need the secrets in the API reference, and nobody in the console.
const secret = /("\w*(?:pin|token|password)": *")[^"]+/g;
// A foreign page under a name that resolves to this computer must neither read nor drive the console. Editors forward
// the port of a remote computer to another number. Tunnels of VS Code and Codespaces send the host "localhost" and the
// origin "http(s)://localhost": tunnelOptions.d.ts of @microsoft/dev-tunnels-contracts 1.3.
const ownHost = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;
const isOriginOf = (host: string, origin: string) =>
  origin === `http://${host}` || origin === `https://${host}`;
// What is called knows neither the page nor its origin.
const headersOfThePage = ["host", "origin", "referer", "connection", "accept-encoding", "content-length"];

/** Starts the console on 127.0.0.1. Throws if its page cannot be bundled. */
export async function startConsole(options: ConsoleOptions) {
  const { connection, timeline } = options;
  const files = await bundlePage(folderOf("page/"), "console");
  // Bundled when it is first opened, because that takes two seconds.
  let reference: ReturnType<typeof bundlePage> | undefined;
  const addresses = addressesOf(connection);
  const takeSnapshot = openSnapshots(options);

  const state = async (): Promise<Shown> => ({
    addresses,
    snapshot: await takeSnapshot(),
    entries: timeline.entries(),
  });

  let token: string | null = null;

  /** Returns the made-up credentials of each security scheme of the API document. */
  async function credentials() {
    // During an outage of the issuer, consumers use the token that they have.
    token = await fetchAccessToken(connection.tokenUrl).catch(() => token);
    return {
      gateway: connection.gatewayUrl,
      token,
      agentToken: identities.agentToken,
      sink: { username: identities.sinkUsername, password: identities.sinkPassword },
    };
  }

  async function reply(request: LoopbackRequest): Promise<Reply> {
    const { method, url } = request;
    const { host = "", origin } = request.headers;
    if (!ownHost.test(host) || (origin !== undefined && !isOriginOf(host, origin)))
      return show(403, "Open the console as http://localhost, or as http://127.0.0.1, with its port.");
    const [, at, calledPath = ""] = called.exec(url.pathname + url.search) ?? [];
    if (at !== undefined) return forward(request, addresses[at as "gateway"] + calledPath);
    if (method !== "GET") return notFound;
    if (url.pathname === "/state") return showJson(await state());
    if (url.pathname === "/api/credentials.json") return showJson(await credentials());
    const [, part, path = ""] = /^(\/api)?\/(.*)/.exec(url.pathname) ?? [];
    const name = path || "index.html";
    if (part !== undefined) reference ??= bundlePage(folderOf("../api-reference/"), "reference", { openapi });
    const file = (part === undefined ? files : await reference)?.get(name);
    return file ? show(200, file, `${contentTypes[extname(name)]}; charset=utf-8`) : notFound;
  }

  return startLoopbackServer(reply, options.port);
}

/** Forwards the request to this URL and returns the response, for an action without its secrets. */
async function forward({ method, url, headers, body }: LoopbackRequest, target: string): Promise<Reply> {
  const forwarded = Object.entries(headers).filter(
    ([name]) => !headersOfThePage.includes(name) && !name.startsWith("sec-"),
  );
  const received = await fetch(target, {
    method,
    headers: forwarded.map(([name, value]): [string, string] => [name, String(value)]),
    body: method === "GET" ? null : new Uint8Array(body),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  }).catch(() => undefined);
  if (!received) return showJson({ detail: "There was no response" }, 502);
  const content = Buffer.from(await received.bytes());
  const isAction = url.pathname.startsWith("/actions/");
  const { "content-length": _, ...ownHeaders } = Object.fromEntries(received.headers);
  return {
    status: received.status,
    headers: ownHeaders,
    body: isAction ? content.toString().replaceAll(secret, "$1••••••") : content,
  };
}

/**
 * Returns the files of a page by name. Its folder contains index.html, which refers to the script and the style sheet
 * by `name`, and main.ts or main.tsx. `others` are the paths of other files, by their names without extensions. Throws
 * esbuild's list of faults.
 */
async function bundlePage(folder: string, name: string, others: Readonly<Record<string, string>> = {}) {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: { [name]: "./main", index: "./index.html", icon, ...others },
    outdir: "/",
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".html": "copy", ".svg": "copy", ".json": "copy" },
    logLevel: "silent",
  });
  // Otherwise its process lives as long as this one.
  await stop();
  return new Map(outputFiles.map(({ path, contents }) => [path.slice(1), contents]));
}

export function addressesOf(connection: Connection): Addresses {
  return {
    gateway: connection.gatewayUrl,
    platform: new URL(connection.platformControlUrl).origin,
    issuer: new URL(connection.tokenUrl).origin,
    contactCentre: new URL(connection.contactCentreUrl).origin,
    tokenLine: tokenLine(connection.tokenUrl),
    agentToken: identities.agentToken,
  };
}

function show(status: number, body: string | Uint8Array, type = "text/html; charset=utf-8"): Reply {
  return { status, headers: { ...securityHeaders, "content-type": type }, body };
}

function showJson(body: unknown, status = 200): Reply {
  return { status, headers: securityHeaders, body };
}
