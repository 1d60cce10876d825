/** Faults and latency that the control API adds to the calls of the Management API. */
import * as z from "zod";
import type { Answer } from "../../loopback-server.ts";

const pattern = z.string().refine(isPattern, "not a regular expression").optional();
const selection = { method: z.string().toUpperCase().optional(), pathPattern: pattern };

export const latencySchema = z.strictObject({
  ...selection,
  milliseconds: z.number().min(0),
  jitterMilliseconds: z.number().min(0).default(0),
});

export const faultSchema = z.strictObject({
  ...selection,
  kind: z.enum(["status", "reset", "timeout", "html500"]),
  status: z.int().min(300).max(599).default(500),
  body: z.unknown().optional(),
  headers: z.record(z.string(), z.string()).default({}),
  retryAfterSeconds: z.int().min(0).optional(),
  /** Whether the fault replaces the call or only its response. */
  when: z.enum(["before", "after"]).default("before"),
  /** With `after`: the response is sent at once and the call is executed this much later. */
  commitAfterMilliseconds: z.number().min(0).optional(),
  /** The number of calls to fail; without `count` and `share`, all matching calls until cleared. */
  count: z.int().min(1).optional(),
  share: z.number().min(0).max(1).optional(),
});

type Latency = z.output<typeof latencySchema>;
export type Fault = z.output<typeof faultSchema>;

/** Starts without faults and latency. `random` returns numbers from 0 to 1 for shares and jitter. */
export function createFaults(random: () => number) {
  const faults = new Map<number, Fault>();
  let latencies: Latency[] = [];
  let lastId = 0;
  return {
    /** Adds a fault and returns its id. Methods and patterns select calls; a pattern is matched with path and query. */
    add: (fault: Fault): number => {
      lastId += 1;
      faults.set(lastId, { ...fault });
      return lastId;
    },
    clear: (id?: number) => {
      if (id === undefined) faults.clear();
      else faults.delete(id);
    },
    /** The faults and latencies in force, as the control API shows them. */
    state: () => ({
      faults: [...faults].map(([id, fault]) => ({ id, ...fault })),
      latencies: latencies.filter(({ milliseconds }) => milliseconds > 0),
    }),
    /** Returns the first fault for this call and counts it down; undefined if there is none. */
    take: (method: string, target: string): Fault | undefined => {
      for (const [id, fault] of faults) {
        if (!isSelected(fault, method, target)) continue;
        if (fault.share !== undefined && random() >= fault.share) continue;
        if (fault.count !== undefined && --fault.count === 0) faults.delete(id);
        return fault;
      }
      return undefined;
    },
    /** If several rules match a call, the latest applies. */
    setLatency: (latency: Latency) => {
      const others = latencies.filter(
        (rule) => rule.method !== latency.method || rule.pathPattern !== latency.pathPattern,
      );
      latencies = [latency, ...others];
    },
    latencyMilliseconds: (method: string, target: string): number => {
      const rule = latencies.find((candidate) => isSelected(candidate, method, target));
      return rule ? rule.milliseconds + random() * rule.jitterMilliseconds : 0;
    },
    clearLatency: () => {
      latencies = [];
    },
  };
}

/** Returns the response that a fault causes. */
export function faultAnswer({ kind, status, body, headers, retryAfterSeconds }: Fault): Answer {
  if (kind === "reset") return "reset";
  if (kind === "timeout") return "silence";
  const html = { "content-type": "text/html; charset=utf-8" };
  if (kind === "html500") return { status: 500, headers: html, body: "<h1>Server Error (500)</h1>" };
  const canned =
    status === 500 ? { error_message: "The request could not be processed, please try again." } : undefined;
  const retryAfter = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return { status, headers: { ...retryAfter, ...headers }, body: body ?? canned };
}

function isSelected(
  { method, pathPattern }: { method?: string | undefined; pathPattern?: string | undefined },
  givenMethod: string,
  target: string,
): boolean {
  if (method !== undefined && method !== givenMethod) return false;
  return pathPattern === undefined || new RegExp(pathPattern, "u").test(target);
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
