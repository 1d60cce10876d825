/** Calls the conferencing platform with credentials, retries and a limit on concurrent calls. */
import { type Clock, type RandomSource, secureRandom } from "../ports.ts";
import { nameOf, PlatformError, responseFailure } from "./errors.ts";
import { type ClaimSlots, createLimiter, type Priority } from "./limiter.ts";
import type { PlatformCredentials, PlatformRequest, PlatformTransport } from "./transport.ts";

/** A request to the platform and the conditions under which it may start. */
export interface PlatformCall extends Omit<PlatformRequest, "body"> {
  /** The fields to write, or a function that returns them and is called immediately before each time they are sent. */
  readonly body?: PlatformRequest["body"] | (() => PlatformRequest["body"]);
  /**
   * Latest time to send the call, in clock milliseconds. A call that still waits then fails. Defaults to 20 s from now,
   * and to five minutes for background calls.
   */
  readonly startBefore?: number;
  /** Whether the call is part of a claim, which has a slot. Any other call takes one of its own. */
  readonly isInClaim?: boolean;
}

export interface PlatformResponse {
  readonly body: unknown;
}

/** Makes one call. Throws PlatformError if it failed or was not sent in time. */
export type Call = (call: PlatformCall) => Promise<PlatformResponse>;

/** Calls the platform for callers who wait, and in the background. */
export interface PlatformCalls {
  readonly call: Call;
  readonly background: { readonly call: Call };
}

export interface PlatformClient extends PlatformCalls {
  readonly claimSlots: ClaimSlots;
}

export interface ClientOptions {
  readonly timeoutSeconds: number;
  /** The ceiling of the limit, which is lower while the platform is overloaded. */
  readonly maxConcurrency: number;
  readonly credentials: PlatformCredentials;
  readonly clock: Clock;
  /** Defaults to the operating system's source. */
  readonly random?: RandomSource;
}

// One slot more must not make calls time out, which costs a room if it happens to a change.
const slowShareOfTimeout = 0.4;
// Callers do not wait longer than that, and background work continues with its next run.
const maxWaitSeconds: Readonly<Record<Priority, number>> = { caller: 20, background: 300 };

/**
 * Creates a client that sends each call once, or twice if new credentials may help after a 401. A call throws
 * PlatformError: `not-sent` if it waited too long for a slot or for a pause, otherwise by what may have happened on the
 * platform.
 */
export function createClient(transport: PlatformTransport, options: ClientOptions): PlatformClient {
  const { clock, credentials } = options;
  const limiter = createLimiter(options.maxConcurrency, clock, options.random ?? secureRandom);

  /** Sends the call once. Reads the clock here because waiting for a slot or credentials takes time. */
  async function sendOnce(call: PlatformCall, authorization: string) {
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

  const callAs =
    (priority: Priority): Call =>
    async (call) => {
      const startBefore = call.startBefore ?? clock.now() + maxWaitSeconds[priority] * 1000;
      // The pause is also checked before a slot is taken, so that callers are refused at once.
      await limiter.waitForPause(priority, startBefore);
      const giveBack = call.isInClaim ? () => undefined : await limiter.takeSlot(priority, startBefore);
      if (!giveBack) throw tooLate(call);
      try {
        await limiter.waitForPause(priority, startBefore);
        return await sendObserved({ ...call, startBefore });
      } finally {
        giveBack();
      }
    };

  /** Sends the call and tells the limiter how it ended. */
  async function sendObserved(call: PlatformCall): Promise<PlatformResponse> {
    const startedAt = clock.now();
    try {
      const response = await send(call);
      const timeoutSeconds = call.timeoutSeconds ?? options.timeoutSeconds;
      limiter.onSuccess((clock.now() - startedAt) / 1000 >= slowShareOfTimeout * timeoutSeconds);
      return response;
    } catch (error) {
      limiter.onFailure(error, startedAt);
      throw error;
    }
  }

  const { claimSlots } = limiter;
  return { call: callAs("caller"), background: { call: callAs("background") }, claimSlots };
}

function tooLate(call: PlatformCall): PlatformError {
  return new PlatformError({
    outcome: "not-sent",
    isTimeout: true,
    method: call.method,
    message: `${nameOf(call)}: no time left to send it`,
  });
}

export function bodyOf({ body }: Pick<PlatformCall, "body">): PlatformRequest["body"] {
  return typeof body === "function" ? body() : body;
}
