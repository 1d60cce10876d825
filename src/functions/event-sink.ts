/** POST /public/event_sink: takes the platform's events, and queues rooms whose conference has ended for deletion. */
import * as z from "zod";
import { bodyFunction, empty } from "../lib/http/http-function.ts";
import { readEvents } from "../lib/platform/events.ts";
import type { EndedRooms } from "../lib/pool/ended-rooms.ts";

export const eventSink = bodyFunction({
  method: "POST",
  route: "public/event_sink",
  access: "event-sink",
  summary: "Take events of the conferencing platform",
  description: "Takes every JSON object, single events and bulk envelopes; acts on conference_ended alone.",
  body: {
    schema: z
      .record(z.string(), z.unknown())
      .meta({ id: "PlatformEvent", description: "One event of the platform, or a bulk envelope of several" }),
    maxBytes: 16 * 1024 * 1024,
    // The platform does not document the Content-Type that it sends.
    requiresJsonType: false,
  },
  answers: { 204: null },
  failures: ["storage-unavailable"],
  async handle({ body }, { endedRooms }: { endedRooms: EndedRooms }, log) {
    const { endedRooms: names, ignored, unusable } = readEvents(body);
    if (ignored.length > 0) log.info("event-ignored", { count: ignored.length, kind: ignored[0] });
    if (unusable > 0) log.warn("event-unusable", { count: unusable });
    await endedRooms.queueForDeletion(names, log);
    return empty(204);
  },
});
