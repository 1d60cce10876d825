/** The host's web server: converts requests for the app and its responses, and fires functions by hand. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer, json } from "node:stream/consumers";
import type { HttpRequestInit } from "@azure/functions";
import * as z from "zod";
import type { AppProcess } from "./app-process.ts";
import type { HttpResponseData, OnLog } from "./messages.ts";
import { decodePath, findRoute, type HttpRoute } from "./routes.ts";

export type InFront = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface HttpServerOptions {
  readonly routes: readonly HttpRoute[];
  readonly app: AppProcess;
  /** Starts a timer or queue function with this input; returns false if there is none of that name. */
  readonly fireFunction: (functionName: string, input: string) => boolean;
  readonly onLog: OnLog;
  readonly inFront: InFront;
}

// The real host's web server has the same limits.
const maxHeaderSize = 40 * 1024;
const keepAliveTimeout = 130_000;
const failed: HttpResponseData = { statusCode: "500", headers: {} };
const firingSchema = z.object({ input: z.string().nullish() });

/** Creates the server; the caller makes it listen and closes it. */
export function createHttpServer(options: HttpServerOptions): Server {
  // The real host passes on one value per header.
  const limits = { maxHeaderSize, keepAliveTimeout, joinDuplicateHeaders: true };
  return createServer(limits, (request, response) => {
    if (options.inFront(request, response)) return;
    respond(request, response, options).catch((error: unknown) => {
      if (!request.destroyed)
        options.onLog({ level: "error", category: "Host.Http", message: String(error) });
      if (!response.headersSent) sendEmpty(response, 500);
    });
  });
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { routes, app, fireFunction }: HttpServerOptions,
): Promise<void> {
  const { method = "", url = "/" } = request;
  const [rawPath = "", query = ""] = url.split(/\?(.*)/s);
  // A client gets the real host's 400 for a path with a zero byte.
  if (rawPath.includes("%00")) return sendEmpty(response, 400);
  const path = decodePath(rawPath);
  const [, fired] = /^\/admin\/functions\/([^/]+)$/.exec(path) ?? [];
  if (fired !== undefined && method === "POST") {
    const body = firingSchema.safeParse(await json(request).catch(() => undefined));
    if (!body.success) return sendEmpty(response, 400);
    return sendEmpty(response, fireFunction(fired, body.data.input ?? "") ? 202 : 404);
  }
  const match = findRoute(routes, method, path);
  if (!match) return sendEmpty(response, 404);
  // No keys are stored, so every key is wrong.
  if (!match.route.isAnonymous) return sendEmpty(response, 401);
  // Like the real host, it drops a body that has no Content-Length.
  const hasBody = Number(request.headers["content-length"] ?? 0) > 0;
  const body = hasBody ? await buffer(request) : undefined;
  const parameters = new URLSearchParams(query);
  const data: HttpRequestInit = {
    url: `http://${request.headers.host ?? "localhost"}${url}`,
    method,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    query: Object.fromEntries(
      Array.from(parameters.keys(), (name) => [name, parameters.getAll(name).join(",")]),
    ),
    params: match.parameters,
    ...(body && { body: { bytes: body } }),
  };
  const result = await app.invoke(match.route.functionName, { input: { http: data } }).catch(() => failed);
  if (!result) return sendEmpty(response, 204);
  response.writeHead(Number(result.statusCode), { ...result.headers });
  response.end(result.body?.bytes);
}

function sendEmpty(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}
