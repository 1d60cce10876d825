/** Faults on demand: what a simulator sends instead of its response, or loses after its work. */
import * as z from "zod";
import type { Answer, Reply } from "./loopback-server.ts";

const faultSchema = z.strictObject({
  method: z.string().toUpperCase().optional(),
  /** A regular expression for path and query. */
  pathPattern: z.string().optional(),
  kind: z.enum(["status", "reset", "timeout"]).default("status"),
  status: z.int().min(200).max(599).default(500),
  body: z.unknown().optional(),
  retryAfterSeconds: z.int().min(0).optional(),
  /** Whether the fault replaces the call or only its response. */
  when: z.enum(["before", "after"]).default("before"),
  /** The number of calls to fail. The default is all matching calls until the faults are cleared. */
  count: z.int().min(1).optional(),
});

export type Fault = z.output<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;

/** Starts without faults. */
export function createFaults() {
  const faults = new Set<Fault>();
  return {
    /** Throws a ZodError for a fault that is not valid. */
    add: (fault: FaultInput): void => void faults.add(faultSchema.parse(fault)),
    clear: (): void => faults.clear(),
    all: (): readonly Fault[] => [...faults],
    /** Returns the first fault for this call and counts it down; undefined if there is none. */
    take: (method: string, target: string): Fault | undefined => {
      const fault = [...faults].find(
        (one) => (one.method ?? method) === method && new RegExp(one.pathPattern ?? "", "u").test(target),
      );
      if (fault?.count !== undefined && --fault.count === 0) faults.delete(fault);
      return fault;
    },
  };
}

/** Returns the response that a fault causes. */
export function faultAnswer({ kind, status, body, retryAfterSeconds }: Fault): Answer {
  if (kind === "reset") return "reset";
  if (kind === "timeout") return "silence";
  const canned =
    status === 500 ? { error_message: "The request could not be processed, please try again." } : undefined;
  const headers: Reply["headers"] =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return { status, headers, body: body ?? canned };
}
