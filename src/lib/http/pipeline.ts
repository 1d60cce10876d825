/** The HTTP pipeline: authenticate, parse, validate, handle, respond. The only place that maps errors to responses. */
import type { HttpHandler, HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import * as z from "zod";
import type { AccessChecks, Caller } from "../auth/access.ts";
import { GatewayError, publicDetailOf } from "../errors.ts";
import { createLog, type Log, type LogFields } from "../log.ts";
import { createOutboundCalls, withOutboundCalls } from "../outbound-calls.ts";
import type { Clock } from "../ports.ts";
import { readBody } from "./body.ts";
import type {
  BodyContract,
  BodyFunctionDefinition,
  CommonInput,
  FunctionResponse,
  HttpFunction,
  QueryFunctionDefinition,
  UncheckedInput,
} from "./contract.ts";
import { readQuery, validate } from "./validation.ts";

/** The query of functions that have no query parameters. Parameters sent anyway are ignored. */
export const noQuery = z.object({});

/**
 * Returns a function without a body. `invoke` validates query and headers before it calls `handle`, and throws
 * `invalid-request` if they are not valid.
 */
export function queryFunction<Query, Dependencies, Headers = undefined>(
  definition: QueryFunctionDefinition<Query, Dependencies, Headers>,
): HttpFunction<Dependencies> {
  const { handle, ...contract } = definition;
  return {
    ...contract,
    invoke: async (input, dependencies, log) => {
      const query = readQuery(contract.query, input.query);
      return handle({ ...toCommonInput(contract.headers, input), query }, dependencies, log);
    },
  };
}

/**
 * Returns a function with a JSON body. `invoke` validates the headers, then reads and validates the body before it
 * calls `handle`, and throws `length-required`, `body-too-large` or `invalid-request` if it cannot.
 */
export function bodyFunction<Body, Dependencies, Headers = undefined>(
  definition: BodyFunctionDefinition<Body, Dependencies, Headers>,
): HttpFunction<Dependencies> {
  const { handle, ...contract } = definition;
  return {
    ...contract,
    invoke: async (input, dependencies, log) => {
      const common = toCommonInput(contract.headers, input);
      const body = validate(contract.body.schema, await input.readBody(contract.body), "body");
      return handle({ ...common, body }, dependencies, log);
    },
  };
}

function toCommonInput<Headers>(
  schema: z.ZodType<Headers> | undefined,
  { caller, headers, roomName, readText }: UncheckedInput,
): CommonInput<Headers> {
  return { caller, headers: validateHeaders(schema, headers), roomName, readText };
}

// An overload, because without a schema the type parameter has its default, undefined.
function validateHeaders<Headers>(schema: z.ZodType<Headers> | undefined, headers: object): Headers;
function validateHeaders(schema: z.ZodType | undefined, headers: object): unknown {
  return schema && validate(schema, headers, "header");
}

/** Returns a response with a JSON body. */
export function json(status: number, body: object): FunctionResponse {
  return { status, body };
}

/** Returns a response without a body. */
export function empty(status: number): FunctionResponse {
  return { status };
}

/** What every HTTP function depends on, whatever it does. */
export interface HttpDependencies {
  readonly accessChecks: AccessChecks;
  readonly clock: Clock;
}

/** Returns the handler for the Functions host. It never throws: an unexpected error is logged and becomes a 500. */
export function toHandler<Dependencies extends HttpDependencies>(
  definition: HttpFunction<Dependencies>,
  dependencies: Dependencies,
): HttpHandler {
  const { accessChecks, clock } = dependencies;
  return async (request, context) => {
    const { invocationId } = context;
    const correlationId = correlationIdOf(request.headers.get("x-correlation-id"), invocationId);
    const calls = createOutboundCalls();
    const startedAt = clock.now();
    const { response, code, reason, log, caller, logFields } = await withOutboundCalls(calls, async () =>
      respond(request, context, correlationId),
    );
    log.info("request", {
      status: response.status,
      code,
      reason,
      durationMilliseconds: clock.now() - startedAt,
      method: request.method,
      ...(caller?.kind === "event-sink" && { credentials: caller.credentials }),
      ...logFields,
      platformCalls: calls.platform.calls,
      platformMilliseconds: Math.round(calls.platform.milliseconds),
      storageCalls: calls.storage.calls,
      storageMilliseconds: Math.round(calls.storage.milliseconds),
    });
    // Both let a caller's report be matched to this request's log lines.
    const ids = { "X-Invocation-Id": invocationId, "X-Correlation-Id": correlationId };
    return { ...response, headers: { ...response.headers, ...ids } };
  };

  async function respond(
    request: HttpRequest,
    context: InvocationContext,
    correlationId: string,
  ): Promise<Outcome> {
    let log = createLog(context, { correlationId });
    let caller: Caller | undefined;
    try {
      caller = await accessChecks[definition.access](request.headers, log);
      log = createLog(context, { correlationId, caller: nameOf(caller) });
      const input = {
        caller,
        headers: Object.fromEntries(request.headers),
        query: new URL(request.url).searchParams,
        readText: async () => request.text(),
        readBody: async (contract: BodyContract<unknown>) => readBody(request, contract),
        roomName: decodeRoomName(request.params["room_name"] ?? ""),
      };
      const { logFields, ...result } = await definition.invoke(input, dependencies, log);
      const response = toHostResponse(result);
      return {
        response: request.method === "HEAD" ? withoutBody(response) : response,
        log,
        caller,
        ...(logFields && { logFields }),
      };
    } catch (error) {
      return { ...toFailure(error, log), log, caller };
    }
  }
}

interface Outcome {
  readonly response: HostResponse;
  /** The failure, for the log. Missing after a success. */
  readonly code?: string;
  /** Why the caller was refused. */
  readonly reason?: string | undefined;
  /** The log, which names the caller once the access check has passed. */
  readonly log: Log;
  readonly caller: Caller | undefined;
  readonly logFields?: LogFields;
}

function nameOf(caller: Caller): string {
  return caller.kind === "application" ? caller.id : caller.kind;
}

function toFailure(error: unknown, log: Log): Pick<Outcome, "response" | "code" | "reason"> {
  if (!(error instanceof GatewayError)) {
    log.error("request-failed", {}, error);
    return { response: toUnexpectedErrorResponse(), code: "unexpected" };
  }
  if (error.status >= 500) log.error(error.code, {}, error);
  else if (error.cause !== undefined) log.warn(error.code, {}, error.cause);
  return { response: toFailureResponse(error), code: error.code, reason: error.details.reason };
}

/** The host decodes a path once but keeps `%2F`, so a literal `%2F` in a name cannot be distinguished from a slash. */
function decodeRoomName(parameter: string): string {
  return parameter.replaceAll(/%2f/gi, "/");
}

// Usable in a header, a log line and a query without being escaped.
const usableId = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's correlation ID, or `otherwise` if it is missing or not usable. */
function correlationIdOf(sent: string | null, otherwise: string): string {
  return sent !== null && usableId.test(sent) ? sent : otherwise;
}

/** A response as the Functions host takes it, with its status and headers always set. */
interface HostResponse extends HttpResponseInit {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the response to send. Responses may contain PINs, so none may be cached. Content-Length keeps the host from
 * chunking the body.
 */
function toHostResponse(
  { status, body }: FunctionResponse,
  headers: HostResponse["headers"] = {},
): HostResponse {
  const common = { "Cache-Control": "no-store", ...headers };
  if (body === undefined) return { status, headers: common };
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  return {
    status,
    body: text,
    headers: { ...common, "Content-Type": "application/json", "Content-Length": length },
  };
}

/**
 * Returns the response to a HEAD request: that of GET without its body. It has no Content-Length, because the host
 * responds with 500 if the length differs from the body that it gets.
 */
function withoutBody({ status, headers }: HostResponse): HostResponse {
  const { "Content-Length": _length, ...others } = headers;
  return { status, headers: others };
}

/** Returns the response to an expected failure: its status, its fixed text or validation faults, and its headers. */
function toFailureResponse({ code, status, details }: GatewayError): HostResponse {
  const detail = code === "invalid-request" ? (details.faults ?? []) : publicDetailOf(code);
  const { retryAfterSeconds, challenge } = details;
  const headers = {
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
  };
  return toHostResponse({ status, ...(detail !== undefined && { body: { detail } }) }, headers);
}

/** Returns the response to an unexpected error: 500 with a fixed text that reveals nothing about the cause. */
function toUnexpectedErrorResponse(): HostResponse {
  return toHostResponse({ status: 500, body: { detail: "Internal Server Error" } });
}
