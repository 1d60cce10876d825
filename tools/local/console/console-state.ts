/** What the console shows: the data that its server sends and its page draws. */
import type { AppState } from "../../simulators/host/messages.ts";

/** The states of a room's life, in their order. */
export const roomStates = ["provisioning", "pooled", "assigned", "live", "ended", "deleting"] as const;
export type RoomState = (typeof roomStates)[number];

/** The states as the console names them. */
export const stateTitles: Readonly<Record<RoomState | "gone", string>> = {
  provisioning: "Being provisioned",
  pooled: "Pooled",
  assigned: "Assigned",
  live: "Live",
  ended: "Waiting for deletion",
  deleting: "Due for deletion",
  gone: "Deleted",
};

export interface RoomRow {
  readonly name: string;
  readonly state: RoomState;
  /** Milliseconds since 1970, when the room entered its state. */
  readonly since: number;
  readonly hasTag: boolean;
  readonly nodes: readonly string[];
  readonly participants: readonly { readonly name: string; readonly node: string }[];
}

/** One point of the charts. */
export interface HistoryPoint {
  readonly time: number;
  /** Whether the gateway or the platform was down. */
  readonly isOutage: boolean;
  readonly counts: Readonly<Record<RoomState, number>>;
}

/** What differs from normal in the parts that the gateway calls. */
export interface Surroundings {
  readonly platformDown: string | null;
  readonly storageIsDown: boolean;
  /** The calls of the platform that fail, each in words. */
  readonly platformFaults: readonly string[];
  readonly platformLatencyMilliseconds: number;
  readonly alarms: readonly string[];
  readonly eventsWaiting: number;
  readonly issuerIsDown: boolean;
  readonly contactCentreFaults: number;
}

/** Everything at one moment. */
export interface Snapshot extends HistoryPoint {
  readonly poolTarget: number;
  /** The number of requests for rooms that the host has given up. */
  readonly givenUp: number;
  readonly rooms: readonly RoomRow[];
  readonly gateway: AppState;
  readonly surroundings: Surroundings;
}

/** Returns a name from a URL, or the text as it is if its percent-encoding is not valid. */
export function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** One line that the app logged. */
export interface LoggedLine {
  readonly time: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Something that happened: a function's run, an outage or its end, or a change in a room. */
export interface TimelineEntry {
  readonly id: string;
  readonly time: number;
  readonly kind: "request" | "event" | "timer" | "queue" | "outage" | "room";
  readonly tone: "good" | "warning" | "bad";
  /** A request's method and path, otherwise the function's name or what has happened. */
  readonly title: string;
  readonly status?: number;
  readonly durationMilliseconds?: number;
  readonly correlationId?: string;
  /** What was done, one phrase per step. */
  readonly steps: readonly string[];
  readonly rooms: readonly string[];
  /** The state that rooms entered. */
  readonly states?: Readonly<Record<string, RoomState | "gone">>;
  /** Why a request failed. */
  readonly cause?: string;
}

const maxEntries = 3000;

/** Returns the entries with a new one, or a changed one of the same ID, at their end. The oldest ones beyond a limit go. */
export function withNewest(entries: readonly TimelineEntry[], entry: TimelineEntry): TimelineEntry[] {
  return [...entries.filter(({ id }) => id !== entry.id), entry].slice(-maxEntries);
}

/** The URLs that actions call, and the made-up credentials for them. */
export interface Addresses {
  readonly gateway: string;
  readonly platformControl: string;
  readonly token: string;
  readonly contactCentre: string;
  /** The line of a shell that gets a consumer's token. */
  readonly tokenLine: string;
  readonly agentToken: string;
}

/** The response to an action, with secrets left out. */
export interface ActionResult {
  readonly status: number | null;
  readonly text: string;
  readonly room?: string;
}

/** The first message of the stream. */
export interface Greeting {
  readonly addresses: Addresses;
  /** After how many seconds a new room can be handed out. */
  readonly pooledAfterSeconds: number;
  /** After how many seconds an ended room may be deleted. */
  readonly deletedAfterSeconds: number;
  readonly history: readonly HistoryPoint[];
  readonly entries: readonly TimelineEntry[];
}
