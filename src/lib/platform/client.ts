/** Calls the conferencing platform: slot, attempts and sending, with its credentials. */
import { type Clock, type RandomSource, secureRandom } from "../ports.ts";
import { isSuccess, nameOf, PlatformError, responseFailure } from "./errors.ts";
import { createLimiter } from "./limiter.ts";
import type { Priority, Slot } from "./slots.ts";
import type {
  PlatformCredentials,
  PlatformHttpResponse,
  PlatformRequest,
  PlatformTransport,
} from "./transport.ts";

/** A request to the platform and the conditions under which it may start. */
export interface PlatformCall extends Omit<PlatformRequest, "body"> {
  /** The fields to write, or a function that returns them and is called immediately before each time they are sent. */
  readonly body?: PlatformRequest["body"] | (() => PlatformRequest["body"]);
  /**
   * Latest time to send the call, in clock milliseconds. A call that still waits then fails. Defaults to 10 s from now,
   * and to five minutes for background calls.
   */
  readonly startBefore?: number;
  /** The slot of the unit of work that the call belongs to. Without one, the call takes a slot of its own. */
  readonly slot?: Slot | undefined;
}

export type PlatformResponse = Pick<PlatformHttpResponse, "body">;

/** Makes a call. Throws PlatformError if it failed or was not sent in time. */
type Call = (call: PlatformCall) => Promise<PlatformResponse>;

export type PlatformClient = ReturnType<typeof createClient>;

export interface ClientOptions {
  readonly timeoutSeconds: number;
  /** The ceiling of the limit, which is lower while the platform is overloaded. */
  readonly maxConcurrency: number;
  readonly credentials: PlatformCredentials;
  readonly clock: Clock;
  /** Defaults to the operating system's source. */
  readonly random?: RandomSource;
}

// Callers do not wait longer than that, and background work continues with its next run.
const maxWaitSeconds: Readonly<Record<Priority, number>> = { caller: 10, background: 300 };
const maxAttempts = 3;
const firstDelayMilliseconds = 100;
// A caller that waits for the response can make a longer pause itself.
const maxDelayMilliseconds = 2000;

/** A call or unit of work that got no slot in time. Nothing was sent. */
export class PlatformBusyError extends PlatformError {
  constructor(request?: Pick<PlatformCall, "method" | "path">) {
    super({
      outcome: "not-sent",
      method: request?.method,
      message: `${request ? nameOf(request) : "several calls"}: busy, not sent in time`,
      code: "gateway-busy",
    });
  }
}

/**
 * Creates a client. Each call has up to three attempts, but none after a timeout, also of a token request: GET and
 * DELETE are retried, other calls only if nothing happened on the platform. A call throws the last attempt's
 * PlatformError: `not-sent` if it waited too long for a slot or for a pause, otherwise by what may have happened on the
 * platform.
 */
export function createClient(transport: PlatformTransport, options: ClientOptions) {
  const { clock, credentials, random = secureRandom } = options;
  const limiter = createLimiter(options.maxConcurrency, clock, random);
  let refusalsInRow = 0;

  const callAs =
    (priority: Priority): Call =>
    async (given) => {
      const call = { ...given, startBefore: given.startBefore ?? defaultStart(priority) };
      // The pause is also checked before a slot is taken, so that callers are refused at once.
      await limiter.waitForPause(priority, call.startBefore);
      using own = given.slot ? undefined : await limiter.takeSlot(priority, call.startBefore);
      if (!given.slot && !own) throw new PlatformBusyError(call);
      for (let attempt = 1; ; attempt++) {
        try {
          await limiter.waitForPause(priority, call.startBefore);
          return await sendObserved(call);
        } catch (error) {
          const delay = attempt < maxAttempts ? delayBeforeRetry(call, error, attempt) : undefined;
          if (delay === undefined || clock.now() + delay >= call.startBefore) throw error;
          await clock.sleep(delay);
        }
      }
    };

  const defaultStart = (priority: Priority) => clock.now() + maxWaitSeconds[priority] * 1000;

  /** Returns how long to wait before the next attempt, in milliseconds, or undefined if there must be none. */
  function delayBeforeRetry(call: PlatformCall, error: unknown, attempt: number): number | undefined {
    if (!(error instanceof PlatformError) || !mayRetry(call, error)) return undefined;
    const backOff = firstDelayMilliseconds * 4 ** (attempt - 1) * (0.5 + random.integerBelow(1000) / 1000);
    const requested = error.hasRetryAfter ? (error.details.retryAfterSeconds ?? 0) * 1000 : 0;
    const delay = Math.max(backOff, requested);
    return delay > maxDelayMilliseconds ? undefined : delay;
  }

  /** Sends the call and tells the limiter how it ended. */
  async function sendObserved(call: TimedCall): Promise<PlatformResponse> {
    const startedAt = clock.now();
    try {
      const response = await send(call);
      limiter.onSuccess(clock.now() - startedAt, call.timeoutSeconds ?? options.timeoutSeconds);
      return response;
    } catch (error) {
      limiter.onFailure(error, startedAt);
      throw error;
    }
  }

  /** Sends the call, and once more if new credentials may help after a 401. */
  async function send(call: TimedCall): Promise<PlatformResponse> {
    const authorization = await credentials.authorization();
    const first = await sendOnce(call, authorization);
    // The first request was refused, so a call that is too late for the second one has changed nothing.
    const isRetried = first.status === 401 && credentials.invalidate(authorization);
    const response = isRetried ? await sendOnce(call, await credentials.authorization()) : first;
    if (isSuccess(call, response)) return { body: response.body };
    throw responseFailure(call, response, refusalsInRow === 1);
  }

  /** Reads the clock here because waiting for a slot or credentials takes time. */
  async function sendOnce(call: TimedCall, authorization: string) {
    if (clock.now() >= call.startBefore) throw new PlatformBusyError(call);
    const response = await transport({ ...call, body: bodyOf(call) }, authorization);
    refusalsInRow = response.status === 401 ? refusalsInRow + 1 : 0;
    return response;
  }

  return {
    /** Calls the platform for a caller who waits. */
    call: callAs("caller"),
    background: {
      call: callAs("background"),
      /** Waits for a slot for several calls. Throws PlatformBusyError if none is free by `startBefore`. */
      takeSlot: async (startBefore: number): Promise<Slot> => {
        const slot = await limiter.takeSlot("background", startBefore);
        if (!slot) throw new PlatformBusyError();
        return slot;
      },
    },
    /**
     * Waits for the slot of a claim. Returns undefined if none is free in time. Throws PlatformError during a pause.
     */
    takeClaimSlot: async (startBefore: number): Promise<Slot | undefined> => {
      await limiter.waitForPause("caller", startBefore);
      return limiter.takeSlot("claim", startBefore);
    },
  };
}

type TimedCall = PlatformCall & { readonly startBefore: number };

function mayRetry({ method }: PlatformCall, error: PlatformError): boolean {
  if (error.code === "platform-timeout" || error instanceof PlatformBusyError) return false;
  if (error.outcome === "not-sent" || error.platformStatus === 429) return true;
  return error.outcome === "unknown" && (method === "GET" || method === "DELETE");
}

function bodyOf({ body }: Pick<PlatformCall, "body">): PlatformRequest["body"] {
  return typeof body === "function" ? body() : body;
}
