/** What a history consists of: the steps of those outside, and the faults that meet what they start. */
import type { Fault } from "./faults.ts";

/** Which room a command is about: the n-th of its kind, counted from the newest; `unknown` names none. */
export interface Target {
  readonly of: "handed-out" | "pooled" | "persistent" | "foreign" | "plain" | "unknown";
  readonly index: number;
}

export type Command =
  | { readonly kind: "create"; readonly isLegacy: boolean; readonly hasTag: boolean }
  | { readonly kind: "read"; readonly target: Target; readonly isPublic: boolean; readonly isFull: boolean }
  | { readonly kind: "list"; readonly isFull: boolean }
  | { readonly kind: "update"; readonly target: Target; readonly field: "description" | "tag" | "name" }
  | { readonly kind: "delete"; readonly target: Target }
  | {
      readonly kind: "event";
      readonly targets: readonly Target[];
      readonly copies: number;
      readonly delaySeconds: number;
    }
  | { readonly kind: "odd-event"; readonly index: number }
  | { readonly kind: "meet" | "leave"; readonly target: Target }
  | { readonly kind: "garbage" | "metrics" | "bulk-delete" | "health" }
  | { readonly kind: "bulk-create"; readonly level: number | undefined }
  | { readonly kind: "direct"; readonly change: "remove" | "describe" | "retag"; readonly target: Target }
  | { readonly kind: "add"; readonly of: "persistent" | "foreign" | "plain" }
  | { readonly kind: "crash" }
  | {
      readonly kind: "storm";
      readonly on: "platform" | "storage";
      readonly fault: Fault;
      readonly seconds: number;
    };

export interface FaultAt {
  /** The number of the port call within the invocation. */
  readonly call: number;
  readonly fault: Fault;
  /** How many calls in a row, from this one on. */
  readonly times: number;
}

export interface Step {
  readonly command: Command;
  /** How long it takes until the next step starts. */
  readonly pauseMilliseconds: number;
  /** Which of the two processes does it. */
  readonly process: 0 | 1;
  readonly faults: readonly FaultAt[];
  /** Decides the delays of this invocation. */
  readonly seed: number;
}

export interface History {
  readonly steps: readonly Step[];
  /** Faults of the provisioning runs, by the number of the run. */
  readonly provisioningFaults: readonly (FaultAt & { readonly run: number })[];
  readonly seed: number;
}

/** Whether nothing goes wrong in a history by itself. */
export function isCalm({ steps, provisioningFaults }: History): boolean {
  return (
    provisioningFaults.length === 0 &&
    steps.every(
      ({ command, faults }) => faults.length === 0 && command.kind !== "storm" && command.kind !== "crash",
    )
  );
}
