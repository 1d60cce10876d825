/** Calls the conferencing platform with credentials, retries and a limit on concurrent calls. */
import { type Clock, type RandomSource, secureRandom } from "../ports.ts";
import { nameOf, PlatformError, responseFailure } from "./errors.ts";
import { createLimiter, type Priority } from "./limiter.ts";
import {
  createTransport,
  type PlatformCredentials,
  type PlatformHttpResponse,
  type PlatformRequest,
  type PlatformTransport,
} from "./transport.ts";

/** A request to the platform and the conditions under which it may start. */
export interface PlatformCall extends Omit<PlatformRequest, "body"> {
  /** The fields to write, or a function that returns them and is called immediately before each time they are sent. */
  readonly body?: PlatformRequest["body"] | (() => PlatformRequest["body"]);
  /**
   * Latest time to send the call, in clock milliseconds. A call that still waits then fails. Defaults to 20 s from now,
   * and to five minutes for background calls.
   */
  readonly startBefore?: number;
}

/** A successful response of the platform. */
export interface PlatformResponse {
  readonly body: unknown;
}

/**
 * Calls the platform. `background` calls leave two slots free. Callers go first, but only four of them before a waiting
 * background call. Throws PlatformError if the call failed or was not sent in time.
 */
export interface PlatformClient {
  readonly call: (call: PlatformCall) => Promise<PlatformResponse>;
  readonly background: Pick<PlatformClient, "call">;
}

/** The credentials of calls, and the limit on concurrent ones. */
export interface ClientOptions {
  readonly timeoutSeconds: number;
  /** The ceiling of the limit, which is lower while the platform is overloaded. */
  readonly maxConcurrency: number;
  readonly credentials: PlatformCredentials;
  readonly clock: Clock;
  /** Defaults to the operating system's source. */
  readonly random?: RandomSource;
}

/** The same, with the platform's URL. */
export interface PlatformClientOptions extends ClientOptions {
  readonly url: string;
}

// Callers do not wait longer than that, and background work continues with its next run.
const maxWaitSeconds: Readonly<Record<Priority, number>> = { caller: 20, background: 300 };
const maxWaitingCallers = 500;

/** Creates a client of the platform at `url`. Opens no connection before the first call. */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  return createClient(createTransport(options.url, options.timeoutSeconds), options);
}

/**
 * Creates a client that sends each call once, or twice if new credentials may help after a 401. A call throws
 * PlatformError: `not-sent` if it waited too long for a slot or 500 calls wait already, otherwise by what may have
 * happened on the platform.
 */
export function createClient(transport: PlatformTransport, options: ClientOptions): PlatformClient {
  const { clock, credentials } = options;
  const limiter = createLimiter(options.maxConcurrency, clock, options.random ?? secureRandom);

  /** Sends the call once. Reads the clock here because waiting for a slot or credentials takes time. */
  async function sendOnce(call: PlatformCall, authorization: string): Promise<PlatformHttpResponse> {
    if (clock.now() >= (call.startBefore ?? Number.POSITIVE_INFINITY)) throw tooLate(call);
    return transport({ ...call, body: bodyOf(call) }, authorization);
  }

  async function send(call: PlatformCall): Promise<PlatformResponse> {
    const authorization = await credentials.authorization();
    const first = await sendOnce(call, authorization);
    // The first request was refused, so a call that is too late for the second one has changed nothing.
    const isRetried = first.status === 401 && credentials.invalidate(authorization);
    const response = isRetried ? await sendOnce(call, await credentials.authorization()) : first;
    if (response.status >= 200 && response.status < 300) return { body: response.body };
    throw responseFailure(call, response);
  }

  const callAs = (priority: Priority) => async (request: PlatformCall) => {
    const startBefore = request.startBefore ?? clock.now() + maxWaitSeconds[priority] * 1000;
    if (priority === "caller" && limiter.waiting(priority) >= maxWaitingCallers)
      throw new PlatformError({ outcome: "not-sent", message: `${nameOf(request)}: too many waiting calls` });
    if (!(await limiter.takeSlot(priority, startBefore))) throw tooLate(request);
    const startedAt = clock.now();
    try {
      const response = await send({ ...request, startBefore });
      limiter.onSuccess();
      return response;
    } catch (error) {
      limiter.onFailure(error, startedAt);
      throw error;
    } finally {
      limiter.giveBackSlot(priority);
    }
  };

  return { call: callAs("caller"), background: { call: callAs("background") } };
}

function tooLate(call: PlatformCall): PlatformError {
  return new PlatformError({
    outcome: "not-sent",
    isTimeout: true,
    method: call.method,
    message: `${nameOf(call)}: no time left to send it`,
  });
}

/** Returns the fields to write as they are now. */
export function bodyOf({ body }: Pick<PlatformCall, "body">): PlatformRequest["body"] {
  return typeof body === "function" ? body() : body;
}

const maxAttempts = 3;
const firstDelayMilliseconds = 100;
// A caller that waits for the response can make a longer pause itself.
const maxDelayMilliseconds = 2000;

/**
 * Wraps a client so that each call has up to three attempts. GET and DELETE are retried unless they timed out; other
 * calls only if nothing happened on the platform. Throws the last attempt's error.
 */
export function withRetries(client: PlatformClient, clock: Clock, random: RandomSource): PlatformClient {
  const retry =
    (call: PlatformClient["call"]) =>
    async (request: PlatformCall): Promise<PlatformResponse> => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await call(request);
        } catch (error) {
          const delay = attempt < maxAttempts ? delayBefore(request, error, attempt, random) : undefined;
          const isTooLate = clock.now() + (delay ?? 0) >= (request.startBefore ?? Number.POSITIVE_INFINITY);
          if (delay === undefined || isTooLate) throw error;
          await clock.sleep(delay);
        }
      }
    };
  return { call: retry(client.call), background: { call: retry(client.background.call) } };
}

/** Returns the milliseconds to wait before the next attempt, or undefined if there must not be one. */
function delayBefore(
  { method }: PlatformCall,
  error: unknown,
  attempt: number,
  random: RandomSource,
): number | undefined {
  if (!(error instanceof PlatformError) || error.code === "platform-timeout") return undefined;
  const nothingHappened = error.outcome === "not-sent" || error.platformStatus === 429;
  const isSafeToRetry = error.outcome === "unknown" && (method === "GET" || method === "DELETE");
  if (!nothingHappened && !isSafeToRetry) return undefined;
  const backOff = firstDelayMilliseconds * 4 ** (attempt - 1) * (0.5 + random.integerBelow(1000) / 1000);
  const requestedDelay = error.hasRetryAfter ? (error.details.retryAfterSeconds ?? 0) * 1000 : 0;
  const delay = Math.max(backOff, requestedDelay);
  return delay <= maxDelayMilliseconds ? delay : undefined;
}
