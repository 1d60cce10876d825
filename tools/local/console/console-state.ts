/** What the console shows: the data that its server sends and its page draws. */

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
  readonly participants: readonly string[];
}

/** One point of the charts. */
export interface HistoryPoint {
  readonly time: number;
  /** Whether the gateway, the storage or the platform was down. */
  readonly isOutage: boolean;
  readonly counts: Readonly<Record<RoomState, number>>;
}

/** What differs from normal in the gateway and in the parts that it calls. */
export interface Troubles {
  readonly isOutage: boolean;
  /** What each part does, which is `up` if nothing differs. */
  readonly parts: Readonly<Record<string, string>>;
  /** The parts around the gateway that are down. */
  readonly down: readonly string[];
  /** A banner can have a button with an action that ends the trouble. */
  readonly banners: readonly { text: string; actionId?: string | undefined; label?: string | undefined }[];
}

/** Everything at one moment. */
export interface Snapshot extends HistoryPoint, Troubles {
  readonly poolTarget: number;
  readonly rooms: readonly RoomRow[];
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
  /** Why a request or a provisioning failed. */
  readonly cause?: string;
}

/** The URLs that actions call, and the made-up credentials for them. */
export interface Addresses {
  readonly gateway: string;
  readonly platform: string;
  readonly issuer: string;
  readonly contactCentre: string;
  /** The line of a shell that gets a consumer's token. */
  readonly tokenLine: string;
  readonly agentToken: string;
}

/** What the page shows. */
export interface Shown {
  readonly addresses?: Addresses;
  /** After how many seconds a new room can be handed out. */
  readonly pooledAfterSeconds: number;
  /** After how many seconds an ended room may be deleted. */
  readonly deletedAfterSeconds: number;
  readonly snapshot?: Snapshot;
  readonly history: readonly HistoryPoint[];
  readonly entries: readonly TimelineEntry[];
}

/** A message of the stream: first everything, and then a snapshot or an entry. */
export type Message = Partial<Shown> & { readonly entry?: TimelineEntry };

const maxPoints = 600;
const maxEntries = 3000;

/** Returns what is shown after a message. */
export function afterMessage(shown: Shown, { entry, ...others }: Message): Shown {
  const { history, entries } = shown;
  const { snapshot } = others;
  if (!snapshot) return { ...shown, entries: entry ? withNewest(entries, entry) : entries, ...others };
  const { time, isOutage, counts } = snapshot;
  return { ...shown, history: [...history, { time, isOutage, counts }].slice(-maxPoints), ...others };
}

/** Returns the entries with a new one, or a changed one of the same ID, at their end. The oldest ones beyond a limit go. */
export function withNewest(entries: readonly TimelineEntry[], entry: TimelineEntry): TimelineEntry[] {
  return [...entries.filter(({ id }) => id !== entry.id), entry].slice(-maxEntries);
}
