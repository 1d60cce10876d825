/** The state of the simulated platform, with or without sockets. */
import { createFaults } from "../faults.ts";
import { createConferences } from "./conferences.ts";
import { createEventSink } from "./event-sink.ts";
import { createAlarms, createLiveConferences, type EmitEvent } from "./live.ts";
import { type Behaviours, createRateLimit, createRequestLog, defaultBehaviours } from "./switches.ts";

export interface SimulatorOptions {
  readonly username: string;
  readonly password: string;
  /** Clients that may get bearer tokens, with their public ES256 key. */
  readonly oauthClients?: { readonly clientId: string; readonly publicKeyPem: string }[];
  readonly requestLimitPerMinute?: number | null;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export type PlatformState = ReturnType<typeof createPlatformState>;

/** Creates an empty platform. */
export function createPlatformState({ now = Date.now, requestLimitPerMinute }: SimulatorOptions) {
  const initial: Behaviours = {
    ...defaultBehaviours,
    ...(requestLimitPerMinute !== undefined && { requestLimitPerMinute }),
  };
  // Changed in place by the control API.
  const behaviours = { ...initial };
  const alarms = createAlarms(now);
  const sink = createEventSink(now);
  const listeners = new Set<EmitEvent>();
  const emit: EmitEvent = (...event) => {
    sink.emit(...event);
    for (const listener of listeners) listener(...event);
  };
  const parts = {
    behaviours,
    conferences: createConferences(behaviours, now),
    live: createLiveConferences(now, emit),
    alarms,
    sink,
    faults: createFaults(),
    requestLog: createRequestLog(),
    rateLimit: createRateLimit(now),
  };
  const state = {
    ...parts,
    latencyMilliseconds: 0,
    listeners,
    reset: (): void => {
      const { conferences, live, faults, requestLog, rateLimit } = parts;
      for (const part of [conferences, live, alarms, sink, faults, requestLog, rateLimit]) part.clear();
      state.latencyMilliseconds = 0;
      Object.assign(behaviours, initial);
    },
  };
  return state;
}
