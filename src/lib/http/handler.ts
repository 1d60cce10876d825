/** The HTTP pipeline: authenticate, parse, validate, handle, respond. The only place that maps errors to responses. */
import type { HttpHandler, HttpRequest, InvocationContext } from "@azure/functions";
import type { AccessChecks, Caller } from "../auth/access.ts";
import { GatewayError } from "../errors.ts";
import { createLog } from "../invocation-log.ts";
import type { Log, LogFields } from "../log.ts";
import { createOutboundCalls, withOutboundCalls } from "../outbound-calls.ts";
import type { Clock } from "../ports.ts";
import type { HttpContract, HttpFunction } from "./contract.ts";
import { correlationIdOf } from "./correlation-id.ts";
import { readBody } from "./request-body.ts";
import {
  type HostResponse,
  toFailureResponse,
  toHostResponse,
  toUnexpectedErrorResponse,
  withoutBody,
} from "./response.ts";

/** What every HTTP function depends on, whatever it does. */
export interface HttpDependencies {
  readonly accessChecks: AccessChecks;
  readonly clock: Clock;
}

/** The part of the `app` object of `@azure/functions` that registers HTTP functions. */
export interface HttpApp {
  http(
    name: string,
    options: {
      readonly methods: (HttpContract["method"] | "HEAD")[];
      readonly route: string;
      readonly authLevel: "anonymous";
      readonly handler: HttpHandler;
    },
  ): void;
}

/** Registers each function under its key. The host's function keys are not used: `access` decides who may call. */
export function registerHttpFunctions<Dependencies extends HttpDependencies>(
  app: HttpApp,
  dependencies: Dependencies,
  functions: Readonly<Record<string, HttpFunction<Dependencies>>>,
): void {
  for (const [name, definition] of Object.entries(functions)) {
    const { method, route, answersHead = false } = definition;
    const handler = toHandler(definition, dependencies);
    const methods = answersHead ? [method, "HEAD" as const] : [method];
    app.http(name, { methods, route, authLevel: "anonymous", handler });
  }
}

/** Returns the handler for the Functions host. It never throws: an unexpected error is logged and becomes a 500. */
export function toHandler<Dependencies extends HttpDependencies>(
  definition: HttpFunction<Dependencies>,
  dependencies: Dependencies,
): HttpHandler {
  const { accessChecks, clock } = dependencies;
  return async (request, context) => {
    const { invocationId } = context;
    const correlationId = correlationIdOf(request.headers, invocationId);
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
        readBody: async (contract: Parameters<typeof readBody>[1]) => readBody(request, contract),
        roomName: decodeRoomName(request.params["room_name"] ?? ""),
      };
      const { logFields, ...result } = await definition.respond(input, dependencies, log);
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
