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

const fieldsOf = <Shape>(shape: Shape, names: readonly string[]): Record<string, Shape> =>
  Object.fromEntries(names.map((name) => [name, shape]));

/** The full shape; the platform may add fields. */
export const fullShape = z.looseObject({
  ...fieldsOf(integer, ["id", "participant_limit", "max_callrate_in", "max_callrate_out"]),
  ...fieldsOf(integer, ["direct_media_notification_duration", "scheduled_conferences_count"]),
  aliases: z.array(aliasShape).nullish(),
  ...fieldsOf(text, ["name", "description", "service_type", "resource_uri", "creation_time", "sync_tag"]),
  ...fieldsOf(text, ["pin", "guest_pin", "primary_owner_email_address", "non_idp_participants"]),
  ...fieldsOf(text, ["call_type", "crypto_mode", "direct_media", "max_pixels_per_second", "enable_chat"]),
  ...fieldsOf(text, ["host_view", "guest_view", "live_captions_enabled", "on_completion"]),
  ...fieldsOf(text, ["match_string", "replace_string", "post_match_string", "post_replace_string"]),
  ...fieldsOf(flag, ["allow_guests", "guests_can_present", "mute_all_guests", "force_presenter_into_main"]),
  ...fieldsOf(flag, ["enable_overlay_text", "enable_active_speaker_indication", "breakout_rooms"]),
  ...fieldsOf(flag, ["denoise_enabled", "softmute_enabled"]),
  ...fieldsOf(objects, ["automatic_participants", "ivr_theme", "media_playlist", "scheduled_conferences"]),
  ...fieldsOf(objects, ["host_identity_provider_group", "guest_identity_provider_group", "system_location"]),
  ...fieldsOf(objects, ["gms_access_token", "mssip_proxy"]),
});

/** A validation error: `detail` lists each location and fault. */
export const validationErrorShape = z.object({
  detail: z
    .array(z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() }))
    .min(1),
});
