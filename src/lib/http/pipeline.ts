/** The HTTP pipeline: authenticate, parse, validate, handle, respond. The only place that maps errors to responses. */
import type { HttpHandler, HttpRequest, HttpResponseInit } from "@azure/functions";
import type { AccessChecks, Caller } from "../auth/access.ts";
import { failures, GatewayError } from "../errors.ts";
import { createLog, type Log, type LogFields } from "../log.ts";
import type { Clock } from "../ports.ts";
import { hasDroppedJson, readBody } from "./body.ts";
import type { FunctionResponse, HttpContract, HttpFunction } from "./contract.ts";
import { readQuery, validate } from "./validation.ts";

export interface HttpDependencies {
  readonly accessChecks: AccessChecks;
  readonly clock: Clock;
}

// Usable in a header, a log line and a query without being escaped.
const usableId = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * The headers that an agent's page may read, as in infra/policies/cors.xml. The app's own CORS in Azure exposes none.
 */
export const exposedHeaders =
  "x-correlation-id,x-invocation-id,Retry-After,RateLimit-Limit,RateLimit-Remaining";

/** Returns the handler for the Functions host. It never throws: an unexpected error is logged and becomes a 500. */
export function toHandler<Dependencies extends HttpDependencies>(
  definition: HttpFunction<NoInfer<Dependencies>>,
  dependencies: Dependencies,
): HttpHandler {
  const { accessChecks, clock } = dependencies;
  return async (request, context) => {
    const { invocationId } = context;
    const sentId = request.headers.get("x-correlation-id") ?? "";
    const correlationId = usableId.test(sentId) ? sentId : invocationId;
    const startedAt = clock.now();
    let log = createLog(context, { correlationId });
    let fields: LogFields = {};
    let response: HostResponse;
    try {
      const { access, needsAdministrator } = definition;
      const caller = await accessChecks[access](request.headers, log, needsAdministrator);
      const callerName = caller.kind === "application" ? caller.id : caller.kind;
      log = createLog(context, { correlationId, caller: callerName });
      if (caller.kind === "event-sink") fields = { credentials: caller.credentials };
      const input = await readInput(request, caller, definition);
      const { logFields, ...result } = await definition.handle(input, dependencies, log);
      fields = { ...fields, ...logFields };
      response = toHostResponse(result, request.method === "HEAD");
    } catch (error) {
      const failure = toFailure(error, log);
      fields = { ...fields, ...failure.fields };
      response = failure.response;
    }
    const { status } = response;
    const durationMilliseconds = clock.now() - startedAt;
    log.info("request", { status, durationMilliseconds, method: request.method, ...fields });
    // Both let a caller's report be matched to this request's log lines.
    const ids = { "X-Invocation-Id": invocationId, "X-Correlation-Id": correlationId };
    const forPages = definition.access === "agent" && { "Access-Control-Expose-Headers": exposedHeaders };
    return { ...response, headers: { ...response.headers, ...ids, ...forPages } };
  };
}

/** Returns the validated input. Throws `length-required`, `body-too-large` or `invalid-request` if it is not valid. */
async function readInput(request: HttpRequest, caller: Caller, { query, headers, body }: HttpContract) {
  return {
    caller,
    // The host decodes a path once but keeps `%2F`, so a literal `%2F` in a name cannot be distinguished from a slash.
    roomName: (request.params["room_name"] ?? "").replaceAll(/%2f/gi, "/"),
    // The host's own query joins repeated parameters, so they cannot be recognised there.
    query: query && readQuery(query, new URL(request.url).searchParams),
    headers: headers && validate(headers, Object.fromEntries(request.headers), "header"),
    body: body && validate(body.schema, await readBody(request, body), "body"),
    readText: async () => request.text(),
    hasDroppedJson: hasDroppedJson(request),
  };
}

/** A body of 1 MiB can have more than 100,000 faults, and its response would be far longer. */
const maxFaults = 100;

/** A response as the Functions host expects it, with its status and headers always set. */
interface HostResponse extends HttpResponseInit {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the response to send. Responses may contain PINs, so none may be cached. Content-Length keeps the host from
 * chunking the body; in the response to HEAD, which has no body, the host would return 500 for it.
 */
function toHostResponse({ status, body, headers }: FunctionResponse, isHead = false): HostResponse {
  const common = { "Cache-Control": "no-store", ...headers };
  if (body === undefined) return { status, headers: common };
  const typed = { ...common, "Content-Type": "application/json" };
  if (isHead) return { status, headers: typed };
  const text = JSON.stringify(body);
  return { status, body: text, headers: { ...typed, "Content-Length": String(Buffer.byteLength(text)) } };
}

/**
 * Logs a failure, and returns its response and the fields for the request's line. An expected failure has its status,
 * its fixed text or validation faults, and its headers; any other error is 500 and reveals nothing about the cause.
 */
function toFailure(error: unknown, log: Log): { response: HostResponse; fields: LogFields } {
  if (!(error instanceof GatewayError)) {
    log.error("request-failed", {}, error);
    const response = toHostResponse({ status: 500, body: { detail: "Internal Server Error" } });
    return { response, fields: { code: "unexpected" } };
  }
  const { code, status, details } = error;
  if (status >= 500) log.error(code, {}, error);
  else if (error.cause !== undefined) log.warn(code, {}, error.cause);
  const detail =
    code === "invalid-request" ? (details.faults ?? []).slice(0, maxFaults) : failures[code].detail;
  const { retryAfterSeconds, challenge, reason, room } = details;
  // If the platform rejected a value of the caller, the cause has the call.
  const { cause } = code === "invalid-request" ? error : {};
  const { failedCall } = cause instanceof GatewayError ? cause.details : details;
  const headers = {
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
  };
  const response = toHostResponse({ status, headers, ...(detail !== undefined && { body: { detail } }) });
  return { response, fields: { code, reason, room, ...failedCall } };
}
