/** The text of a pool or deletion message: a room's plain name, or JSON if there is more to say about it. */
import * as z from "zod";

export interface QueuedName {
  readonly room: string;
  /** Set on the deletion queue if the gateway queued the name for a room of its pool, and not because of an event. */
  readonly queuedBy?: "gateway" | undefined;
  /** Set in the pool: how many times the platform has refused to assign this room. */
  readonly refusals?: number | undefined;
}

const schema = z.object({
  room: z.string(),
  queuedBy: z.literal("gateway").optional(),
  refusals: z.int().min(0).optional(),
});

/** Returns the message text. A plain name that looks like JSON is written as JSON, so no event can imitate the gateway. */
export function encodeQueuedName({ room, queuedBy, refusals }: QueuedName): string {
  const isPlain = queuedBy === undefined && refusals === undefined && !room.startsWith("{");
  return isPlain ? room : JSON.stringify({ room, queuedBy, refusals });
}

/** Returns what the text says; a text that is not the gateway's own JSON is a plain name. */
export function decodeQueuedName(text: string): QueuedName {
  if (!text.startsWith("{")) return { room: text };
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return { room: text };
  }
}
