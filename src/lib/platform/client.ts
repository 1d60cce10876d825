/** Calls the conferencing platform with a log-in and limited concurrency. */
import { type Clock, type RandomSource, secureRandom } from "../ports.ts";
import { type CallEnding, createAdaptiveLimit } from "./adaptive-limit.ts";
import { type CallClass, createCallSlots } from "./call-slots.ts";
import {
  createExchange,
  type Exchange,
  nameOf,
  type PlatformHttpResponse,
  type PlatformRequest,
  responseFailure,
} from "./exchange.ts";
import type { PlatformLogIn } from "./log-in.ts";
import { PlatformError } from "./platform-error.ts";

/** A request to the platform and the conditions under which it may start. */
export interface PlatformCall extends Omit<PlatformRequest, "body"> {
  /** The fields to write, or a function that returns them and is called immediately before each time they are sent. */
  readonly body?: PlatformRequest["body"] | (() => PlatformRequest["body"]);
  /** Latest time to send the call, in clock milliseconds. Defaults to 20 s from now; background calls have no default. */
  readonly startBefore?: number;
  /** The call is not sent any more once this signal is aborted. */
  readonly signal?: AbortSignal;
  /** Called immediately before the call is sent. */
  readonly onSend?: () => void;
  /** Whether this background call is part of a list that a caller waits for. */
  readonly isAwaitedList?: boolean;
}

/** A successful response of the platform. */
export interface PlatformResponse {
  readonly body: unknown;
}

/**
 * Calls the platform. `background` calls have lower priority and leave two slots free; lists that a caller waits for
 * and other background calls take turns. Throws PlatformError if the call failed or was not sent in time.
 */
export interface PlatformClient {
  readonly call: (call: PlatformCall) => Promise<PlatformResponse>;
  readonly background: Pick<PlatformClient, "call">;
}

/** How calls log in, and how many run at once at most. */
export interface ClientOptions {
  readonly timeoutSeconds: number;
  /** The ceiling of the adaptive limit. */
  readonly maxConcurrency: number;
  readonly logIn: PlatformLogIn;
  readonly clock: Clock;
  /** Defaults to the operating system's source. */
  readonly random?: RandomSource;
}

/** The same and where the platform is. */
export interface PlatformClientOptions extends ClientOptions {
  readonly url: string;
}

// A caller who waits longer for a slot has given up by then.
const maxWaitSeconds = 20;
const maxWaitingCalls = 500;

/** Creates a client of the platform at `url`. Opens no connection before the first call. */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  return createClient(createExchange(options.url, options.timeoutSeconds), options);
}

/**
 * Creates a client that sends each call once, or twice if a new log-in may help after a 401. A call throws
 * PlatformError: `not-sent` if it waited too long for a slot or 500 calls wait already, otherwise by what may have
 * happened on the platform.
 */
export function createClient(exchange: Exchange, options: ClientOptions): PlatformClient {
  const { clock, logIn } = options;
  const limit = createAdaptiveLimit(options.maxConcurrency, clock, options.random ?? secureRandom);
  const slots = createCallSlots(limit, clock);

  /** Sends the call once. Looks at the clock here because waiting for a slot or a log-in takes time. */
  async function sendOnce(call: PlatformCall, authorization: string): Promise<PlatformHttpResponse> {
    if (call.signal?.aborted === true || clock.now() >= (call.startBefore ?? Number.POSITIVE_INFINITY)) {
      throw new PlatformError({
        outcome: "not-sent",
        isTimeout: true,
        message: `${nameOf(call)}: no time left to send it`,
      });
    }
    call.onSend?.();
    return exchange({ ...call, body: bodyOf(call) }, authorization);
  }

  async function send(call: PlatformCall): Promise<PlatformResponse> {
    const authorization = await logIn.authorization();
    const first = await sendOnce(call, authorization);
    // The first request was refused, so a call that is too late for the second one has changed nothing.
    const isRetried = first.status === 401 && logIn.invalidate(authorization);
    const response = isRetried ? await sendOnce(call, await logIn.authorization()) : first;
    if (response.status >= 200 && response.status < 300) return { body: response.body };
    throw responseFailure(call, response);
  }

  async function sendAndLearn(call: PlatformCall): Promise<PlatformResponse> {
    const startedAt = clock.now();
    const learn = (ending: CallEnding, retryAfterSeconds?: number): void =>
      limit.learn({
        kind: kindOf(call),
        startedAt,
        timeoutSeconds: call.timeoutSeconds ?? options.timeoutSeconds,
        ending,
        retryAfterSeconds,
      });
    try {
      const response = await send(call);
      learn("success");
      return response;
    } catch (error) {
      if (error instanceof PlatformError)
        learn(endingOf(error), error.hasRetryAfter ? error.details.retryAfterSeconds : undefined);
      throw error;
    }
  }

  async function call(request: PlatformCall): Promise<PlatformResponse> {
    if (slots.waiting("caller") >= maxWaitingCalls) {
      throw new PlatformError({ outcome: "not-sent", message: `${nameOf(request)}: too many waiting calls` });
    }
    const startBefore = request.startBefore ?? clock.now() + maxWaitSeconds * 1000;
    return slots.run("caller", async () => sendAndLearn({ ...request, startBefore }));
  }

  async function callInBackground(request: PlatformCall): Promise<PlatformResponse> {
    const callClass: CallClass = request.isAwaitedList === true ? "list" : "background";
    return slots.run(callClass, async () => sendAndLearn(request));
  }

  return { call, background: { call: callInBackground } };
}

/** Returns the fields to write as they are now. */
export function bodyOf({ body }: Pick<PlatformCall, "body">): PlatformRequest["body"] {
  return typeof body === "function" ? body() : body;
}

/** Reads of one room, pages of a list and changes take different times. IDs and offsets make no difference. */
function kindOf({ method, path, query }: PlatformCall): string {
  return [method, path.replaceAll(/\d+/g, "0"), ...Object.keys(query ?? {})].join(" ");
}

function endingOf(error: PlatformError): CallEnding {
  if (error.platformStatus === 429) return "throttled";
  return error.code === "platform-timeout" && error.outcome === "unknown" ? "timeout" : "other";
}
