/** What the page shows of the state that its server has sent, and of the responses to actions. */
import {
  type HistoryPoint,
  type RoomRow,
  type RoomState,
  roomStates,
  type TimelineEntry,
} from "./console-state.ts";

const maxEntries = 150;
const maxLevels = 4;
const freeStates: readonly RoomState[] = ["provisioning", "pooled"];
const stateOrder: readonly RoomState[] = ["live", "assigned", "ended", "deleting", "provisioning", "pooled"];

/** Returns the rooms in use first, and of each state the youngest first. */
export function inOrder(rooms: readonly RoomRow[]): RoomRow[] {
  return rooms.toSorted(
    (one, other) =>
      stateOrder.indexOf(one.state) - stateOrder.indexOf(other.state) || other.since - one.since,
  );
}

/** Returns the rooms that actions can be about, and the name of the chosen one: by default, of the first. */
export function usableRooms(rooms: readonly RoomRow[], room: string) {
  const usable = inOrder(rooms).filter(({ name, state }) => !freeStates.includes(state) || name === room);
  return { usable, chosen: (usable.find(({ name }) => name === room) ?? usable[0])?.name ?? "" };
}

/** Returns the newest entries about a room or of a request, by its correlation ID; the newest first. */
export function shownEntries(entries: readonly TimelineEntry[], chosen?: string): TimelineEntry[] {
  const isShown = ({ rooms, correlationId }: TimelineEntry) =>
    chosen === undefined || rooms.includes(chosen) || correlationId === chosen;
  return entries.filter(isShown).slice(-maxEntries).toReversed();
}

/** Returns what is chosen, and if it is a request, the names of its rooms. */
export function markedRooms(entries: readonly TimelineEntry[], chosen?: string): (string | undefined)[] {
  const ofRequest = entries.filter(({ correlationId }) => correlationId === chosen && chosen !== undefined);
  return [chosen, ...ofRequest.flatMap(({ rooms }) => rooms)];
}

/** Returns how many outages began in the time that the charts show. */
export function countOutages(history: readonly HistoryPoint[]): number {
  return history.filter(({ isOutage }, index) => isOutage && !history[index - 1]?.isOutage).length;
}

/** Returns for each state how many rooms were in it or in one before it. */
export function summedCounts(history: readonly HistoryPoint[]) {
  return roomStates.map((state, index) => {
    const summed = roomStates.slice(0, index + 1);
    return { state, values: history.map(({ counts }) => summed.reduce((sum, one) => sum + counts[one], 0)) };
  });
}

/** Returns the upper end of a chart with these values, and the levels at which it has lines: multiples of five. */
export function scaleOf(values: readonly number[]) {
  const top = Math.max(5, 1.15 * Math.max(0, ...values));
  const step = 5 * Math.ceil(top / maxLevels / 5);
  return { top, levels: Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step) };
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
