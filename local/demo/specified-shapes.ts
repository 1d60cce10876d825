/** Response shapes as the specification defines them, independent of the gateway's own schemas. */
import * as z from "zod";

/** A created room: without the host PIN, aliases with their name only. */
export const createdShape = z.strictObject({
  id: z.union([z.int(), z.string()]),
  name: z.string().min(1),
  service_type: z.literal("conference"),
  allow_guests: z.literal(true),
  guest_pin: z.string().regex(/^\d+#?$/),
  tag: z.string(),
  aliases: z.array(z.strictObject({ alias: z.string() })).length(1),
});

const text = z.string().nullish();
const integer = z.int().nullish();
const flag = z.boolean().nullish();
const objects = z.array(z.record(z.string(), z.unknown())).nullish();

const aliasShape = z.strictObject({
  id: integer,
  alias: text,
  conference: text,
  creation_time: text,
  description: text,
});

const readFields = {
  id: z.int(),
  name: z.string(),
  service_type: z.string(),
  allow_guests: z.boolean(),
  guest_pin: z.string(),
  tag: z.string(),
  aliases: z.array(aliasShape),
};

/** The constrained shape of a private read. */
export const constrainedShape = z.strictObject({ ...readFields, pin: z.string() });

/** The constrained shape of a public read: without the host PIN. */
export const publicShape = z.strictObject(readFields);

const fieldsOf = <Shape>(names: readonly string[], shape: Shape): Record<string, Shape> =>
  Object.fromEntries(names.map((name) => [name, shape]));

/** The full shape; the platform may add fields. */
export const fullShape = z.looseObject({
  aliases: z.array(aliasShape).nullish(),
  ...fieldsOf(
    [
      "allow_guests",
      "breakout_rooms",
      "denoise_enabled",
      "enable_active_speaker_indication",
      "enable_overlay_text",
      "force_presenter_into_main",
      "guests_can_present",
      "mute_all_guests",
      "softmute_enabled",
    ],
    flag,
  ),
  ...fieldsOf(
    [
      "automatic_participants",
      "gms_access_token",
      "guest_identity_provider_group",
      "host_identity_provider_group",
      "ivr_theme",
      "media_playlist",
      "mssip_proxy",
      "scheduled_conferences",
      "system_location",
    ],
    objects,
  ),
  ...fieldsOf(
    [
      "call_type",
      "creation_time",
      "crypto_mode",
      "description",
      "direct_media",
      "enable_chat",
      "guest_pin",
      "guest_view",
      "host_view",
      "live_captions_enabled",
      "match_string",
      "max_pixels_per_second",
      "name",
      "non_idp_participants",
      "on_completion",
      "pin",
      "post_match_string",
      "post_replace_string",
      "primary_owner_email_address",
      "replace_string",
      "resource_uri",
      "service_type",
      "sync_tag",
    ],
    text,
  ),
  ...fieldsOf(
    [
      "direct_media_notification_duration",
      "id",
      "max_callrate_in",
      "max_callrate_out",
      "participant_limit",
      "scheduled_conferences_count",
    ],
    integer,
  ),
});

/** A validation error: `detail` lists each location and fault. */
export const validationErrorShape = z.object({
  detail: z
    .array(z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() }))
    .min(1),
});
