/** The schemas of rooms: what responses contain and requests may contain. The API document publishes them. */
import * as z from "zod";
import { laxBoolean, laxInteger } from "../http/validation.ts";

const text = z.string().nullish();
const flag = laxBoolean.nullish();
const integer = laxInteger.nullish();
const dateTime = z
  .string()
  .refine((value) => !Number.isNaN(Date.parse(value)), "must be a date and time in ISO 8601")
  .meta({ description: "ISO 8601 without a time zone, in UTC" })
  .nullish();
const objects = z
  .preprocess(
    (value, context) => toObjectList(limitEntries(value, context)),
    z.array(z.record(z.string(), z.unknown())),
  )
  .nullish();

/** Returns each URI as an object with that URI, and a bare URI as a list, as the room template writes relations. */
function toObjectList(value: unknown): unknown {
  const entries: unknown = typeof value === "string" ? [value] : value;
  if (!Array.isArray(entries)) return value;
  return entries.map((entry: unknown) => (typeof entry === "string" ? { resource_uri: entry } : entry));
}

// Far more than a room has. To check every entry of a body of 1 MiB would hold up other requests.
const maxEntries = 1000;

/** Returns the value. Reports a list that is too long, whose entries are then not checked. */
function limitEntries(value: unknown, context: z.RefinementCtx): unknown {
  if (Array.isArray(value) && value.length > maxEntries)
    context.addIssue(`a list must have at most ${maxEntries} entries`);
  return value;
}

/** An alias of a room (specification 2.1). */
const Alias = z
  .looseObject({ id: integer, alias: text, conference: text, creation_time: dateTime, description: text })
  .meta({ id: "Alias", description: "A name that can be dialled to join a room" });

/** A PATCH body: every field of the full shape (specification 2.3). `toUpdateFields` rejects unknown fields. */
export const Conference = z.looseObject({
  aliases: z.preprocess(limitEntries, z.array(Alias)).nullish(),
  allow_guests: flag,
  automatic_participants: objects,
  breakout_rooms: flag,
  call_type: text,
  creation_time: dateTime,
  crypto_mode: text,
  denoise_enabled: flag,
  description: text,
  direct_media: text,
  direct_media_notification_duration: integer,
  enable_active_speaker_indication: flag,
  enable_chat: text,
  enable_overlay_text: flag,
  force_presenter_into_main: flag,
  gms_access_token: objects,
  guest_identity_provider_group: objects,
  guest_pin: text,
  guest_view: text,
  guests_can_present: flag,
  host_identity_provider_group: objects,
  host_view: text,
  id: integer,
  ivr_theme: objects,
  live_captions_enabled: text,
  match_string: text,
  max_callrate_in: integer,
  max_callrate_out: integer,
  max_pixels_per_second: text,
  media_playlist: objects,
  mssip_proxy: objects,
  mute_all_guests: flag,
  name: text,
  non_idp_participants: text,
  on_completion: text,
  participant_limit: integer,
  pin: text,
  post_match_string: text,
  post_replace_string: text,
  primary_owner_email_address: text,
  replace_string: text,
  resource_uri: text,
  scheduled_conferences: objects,
  scheduled_conferences_count: integer,
  service_type: text,
  softmute_enabled: flag,
  sync_tag: text,
  system_location: objects,
});

export type Conference = z.output<typeof Conference>;

const tag = text.meta({ description: "The service tag: the URL of the verification session" });

/** The PATCH body that the API document publishes: without the fields that cannot be changed. */
export const ConferenceUpdate = Conference.omit({
  aliases: true,
  creation_time: true,
  id: true,
  name: true,
  resource_uri: true,
  scheduled_conferences_count: true,
})
  .extend({ tag })
  .meta({
    id: "ConferenceUpdate",
    description:
      "The fields of a room to change. Fields of the full shape that are not listed here are passed to the platform " +
      "unchanged; other fields are rejected.",
  });

const readOnly = { readOnly: true };

/**
 * The full shape in responses. Its `resource_uri`, which the platform always sends, tells it from the constrained
 * shape.
 */
const FullConference = Conference.extend({
  aliases: z.array(Alias).nullish().meta(readOnly),
  creation_time: dateTime.meta(readOnly),
  id: z.int().meta(readOnly),
  name: z.string().meta(readOnly),
  resource_uri: z.string().meta({ ...readOnly, description: "Only the full shape has this field." }),
  scheduled_conferences_count: integer.meta(readOnly),
  tag,
});

/** What the response of a create has in common with the constrained shapes. */
export const GuestFields = z.object({
  id: z.int(),
  name: z.string().meta({ description: "The room's name, which is also its alias" }),
  service_type: z.string().meta({ description: "`conference` for rooms" }),
  allow_guests: z.boolean(),
  guest_pin: z.string().meta({ description: "The guest PIN" }),
  tag: z
    .string()
    .meta({ description: "The service tag: the URL of the verification session, or an empty string." }),
});

const CreatedAlias = z
  .object({ alias: z.string() })
  .meta({ id: "CreatedAlias", description: "The alias of a created room" });

/** The response of a create (specification 2.2): no host PIN, and each alias carries only its name. */
export const CreatedRoom = GuestFields.extend({ aliases: z.array(CreatedAlias) }).meta({
  id: "CreatedRoom",
  description: "A room allocated from the pool",
});

/** Both shapes as one object, because generated clients cannot read a union. */
export const Room = FullConference.partial({ resource_uri: true }).meta({
  id: "Room",
  description:
    "A room. The constrained shape has only what is needed to join; the full shape has every field that the platform " +
    "stores. Only private operations show the host PIN.",
});

export const RoomList = z.array(Room).meta({ id: "RoomList", description: "Rooms and other services" });

export const ShapeQuery = z.object({
  constrained_attributes: laxBoolean.default(true).meta({
    description:
      "If true, the response has the constrained shape, with only the fields needed to join; if false, the full shape.",
    example: true,
  }),
});
