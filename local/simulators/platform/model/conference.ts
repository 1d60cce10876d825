/** A conference as the simulator stores it and as the platform returns it. */
import type * as z from "zod";
import { type Aliases, embeddedAlias } from "./aliases.ts";
import type { conferenceSchema } from "./conference-fields.ts";
import { idOfUri, resourceUri } from "./resource-uri.ts";
import type { SimpleTables } from "./simple-tables.ts";

export type ConferenceFields = z.output<typeof conferenceSchema>;

export interface Conference extends ConferenceFields {
  readonly id: number;
  readonly creation_time: string;
  /** When replication of the last change started, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** Returns the read shape: relations written as paths become embedded objects; PINs are in plain text. */
export function showConference(room: Conference, aliases: Aliases, simple: SimpleTables): object {
  const { changedAt: _, ...fields } = room;
  return {
    ...fields,
    resource_uri: resourceUri("conference", room.id),
    aliases: aliases.ofConference(room.id).map(embeddedAlias),
    automatic_participants: room.automatic_participants.flatMap((uri) => embeddedParticipant(uri, simple)),
    ivr_theme: embeddedTheme(room.ivr_theme, simple),
    scheduled_conferences_count: room.scheduled_conferences.length,
  };
}

function embeddedTheme(uri: string | null, simple: SimpleTables): object | null {
  const theme = uri === null ? undefined : simple.ivr_theme.get(idOfUri(uri));
  return theme ? { ...theme, resource_uri: uri } : null;
}

function embeddedParticipant(uri: string, simple: SimpleTables): object[] {
  const participant = simple.automatic_participant.get(idOfUri(uri));
  if (!participant) return [];
  const { system_location: _, ...shown } = participant;
  return [shown];
}
