/** What the page shows of the state that its server has sent, and of the responses to actions. */
import type { RoomRow, RoomState, TimelineEntry } from "./console-state.ts";

const maxEntries = 150;
const stateOrder: readonly RoomState[] = ["live", "assigned", "ended", "deleting", "provisioning", "pooled"];

/** Returns the rooms in use first, and of each state the youngest first. */
export function inOrder(rooms: readonly RoomRow[]): RoomRow[] {
  return rooms.toSorted(
    (one, other) =>
      stateOrder.indexOf(one.state) - stateOrder.indexOf(other.state) || other.since - one.since,
  );
}

/** Returns the newest entries about a room, or about all if none is chosen; the newest first. */
export function shownEntries(entries: readonly TimelineEntry[], chosen?: string): TimelineEntry[] {
  const about = entries.filter(({ rooms }) => chosen === undefined || rooms.includes(chosen));
  return about.slice(-maxEntries).toReversed();
}

/** Returns the local time of day, with seconds. */
export function timeOfDay(milliseconds: number): string {
  return new Date(milliseconds).toLocaleTimeString("en-GB");
}

interface ActionResponse {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

/** Returns what the page says about the response to an action, and the room that it has created. */
export function describeResponse(actionId: string, { status, text, retryAfter }: ActionResponse) {
  const isSuccess = status < 300;
  const content = text.startsWith("{") ? JSON.parse(text) : undefined;
  // The gateway gives the reason in `detail`, a simulator in `error`.
  const given: unknown = content?.detail ?? content?.error;
  const reason = actionId === "create" && status === 404 ? "The pool is empty." : given;
  const sentence = !isSuccess && typeof reason === "string" ? reason.replace(/[^.]$/, "$&.") : undefined;
  const shown = sentence ?? JSON.stringify(content, undefined, 2) ?? text;
  const retry = retryAfter === null ? "" : ` Retry in ${retryAfter} s.`;
  const room: string | undefined = isSuccess ? content?.name : undefined;
  return { text: shown + retry, ...(room !== undefined && { room }) };
}
