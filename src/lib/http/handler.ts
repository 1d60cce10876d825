/** The HTTP pipeline: authenticate, parse, validate, handle, respond. The only place that maps errors to responses. */
import type { HttpHandler, HttpRequest } from "@azure/functions";
import type { AccessChecks } from "../auth/access.ts";
import type { Clock } from "../clock.ts";
import { GatewayError } from "../errors.ts";
import { createLog } from "../invocation-log.ts";
import type { Log } from "../log.ts";
import type { HttpContract, HttpFunction } from "./contract.ts";
import { readBody } from "./request-body.ts";
import {
  type HostResponse,
  toFailureResponse,
  toHostResponse,
  toUnexpectedErrorResponse,
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
      readonly methods: HttpContract["method"][];
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
    const { method, route } = definition;
    const handler = toHandler(definition, dependencies);
    app.http(name, { methods: [method], route, authLevel: "anonymous", handler });
  }
}

/** Returns the handler for the Functions host. It never throws: an unexpected error is logged and becomes a 500. */
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
    // Lets a caller's report be matched to this request's log lines.
    return { ...response, headers: { ...response.headers, "X-Invocation-Id": context.invocationId } };
  };

  async function respond(request: HttpRequest, log: Log): Promise<Outcome> {
    try {
      const caller = await accessChecks[definition.access](request.headers, log);
      const input = {
        caller,
        headers: Object.fromEntries(request.headers),
        query: Object.fromEntries(request.query),
        readBody: async (contract: Parameters<typeof readBody>[1]) => readBody(request, contract),
        roomName: decodeRoomName(request.params["room_name"] ?? ""),
      };
      return { response: toHostResponse(await definition.respond(input, dependencies, log)) };
    } catch (error) {
      return toFailure(error, log);
    }
  }
}

interface Outcome {
  readonly response: HostResponse;
  /** The failure, for the log. Missing after a success. */
  readonly code?: string;
}

function toFailure(error: unknown, log: Log): Outcome {
  if (!(error instanceof GatewayError)) {
    log.error("request-failed", {}, error);
    return { response: toUnexpectedErrorResponse(), code: "unexpected" };
  }
  if (error.status >= 500) log.error(error.code, {}, error);
  else if (error.cause !== undefined) log.warn(error.code, {}, error.cause);
  return { response: toFailureResponse(error), code: error.code };
}

/** The host decodes a path once but keeps `%2F`, so a literal `%2F` in a name cannot be distinguished from a slash. */
function decodeRoomName(parameter: string): string {
  return parameter.replaceAll(/%2f/gi, "/");
}
