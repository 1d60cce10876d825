/** HTTP servers of the simulators, bound to the loopback address. Handlers return plain values. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { listen, type Port } from "./listen.ts";

export interface LoopbackRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  /** A string or bytes are sent as they are, other values as JSON, undefined as an empty body. */
  readonly body?: unknown;
}

/** The result of a handler: a reply, a connection reset, or silence until the client times out. */
export type Answer = Reply | "reset" | "silence";

/**
 * Starts a server on 127.0.0.1. If the handler throws, the response is 500 with the error's
 * text. `stop` closes the listening socket and every open connection.
 */
export async function startLoopbackServer(
  handle: (request: LoopbackRequest) => Answer | Promise<Answer>,
  port?: Port,
) {
  const server = createServer((request, response) => void respond(handle, request, response));
  server.keepAliveTimeout = 65_000;
  const url = await listen(server, port);
  return {
    url,
    stop: async (): Promise<void> => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  handle: (request: LoopbackRequest) => Answer | Promise<Answer>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    send(await handle(await readRequest(incoming)), incoming, response);
  } catch (error) {
    if (incoming.destroyed && !incoming.complete) return;
    send({ status: 500, body: { error: String(error) } }, incoming, response);
  }
}

async function readRequest(incoming: IncomingMessage): Promise<LoopbackRequest> {
  const { headers, method = "GET", url = "/" } = incoming;
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  const body = hasBody ? await buffer(incoming) : Buffer.alloc(0);
  return { method, url: new URL(url, "http://127.0.0.1"), headers, body };
}

function send(answer: Answer, incoming: IncomingMessage, response: ServerResponse): void {
  if (answer === "silence") return;
  if (answer === "reset") {
    incoming.socket.resetAndDestroy();
    return;
  }
  const isRaw = typeof answer.body === "string" || answer.body instanceof Uint8Array;
  const payload = answer.body === undefined || isRaw ? answer.body : JSON.stringify(answer.body);
  const contentType = isRaw || payload === undefined ? {} : { "content-type": "application/json" };
  response.writeHead(answer.status, { ...contentType, ...answer.headers });
  response.end(payload);
}
