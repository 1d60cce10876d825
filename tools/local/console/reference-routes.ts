/** The API reference below /api/: its page, the credentials that it fills in, and its calls to the gateway. */
import { type IncomingMessage, type ServerResponse, request as send } from "node:http";
import { pipeline } from "node:stream/promises";
import { identities } from "../../simulators/identities.ts";
import { fetchAccessToken } from "../stack/access-token.ts";
import type { Connection } from "../stack/connection.ts";

const timeoutMilliseconds = 240_000;

// The gateway knows neither the page nor its origin.
const headersOfThePage = ["host", "origin", "referer", "connection", "accept-encoding"];

/** Where the page finds the gateway. */
const gatewayPath = "/api/gateway/";

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

/** Forwards the request to this URL and streams the response back. */
async function forward(request: IncomingMessage, response: ServerResponse, target: string): Promise<void> {
  const headers = Object.entries(request.headers).filter(
    ([name]) => !headersOfThePage.includes(name) && !name.startsWith("sec-"),
  );
  const outgoing = send(target, {
    method: request.method,
    headers: Object.fromEntries(headers),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject);
  });
  const exchange = await Promise.all([answered, pipeline(request, outgoing)]).catch(() => undefined);
  if (!exchange) {
    response.writeHead(502, { "content-type": "application/json" });
    response.end(JSON.stringify({ detail: "The gateway does not respond" }));
    return;
  }
  const [incoming] = exchange;
  response.writeHead(incoming.statusCode ?? 502, incoming.headers);
  await pipeline(incoming, response);
}
