/** One invocation of a function: its process, its faults, and what it has done so far. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { RandomSource } from "../../src/lib/ports.ts";
import type { Fault } from "./faults.ts";

/** A process that runs invocations. After its death none of them receives a response. */
export interface SimulatedProcess {
  readonly index: number;
  isAlive: boolean;
  /** Scheduler milliseconds: no response arrives before this time. */
  frozenUntil: number;
  readonly kill: () => void;
}

interface DeletionMessage {
  readonly insertedAt: number;
  readonly claimId: string | undefined;
}

export interface Task {
  readonly id: number;
  readonly functionName: string;
  /** Scheduler milliseconds. */
  readonly startedAt: number;
  readonly process: SimulatedProcess;
  readonly random: RandomSource;
  /** Faults by the number of the port call within this invocation. */
  readonly faults: ReadonlyMap<number, Fault>;
  calls: number;
  readonly faultsMet: Fault[];
  /** The deletion messages received for each room, with the clock milliseconds at which they were inserted. */
  readonly deletionMessages: Map<string, readonly DeletionMessage[]>;
  /** When each room was last looked up by its name. */
  readonly lookUps: Map<string, number>;
  /** When the status API was last queried for each room, or how that failed. */
  readonly liveChecks: Map<string, number | "refused" | "unavailable">;
  /** When its first list of all conferences was requested. */
  firstListAt: number;
}

/** The invocation whose code is running. */
export const currentTask = new AsyncLocalStorage<Task>();

/** Returns the invocation whose code is running. Throws an error outside of an invocation. */
export function requireTask(): Task {
  const task = currentTask.getStore();
  if (!task) throw new Error("a port was called outside of an invocation");
  return task;
}
