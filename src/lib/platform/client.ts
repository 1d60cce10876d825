/** Calls the conferencing platform with a log-in and limited concurrency. */
import PQueue from "p-queue";
import type { Clock } from "../clock.ts";
import { createExchange, nameOf, type PlatformRequest, responseFailure } from "./exchange.ts";
import type { PlatformLogIn } from "./log-in.ts";
import { PlatformError } from "./platform-error.ts";

/** A request to the platform and the time until which it may start. */
export interface PlatformCall extends PlatformRequest {
  /** Latest time to send the call, in clock milliseconds. Defaults to 20 s from now; background calls have no default. */
  readonly startBefore?: number;
}

/** A successful response of the platform. */
export interface PlatformResponse {
  readonly body: unknown;
}

/**
 * Calls the platform. `background` calls have lower priority and always leave two slots free. Throws PlatformError if
 * the call failed or was not sent in time.
 */
export interface PlatformClient {
  readonly call: (call: PlatformCall) => Promise<PlatformResponse>;
  readonly background: Pick<PlatformClient, "call">;
}

/** Where the platform is, how to log in, and how many calls run at once. */
export interface PlatformClientOptions {
  readonly url: string;
  readonly timeoutSeconds: number;
  readonly maxConcurrency: number;
  readonly logIn: PlatformLogIn;
  readonly clock: Clock;
}

// A caller who waits longer for a slot has given up by then.
const maxWaitSeconds = 20;
const maxWaitingCalls = 500;

/**
 * Creates a client that sends each call once, or twice if a new log-in may help after a 401. Opens no connection
 * before the first call. A call throws PlatformError: `not-sent` if it waited too long for a slot or 500 calls wait
 * already, otherwise by what may have happened on the platform.
 */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { clock, logIn, maxConcurrency } = options;
  const exchange = createExchange(options.url, options.timeoutSeconds);
  const slots = new PQueue({ concurrency: maxConcurrency });
  const backgroundSlots = new PQueue({ concurrency: Math.max(1, maxConcurrency - 2) });

  async function send(call: PlatformCall): Promise<PlatformResponse> {
    if (call.startBefore !== undefined && clock.now() >= call.startBefore) {
      throw new PlatformError({
        outcome: "not-sent",
        isTimeout: true,
        message: `${nameOf(call)}: no time left to send it`,
      });
    }
    const authorization = await logIn.authorization();
    const first = await exchange(call, authorization);
    const isRetried = first.status === 401 && logIn.isRenewable(authorization);
    const response = isRetried ? await exchange(call, await logIn.authorization()) : first;
    if (response.status >= 200 && response.status < 300) return { body: response.data };
    throw responseFailure(call, response);
  }

  async function call(request: PlatformCall): Promise<PlatformResponse> {
    if (slots.size >= maxWaitingCalls) {
      throw new PlatformError({ outcome: "not-sent", message: `${nameOf(request)}: too many waiting calls` });
    }
    const startBefore = request.startBefore ?? clock.now() + maxWaitSeconds * 1000;
    return slots.add(async () => send({ ...request, startBefore }), { priority: 1 });
  }

  async function callInBackground(request: PlatformCall): Promise<PlatformResponse> {
    return backgroundSlots.add(async () => slots.add(async () => send(request), { priority: 0 }));
  }

  return { call, background: { call: callInBackground } };
}
