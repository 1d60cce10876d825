/** The host's web server: limits, the routes of the app, the admin routes and the home page. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { HttpRequestData, HttpResponseData, OnLog } from "../worker/messages.ts";
import { answerAdminRequest, type FireFunction } from "./admin.ts";
import { describeRequest, flattenHeaders, readBody } from "./http-request.ts";
import { writeEmpty, writeResponse } from "./http-response.ts";
import { findRoute, type HttpRoute } from "./http-routes.ts";
import { maxHeadBytes, refusalOf } from "./refusals.ts";
import { parseRequestTarget } from "./request-target.ts";

export type InFront = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface HttpServerOptions {
  readonly routes: readonly HttpRoute[];
  readonly hasHomePage: boolean;
  /** Runs the function and returns its response. Throws if it failed, which has been logged by then. */
  invokeHttp(
    functionName: string,
    request: HttpRequestData,
    traceParent: string | undefined,
  ): Promise<HttpResponseData | undefined>;
  readonly fireFunction: FireFunction;
  readonly onLog: OnLog;
  readonly inFront: InFront;
}

const bodyLimitBytes = 104_857_600;
const keepAliveMilliseconds = 130_000;
const homePage = `<!DOCTYPE html>
<html>
<head><title>The local Functions host is running.</title></head>
<body><h1>The local Functions host is up and running.</h1></body>
</html>
`;

/** Creates the server; the caller makes it listen and closes it. */
export function createHttpServer(options: HttpServerOptions): Server {
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    if (options.inFront(request, response)) return;
    answer(request, response, options).catch((error: unknown) => {
      if (!request.destroyed)
        options.onLog({ level: "error", category: "Host.Http", message: String(error) });
      if (!response.headersSent) writeEmpty(response, 500);
    });
  };
  const server = createServer(
    {
      maxHeaderSize: maxHeadBytes,
      keepAliveTimeout: keepAliveMilliseconds,
      requireHostHeader: false,
      // The real host accepts control characters in header values, a bare LF, and a length beside chunks.
      insecureHTTPParser: true,
    },
    respond,
  );
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    // A client that sent the body along gets the final response only.
    setImmediate(() => {
      if (request.readableLength === 0) response.writeContinue();
      respond(request, response);
    });
  });
  server.on("clientError", answerUnreadable);
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpServerOptions,
): Promise<void> {
  const method = request.method ?? "";
  response.setHeader("Server", "Kestrel");
  const target = parseRequestTarget(request.url ?? "");
  const headers = flattenHeaders(request.rawHeaders);
  const refusal = target && headers ? refusalOf(request) : 400;
  if (refusal || !target || !headers) {
    response.shouldKeepAlive = false;
    return writeEmpty(response, refusal ?? 400);
  }
  // Of two framings, the chunks count, as RFC 9112 says.
  if (headers.has("transfer-encoding")) headers.delete("content-length");
  // The real host sends no Connection header if the connection stays open.
  if (response.shouldKeepAlive) {
    response.removeHeader("Connection");
  }
  if (/^\/admin(\/|$)/i.test(target.path)) {
    return answerAdminRequest(request, response, target.path, options.fireFunction);
  }
  const match = findRoute(options.routes, method, target.path);
  if (!match) {
    return target.path === "/" ? writeHomePage(response, options.hasHomePage) : writeEmpty(response, 404);
  }
  // No keys are stored, so every key is wrong.
  if (!match.route.isAnonymous) return writeEmpty(response, 401);
  const lengthBytes = Number(headers.get("content-length") ?? 0);
  if (lengthBytes > bodyLimitBytes) return writeEmpty(response, 500);
  const body = await readBody(request, lengthBytes);
  const data = describeRequest(method, target, headers, match.parameters, body);
  let result: HttpResponseData | undefined;
  try {
    result = await options.invokeHttp(match.route.functionName, data, headers.get("traceparent"));
  } catch {
    return writeEmpty(response, 500);
  }
  writeResponse(response, result);
}

function writeHomePage(response: ServerResponse, hasHomePage: boolean): void {
  if (!hasHomePage) return writeEmpty(response, 204);
  response.setHeader("Content-Type", "text/html");
  response.setHeader("Content-Length", Buffer.byteLength(homePage));
  response.end(homePage);
}

// Requests that Node's parser refuses never become a request object, so the response goes to the bare socket.
function answerUnreadable(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Duplex & { bytesWritten?: number },
): void {
  if (error.code === "ECONNRESET" || !socket.writable || (socket.bytesWritten ?? 0) > 0) {
    socket.destroy();
    return;
  }
  const requestLine = error.rawPacket?.toString("latin1").split("\r\n", 1)[0] ?? "";
  const isUnknownMethod =
    error.code === "HPE_INVALID_METHOD" && /^[A-Z]+ \/[\x21-\x7e]* HTTP\/1\.[01]$/.test(requestLine);
  let status = isUnknownMethod ? "404 Not Found" : "400 Bad Request";
  if (error.code === "HPE_HEADER_OVERFLOW") {
    status = "431 Request Header Fields Too Large";
  }
  const lines = [
    `HTTP/1.1 ${status}`,
    "Content-Length: 0",
    "Connection: close",
    `Date: ${new Date().toUTCString()}`,
    "Server: Kestrel",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n`);
}
