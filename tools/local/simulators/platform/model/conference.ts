/** A conference as the simulator stores it and as the platform returns it. */
import type * as z from "zod";
import type { Aliases } from "./aliases.ts";
import type { conferenceSchema } from "./conference-fields.ts";
import { relatedObjects } from "./related-objects.ts";
import { resourceUri } from "./resource-uri.ts";

export type ConferenceFields = z.output<typeof conferenceSchema>;

export interface Conference extends ConferenceFields {
  readonly id: number;
  readonly creation_time: string;
  /** When replication of the last change started, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** Returns the read shape: relations written as paths become embedded objects; PINs are in plain text. */
export function showConference(room: Conference, aliases: Aliases): object {
  const { changedAt: _, ...fields } = room;
  const { ivr_theme: theme, automatic_participants: participants } = fields;
  return {
    ...fields,
    resource_uri: resourceUri("conference", room.id),
    aliases: aliases.ofConference(room.id),
    automatic_participants: participants.map(() => relatedObjects.automatic_participant),
    ivr_theme: theme === null ? null : { ...relatedObjects.ivr_theme, resource_uri: theme },
    scheduled_conferences_count: room.scheduled_conferences.length,
  };
}
