/** The host's web server: converts requests for the app and its responses, and fires functions by hand. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer, json } from "node:stream/consumers";
import * as z from "zod";
import type { HttpRequestData, HttpResponseData, OnLog } from "./messages.ts";
import { decodePath, findRoute, type HttpRoute } from "./routes.ts";

export type InFront = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface HttpServerOptions {
  readonly routes: readonly HttpRoute[];
  /** Runs the function and returns its response. Throws if it failed, which has been logged by then. */
  readonly invokeHttp: (
    functionName: string,
    request: HttpRequestData,
  ) => Promise<HttpResponseData | undefined>;
  /** Starts a timer or queue function with this input; returns false if there is none of that name. */
  readonly fireFunction: (functionName: string, input: string) => boolean;
  readonly onLog: OnLog;
  readonly inFront: InFront;
}

// The real host's web server has the same limits.
const maxHeaderSize = 40 * 1024;
const keepAliveTimeout = 130_000;
const firingSchema = z.object({ input: z.string().nullish() });

/** Creates the server; the caller makes it listen and closes it. */
export function createHttpServer(options: HttpServerOptions): Server {
  return createServer({ maxHeaderSize, keepAliveTimeout }, (request, response) => {
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
  { routes, invokeHttp, fireFunction }: HttpServerOptions,
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
  const headers = joinRepeated(pairs(request.rawHeaders), (name) => name.toLowerCase());
  const body = await readBody(request);
  const data: HttpRequestData = {
    url: `http://${headers.get("host") ?? "localhost"}${url}`,
    method,
    nullableHeaders: toNullable(headers),
    nullableQuery: toNullable(joinRepeated(new URLSearchParams(query), (name) => name)),
    nullableParams: toNullable(Object.entries(match.parameters)),
    ...(body && { body: { bytes: body } }),
  };
  let result: HttpResponseData | undefined;
  try {
    result = await invokeHttp(match.route.functionName, data);
  } catch {
    return sendEmpty(response, 500);
  }
  if (!result) return sendEmpty(response, 204);
  response.writeHead(Number(result.statusCode), { ...result.headers });
  response.end(result.body?.bytes);
}

function sendEmpty(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}

/** Like the real host, drops a body that has no Content-Length. Throws if the client disconnects before the end. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const length = Number(request.headers["content-length"] ?? 0);
  return length === 0 ? undefined : buffer(request);
}

function pairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] satisfies [string, string]] : [],
  );
}

/** The real host passes on one value per name: it joins those of a repeated one with a comma. */
function joinRepeated(
  entries: Iterable<[string, string]>,
  toKey: (name: string) => string,
): Map<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of entries) {
    const before = joined.get(toKey(name));
    joined.set(toKey(name), before === undefined ? value : `${before},${value}`);
  }
  return joined;
}

function toNullable(entries: Iterable<readonly [string, string]>): Record<string, { value: string }> {
  return Object.fromEntries(Array.from(entries, ([name, value]) => [name, { value }]));
}
