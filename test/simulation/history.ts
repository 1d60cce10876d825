/** A history: steps from outside the gateway, and the faults that the resulting invocations meet. */
import type { Fault } from "./faults.ts";

/** The room that a command is about: the n-th of its kind, counted from the newest. `unknown` is a name without a room. */
export interface Target {
  readonly of: "handed-out" | "pooled" | "persistent" | "foreign" | "plain" | "unknown";
  readonly index: number;
}

export type Command =
  | {
      readonly kind: "create";
      readonly isLegacy: boolean;
      readonly hasTag: boolean;
      /** Sends an idempotency key, and the request again with the same key after each of these delays. */
      readonly repeatAfterSeconds?: readonly number[] | undefined;
    }
  | { readonly kind: "update"; readonly target: Target; readonly field: "description" | "tag" | "name" }
  | { readonly kind: "delete"; readonly target: Target }
  | {
      readonly kind: "event";
      readonly targets: readonly Target[];
      readonly copies: number;
      readonly delaySeconds: number;
    }
  | { readonly kind: "conference-start" | "conference-end"; readonly target: Target }
  | { readonly kind: "garbage" | "metrics" | "bulk-delete" }
  | { readonly kind: "bulk-create"; readonly level: number | undefined }
  | { readonly kind: "direct"; readonly change: "remove" | "describe" | "retag"; readonly target: Target }
  | { readonly kind: "add"; readonly of: "persistent" | "foreign" | "plain" }
  | { readonly kind: "crash" }
  | {
      readonly kind: "outage";
      readonly on: "platform" | "storage";
      readonly fault: Fault;
      readonly seconds: number;
    };

export interface FaultAt {
  /** The number of the port call within the invocation. */
  readonly call: number;
  readonly fault: Fault;
  /** The number of consecutive calls, starting with this one. */
  readonly times: number;
}

export interface Step {
  readonly command: Command;
  /** The pause before the next step. */
  readonly pauseMilliseconds: number;
  /** The process that receives the step. */
  readonly process: 0 | 1;
  readonly faults: readonly FaultAt[];
  /** Determines the delays in this invocation. */
  readonly seed: number;
}

export interface History {
  readonly steps: readonly Step[];
  /** Faults in provisioning runs, by the number of the run. */
  readonly provisioningFaults: readonly (FaultAt & { readonly run: number })[];
  /** By how much the clock of the first process is fast; by none if missing. */
  readonly skewMilliseconds?: number;
  readonly seed: number;
}

/** Whether a history contains no fault, outage or crash. */
export function isWithoutFaults({ steps, provisioningFaults }: History): boolean {
  return (
    provisioningFaults.length === 0 &&
    steps.every(
      ({ command, faults }) => faults.length === 0 && command.kind !== "outage" && command.kind !== "crash",
    )
  );
}
