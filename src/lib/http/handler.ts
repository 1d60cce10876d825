/** The one way of a request: authenticate, read, check, handle, answer; and the only mapping of errors to answers. */
import type { HttpHandler, HttpRequest, HttpResponseInit } from "@azure/functions";
import type { Clock } from "../clock.ts";
import { GatewayError, publicDetailOf } from "../errors.ts";
import { createLog } from "../invocation-log.ts";
import type { Log } from "../log.ts";
import type { Access, Answer, HttpFunction } from "./contract.ts";
import { readBody } from "./request-body.ts";

/** One check for each kind of access; each throws GatewayError. */
export type AccessChecks = Readonly<
  Record<Access, (headers: HttpRequest["headers"], log: Log) => Promise<void>>
>;

export interface HttpDependencies {
  readonly accessChecks: AccessChecks;
  readonly clock: Clock;
}

/** The part of `@azure/functions`' `app` that is used here. */
export interface HttpApp {
  http(
    name: string,
    options: {
      methods: HttpFunction<never>["method"][];
      route: string;
      authLevel: "anonymous";
      handler: HttpHandler;
    },
  ): void;
}

/** Registers each function under its key. The host's own keys are not used: `access` decides. */
export function registerHttpFunctions<Dependencies extends HttpDependencies>(
  app: HttpApp,
  dependencies: Dependencies,
  functions: Readonly<Record<string, HttpFunction<Dependencies>>>,
): void {
  for (const [name, definition] of Object.entries(functions)) {
    const { method, route } = definition;
    app.http(name, {
      methods: [method],
      route,
      authLevel: "anonymous",
      handler: toHandler(definition, dependencies),
    });
  }
}

/** Never throws: an unexpected error is answered 500 with a fixed text, and its cause is logged. */
export function toHandler<Dependencies extends HttpDependencies>(
  definition: HttpFunction<Dependencies>,
  dependencies: Dependencies,
): HttpHandler {
  const { accessChecks, clock } = dependencies;
  return async (request, context) => {
    const log = createLog(context);
    const startedAt = clock.now();
    const { response, code } = await respond(request, log);
    const durationMilliseconds = clock.now() - startedAt;
    log.info("request", { status: response.status, code, durationMilliseconds });
    // Quoted by a caller, it leads to the log lines of this request.
    return { ...response, headers: { ...response.headers, "X-Invocation-Id": context.invocationId } };
  };

  async function respond(request: HttpRequest, log: Log): Promise<Outcome> {
    try {
      await accessChecks[definition.access](request.headers, log);
      const input = {
        query: Object.fromEntries(request.query),
        readBody: async (contract: Parameters<typeof readBody>[1]) => readBody(request, contract),
        roomName: decodeRoomName(request.params["room_name"] ?? ""),
      };
      return { response: toResponse(await definition.respond(input, dependencies, log)) };
    } catch (error) {
      if (!(error instanceof GatewayError)) {
        log.error("request-failed", {}, error);
        const answer = { status: 500, body: { detail: "Internal Server Error" } };
        return { response: toResponse(answer), code: "unexpected" };
      }
      if (error.status >= 500) log.error(error.code, {}, error);
      else if (error.cause !== undefined) log.warn(error.code, {}, error.cause);
      return { response: toResponse(toFailureAnswer(error)), code: error.code };
    }
  }
}

interface AnswerWithHeaders extends Answer {
  readonly headers?: Readonly<Record<string, string>>;
}

interface Response extends HttpResponseInit {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly response: Response;
  readonly code?: string;
}

/** The host decodes a path once but leaves `%2F`. A literal `%2F` in a name cannot be told from a slash. */
function decodeRoomName(parameter: string): string {
  return parameter.replaceAll(/%2f/gi, "/");
}

function toFailureAnswer({ code, status, details }: GatewayError): AnswerWithHeaders {
  const detail = code === "invalid-request" ? (details.faults ?? []) : publicDetailOf(code);
  const { retryAfterSeconds, challenge } = details;
  const headers = {
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
  };
  return { status, headers, ...(detail !== undefined && { body: { detail } }) };
}

/** Answers may hold PINs, so that no cache may keep them. With its length given, the host does not send it chunked. */
function toResponse({ status, body, headers }: AnswerWithHeaders): Response {
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
