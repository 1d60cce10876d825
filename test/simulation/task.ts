/** One invocation of a function: who runs it, what goes wrong in it, and what it has seen so far. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { RandomSource } from "../../src/lib/random.ts";
import type { Fault } from "./faults.ts";

/** A process that runs invocations; when it dies, none of their answers arrives any more. */
export interface SimulatedProcess {
  isAlive: boolean;
  /** Scheduler milliseconds; nothing arrives before. */
  frozenUntil: number;
  readonly kill: () => void;
}

export interface Task {
  readonly id: number;
  readonly functionName: string;
  /** Scheduler milliseconds. */
  readonly startedAt: number;
  readonly process: SimulatedProcess;
  readonly random: RandomSource;
  /** By the number of the port call within this invocation. */
  readonly faults: ReadonlyMap<number, Fault>;
  calls: number;
  readonly faultsMet: Fault[];
  /** When the youngest received deletion message of a room was inserted (scheduler milliseconds), by name. */
  readonly deletionInsertedAt: Map<string, number>;
  /** When the status API was asked about a room, or `failed`. */
  readonly liveChecks: Map<string, number | "failed">;
  /** Names that this invocation put on the deletion queue. */
  readonly queuedForDeletion: Set<string>;
  /** When its last list of all conferences began. */
  lastListAt: number;
}

/** The invocation whose code is running. */
export const currentTask = new AsyncLocalStorage<Task>();

/** The invocation whose code is running; throws outside of one. */
export function requireTask(): Task {
  const task = currentTask.getStore();
  if (!task) throw new Error("a port was called outside of an invocation");
  return task;
}
