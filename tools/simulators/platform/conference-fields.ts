/** The fields of a conference: types, limits, choices, defaults and PIN rules. */
import * as z from "zod";
import type { FieldErrors } from "./api-error.ts";

export const text = (max: number) => z.string().max(max);
const whole = (min: number, max: number) => z.int().min(min).max(max).nullable().default(null);
const flag = (initial: boolean) => z.boolean().default(initial);
const pin = text(20)
  .regex(/^([0-9]+#?)?$/)
  .default("");

/** A reference to one object, as its path. */
const relation = (resource: string) => z.string().nullable().default(null).meta({ resource });

export const conferenceSchema = z.object({
  name: text(250).min(1),
  description: text(250).default(""),
  service_type: z
    .enum(["conference", "lecture", "two_stage_dialing", "test_call", "media_playback"])
    .default("conference"),
  tag: text(250).default(""),
  pin,
  guest_pin: pin,
  allow_guests: flag(false),
  /** Resolved when the rest of the room is stored. */
  automatic_participants: z.unknown().default([]),
  ivr_theme: relation("ivr_theme"),
  gms_access_token: relation("gms_access_token"),
  mssip_proxy: relation("mssip_proxy"),
  teams_proxy: relation("teams_proxy"),
  system_location: relation("system_location"),
  media_playlist: relation("media_library_playlist"),
  host_identity_provider_group: relation("identity_provider_group"),
  guest_identity_provider_group: relation("identity_provider_group"),
  participant_limit: whole(0, 1_000_000),
  max_callrate_in: whole(128, 8192),
  max_callrate_out: whole(128, 8192),
  max_pixels_per_second: z.enum(["sd", "hd", "fullhd"]).nullable().default(null),
  call_type: z.enum(["audio", "video", "video-only"]).default("video"),
  crypto_mode: z.enum(["", "besteffort", "on", "off"]).nullable().default(""),
  enable_chat: z.enum(["default", "yes", "no"]).default("default"),
  live_captions_enabled: z.enum(["default", "yes", "no"]).default("default"),
  direct_media: z.enum(["never", "best_effort", "always"]).default("never"),
  direct_media_notification_duration: z.int().min(0).max(30).default(0),
  guests_can_see_guests: z.enum(["no_hosts", "never", "always"]).default("no_hosts"),
  non_idp_participants: z.enum(["disallow_all", "allow_if_trusted"]).default("disallow_all"),
  two_stage_dial_type: z.enum(["regular", "mssip", "gms", "teams"]).default("regular"),
  guests_can_present: flag(true),
  mute_all_guests: flag(false),
  force_presenter_into_main: flag(false),
  enable_overlay_text: flag(false),
  enable_active_speaker_indication: flag(false),
  breakout_rooms: flag(false),
  denoise_enabled: flag(false),
  softmute_enabled: flag(false),
  host_view: text(250).nullable().default("one_main_seven_pips"),
  guest_view: text(250).nullable().default(null),
  match_string: text(250).default(""),
  replace_string: text(250).default(""),
  post_match_string: text(250).default(""),
  post_replace_string: text(250).default(""),
  on_completion: z.string().nullable().default(""),
  pinning_config: z.string().nullable().default(null),
  primary_owner_email_address: text(100).default(""),
  sync_tag: text(250).default(""),
  scheduled_conferences: z.array(z.string()).default([]),
  creation_time: z.string().optional(),
});

/** The fields that refer to one object, with its kind. */
export const relations = Object.entries(conferenceSchema.shape).flatMap(([field, schema]) => {
  const resource = schema.meta()?.["resource"];
  return typeof resource === "string" ? [{ field, resource }] : [];
});

export type ConferenceFields = z.output<typeof conferenceSchema>;

/** Returns the broken rules, or an empty object if the PINs are valid. The empty string means no PIN. */
export function checkPins({ pin, guest_pin: guestPin, allow_guests: allowsGuests }: ConferenceFields) {
  const errors: FieldErrors = {};
  for (const [field, text] of Object.entries({ pin, guest_pin: guestPin }))
    if (text !== "" && text.length < 6) errors[field] = ["Ensure this value has at least 6 characters."];
  const across = faultAcrossPins(pin, guestPin, allowsGuests);
  if (across !== undefined) errors["__all__"] = [across];
  return errors;
}

function faultAcrossPins(pin: string, guestPin: string, allowsGuests: boolean): string | undefined {
  if (allowsGuests && pin === "") return "A host PIN is required when guests are allowed.";
  if (guestPin === "") return undefined;
  if (!allowsGuests) return "A guest PIN cannot be set unless guests are allowed.";
  if (pin === guestPin) return "The host PIN and the guest PIN must be different.";
  if (pin.length === guestPin.length || (pin.endsWith("#") && guestPin.endsWith("#"))) return undefined;
  return "The host PIN and the guest PIN must have the same length, or both must end in #.";
}

/** Returns UTC without a zone and with microseconds, `2026-04-01T15:58:06.714000`; a whole second has no fraction. */
export function naiveTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.000Z$|Z$/, (end) => (end === "Z" ? "000" : ""));
}

/** Returns the path of an object, as the platform writes it. */
export function resourceUri(resource: string, id: number | string, family = "configuration"): string {
  return `/api/admin/${family}/v1/${resource}/${id}/`;
}
