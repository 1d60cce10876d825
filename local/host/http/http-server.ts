/** The host's web server: limits, the routes of the app, the admin routes and the home page. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { HttpRequestData, HttpResponseData, OnLog } from "../worker/messages.ts";
import { answerAdminRequest, type FireFunction } from "./admin.ts";
import { describeRequest, flattenHeaders, readBody } from "./http-request.ts";
import { writeEmpty, writeResponse } from "./http-response.ts";
import { findRoute, type HttpRoute } from "./http-routes.ts";
import { parseRequestTarget } from "./request-target.ts";

export interface HttpServerOptions {
  readonly routes: readonly HttpRoute[];
  readonly hasHomePage: boolean;
  /** Runs the function and resolves to its answer; rejects when it failed, which has been logged by then. */
  invokeHttp(
    functionName: string,
    request: HttpRequestData,
    traceParent: string | undefined,
  ): Promise<HttpResponseData | undefined>;
  readonly fireFunction: FireFunction;
  readonly onLog: OnLog;
}

const requestLineLimitBytes = 8 * 1024;
const headersLimitBytes = 32 * 1024;
const headersLimitCount = 100;
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
  const server = createServer(
    { maxHeaderSize: requestLineLimitBytes + headersLimitBytes, keepAliveTimeout: keepAliveMilliseconds },
    (request, response) => {
      answer(request, response, options).catch((error: unknown) => {
        if (!request.destroyed) {
          options.onLog({ level: "error", category: "Host.Http", message: String(error) });
        }
        if (!response.headersSent) {
          writeEmpty(response, 500);
        }
      });
    },
  );
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
  const refusal = target && headers ? exceededLimit(request) : 400;
  if (refusal || !target || !headers) {
    response.shouldKeepAlive = false;
    return writeEmpty(response, refusal ?? 400);
  }
  // The real host says nothing about a connection that stays open.
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
  // Keys are not stored here, so no key is the right one.
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

function exceededLimit(request: IncomingMessage): number | undefined {
  const { method = "", url = "", httpVersion, rawHeaders } = request;
  if (method.length + url.length + httpVersion.length + " HTTP/ \r\n".length > requestLineLimitBytes)
    return 414;
  const bytesAroundName = ": \r\n".length / 2;
  const headerBytes = rawHeaders.reduce((total, text) => total + text.length + bytesAroundName, 0);
  return headerBytes > headersLimitBytes || rawHeaders.length / 2 > headersLimitCount ? 431 : undefined;
}

function writeHomePage(response: ServerResponse, hasHomePage: boolean): void {
  if (!hasHomePage) return writeEmpty(response, 204);
  response.setHeader("Content-Type", "text/html");
  response.setHeader("Content-Length", Buffer.byteLength(homePage));
  response.end(homePage);
}

// Requests that Node's parser refuses never become a request object and are answered on the bare socket.
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
