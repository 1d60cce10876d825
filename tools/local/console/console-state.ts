/** What the console shows: the data that its page reads from its server, again and again, and draws. */
import type { Addresses } from "./actions.ts";

/** The states of a room's life, in their order. */
export const roomStates = ["provisioning", "pooled", "assigned", "live", "ended", "deleting"] as const;
export type RoomState = (typeof roomStates)[number];

/** The states as the console names them. */
export const stateTitles: Readonly<Record<RoomState, string>> = {
  provisioning: "Being provisioned",
  pooled: "Pooled",
  assigned: "Assigned",
  live: "Live",
  ended: "Waiting for deletion",
  deleting: "Due for deletion",
};

export interface RoomRow {
  readonly name: string;
  readonly state: RoomState;
  /** Milliseconds since 1970, when the room entered its state. */
  readonly since: number;
  readonly participants: readonly string[];
}

/** Everything at one moment. */
export interface Snapshot {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** What the gateway and each part around it does: `up` if nothing differs. */
  readonly parts: Readonly<Record<string, string>>;
  readonly rooms: readonly RoomRow[];
}

/** The run of a function. */
export interface TimelineEntry {
  readonly id: string;
  readonly time: number;
  readonly kind: "request" | "event" | "timer" | "queue";
  readonly tone: "good" | "warning" | "bad";
  /** A request's method and path, otherwise the function's name. */
  readonly title: string;
  readonly status?: number;
  readonly durationMilliseconds?: number;
  readonly correlationId?: string;
  /** What was done, one phrase per step. */
  readonly steps: readonly string[];
  readonly rooms: readonly string[];
  /** Why a request or a provisioning failed. */
  readonly cause?: string;
}

/** What the page shows. */
export interface Shown {
  readonly addresses: Addresses;
  readonly snapshot: Snapshot;
  /** The newest last. */
  readonly entries: readonly TimelineEntry[];
}
