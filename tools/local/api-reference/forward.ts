/** Forwards what the API reference sends to the gateway, because a page of another origin may not call it. */
import { type IncomingMessage, type ServerResponse, request as send } from "node:http";
import { pipeline } from "node:stream/promises";

const timeoutMilliseconds = 240_000;

// The gateway knows neither the page nor its origin.
const headersOfThePage = ["host", "origin", "referer", "connection", "accept-encoding"];

/** Forwards the request to this URL and streams the response back. */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
): Promise<void> {
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
  const [incoming] = await Promise.all([answered, pipeline(request, outgoing)]);
  response.writeHead(incoming.statusCode ?? 502, incoming.headers);
  await pipeline(incoming, response);
}
