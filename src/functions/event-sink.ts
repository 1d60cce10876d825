/** POST /public/event_sink: receives platform events and queues the rooms of ended conferences for deletion. */
import * as z from "zod";
import { httpFunction } from "../lib/http/contract.ts";
import type { DeletionQueueWriter } from "../lib/ownership/deletion-queue.ts";
import { readEvents } from "../lib/platform/events.ts";

// For the API document only: a malformed event must not stop a sink.
const PlatformEventData = z.unknown().meta({
  id: "PlatformEventData",
  description: "What happened to which room; in a bulk envelope, a list of events",
  properties: { name: { type: "string", description: "The name of the room" } },
  additionalProperties: true,
});
const PlatformEvent = z.looseObject({ event: z.string(), data: PlatformEventData }).meta({
  id: "PlatformEvent",
  description: "A platform event, or a bulk envelope that contains several",
  additionalProperties: true,
});

export const eventSink = httpFunction({
  method: "POST",
  route: "public/event_sink",
  access: "event-sink",
  summary: "Receive platform events",
  description:
    "Accepts single events and bulk envelopes. Only `conference_ended` has an effect: " +
    "it queues the room for deletion.",
  body: {
    schema: z.record(z.string(), z.unknown()),
    published: PlatformEvent,
    // The platform does not document which Content-Type it sends.
    requiresJsonType: false,
  },
  responses: { 204: null },
  failures: ["storage-unavailable"],
  async handle({ body }, { deletionQueueWriter }: { deletionQueueWriter: DeletionQueueWriter }, log) {
    const { endedRoomNames, ignored, unusable } = readEvents(body);
    if (unusable > 0) log.warn("event-unusable", { count: unusable });
    await deletionQueueWriter.queueEndedRooms(endedRoomNames, log);
    // Most events are ignored. The request line counts them, because a line of their own would double the log.
    return {
      status: 204,
      ...(ignored.length > 0 && { logFields: { ignored: ignored.length, kind: ignored[0] } }),
    };
  },
});
