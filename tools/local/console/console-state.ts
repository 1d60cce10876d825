/** What the console shows: the data that its server sends and its page draws. */
import type { AppState } from "../../simulators/host/messages.ts";

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
  deleting: "Being deleted",
};

export interface RoomRow {
  readonly name: string;
  readonly state: RoomState;
  /** Milliseconds since 1970, when the room entered its state. */
  readonly since: number;
  /** When its provisioning started, known until it is handed out. */
  readonly madeAt?: number;
  /** When the room was handed out, if it has been. */
  readonly assignedAt?: number;
  readonly hasTag: boolean;
  readonly nodes: readonly string[];
  readonly participants: readonly { readonly name: string; readonly node: string }[];
}

export type QueueDepths = Readonly<Record<"pool" | "provisioning" | "deletion" | "poison", number>>;

/** One point of the charts. */
export interface HistoryPoint {
  readonly time: number;
  readonly poolLevel: number;
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
  readonly queues: QueueDepths;
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

/** Something that happened: a function's run, an outage or its end, or a room that changed. */
export interface TimelineEntry {
  readonly id: string;
  readonly time: number;
  readonly kind: "request" | "event" | "timer" | "queue" | "outage" | "state";
  readonly tone: "good" | "warning" | "bad";
  /** A request's method and path, otherwise the function's name or the new state. */
  readonly title: string;
  readonly status?: number;
  readonly durationMilliseconds?: number;
  readonly caller?: string;
  readonly correlationId?: string;
  /** What was done, one phrase per step. */
  readonly steps: readonly string[];
  readonly rooms: readonly string[];
  /** Why a request failed. */
  readonly cause?: string;
  /** For a state entry, the state that the room entered. */
  readonly state?: RoomState | "gone";
}

/** The URLs that actions call. */
export interface Addresses {
  readonly gateway: string;
  readonly platformControl: string;
  readonly token: string;
  readonly contactCentre: string;
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
  /** After how many seconds an ended room may be deleted. */
  readonly deletedAfterSeconds: number;
  readonly history: readonly HistoryPoint[];
  readonly entries: readonly TimelineEntry[];
}
