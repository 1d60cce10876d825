/** The API reference below /api/: its page, the credentials that it fills in, and its calls to the gateway. */

import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Connection } from "../../simulators/connection.ts";
import { identities } from "../../simulators/identities.ts";
import { bundlePage, type PageFile } from "../pages/bundle-page.ts";
import { fetchAccessToken } from "../stack/access-token.ts";

const timeoutMilliseconds = 240_000;

// The gateway knows neither the page nor its origin.
const headersOfThePage = ["host", "origin", "referer", "connection", "accept-encoding", "content-length"];

/** Where the page finds the gateway. */
const gatewayPath = "/api/gateway/";

const folder = fileURLToPath(new URL("../api-reference/", import.meta.url));
const openapi = new URL("../../../openapi.json", import.meta.url);

/** Returns the files of the API reference by name. */
export async function referenceFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const files = await bundlePage({ folder, entry: "main.ts", name: "reference" });
  const document = { contentType: "application/json", gzipped: gzipSync(await readFile(openapi)) };
  return new Map([...files, ["openapi.json", document]]);
}

/** Responds to a request of the API reference. Returns false for any other request, and for files. */
export async function respondToReference(
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
): Promise<boolean> {
  const target = request.url ?? "/";
  if (target === "/api") {
    response.writeHead(308, { location: "/api/" }).end();
    return true;
  }
  if (target === "/api/credentials.json") {
    const content = JSON.stringify(await credentials(connection));
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" }).end(content);
    return true;
  }
  if (!target.startsWith(gatewayPath)) return false;
  const path = `/${target.slice(gatewayPath.length)}`;
  await forward(request, response, `${connection.gatewayUrl}${path}`);
  return true;
}

/** The made-up credentials of each security scheme of the API document. */
async function credentials({ gatewayUrl, tokenUrl }: Connection): Promise<object> {
  return {
    gateway: gatewayUrl,
    token: await fetchAccessToken(tokenUrl).catch(() => null),
    agentToken: identities.agentToken,
    sink: { username: identities.sinkUsername, password: identities.sinkPassword },
  };
}

/** Forwards the request to this URL and returns the response. */
async function forward(request: IncomingMessage, response: ServerResponse, target: string): Promise<void> {
  const { method = "GET" } = request;
  const headers = Object.entries(request.headers).filter(
    ([name]) => !headersOfThePage.includes(name) && !name.startsWith("sec-"),
  );
  const received = await fetch(target, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
    body: method === "GET" ? null : new Uint8Array(await buffer(request)),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  }).catch(() => undefined);
  if (!received) {
    response.writeHead(502, { "content-type": "application/json" });
    response.end(JSON.stringify({ detail: "The gateway does not respond" }));
    return;
  }
  response.writeHead(received.status, Object.fromEntries(received.headers));
  response.end(await received.bytes());
}
