/** The fields of a conference: types, limits, choices, defaults, PIN rules and references. */
import * as z from "zod";
import { badRequest, type FieldErrors } from "./api-error.ts";

export const text = (max: number) => z.string().max(max);
const whole = (min: number, max: number) => z.int().min(min).max(max).nullable().default(null);
const flag = (initial: boolean) => z.boolean().default(initial);
const relation = (resource: string) =>
  z
    .unknown()
    .default(null)
    .transform((value) => (value === null ? null : relationUri(value, resource)));
const pin = text(20)
  .regex(/^([0-9]+#?)?$/)
  .default("");

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
  automatic_participants: z
    .array(z.unknown())
    .default([])
    .transform((values) => values.map((value) => relationUri(value, "automatic_participant"))),
  ivr_theme: relation("ivr_theme"),
  gms_access_token: relation("gms_access_token"),
  mssip_proxy: relation("mssip_proxy"),
  teams_proxy: relation("teams_proxy"),
  system_location: relation("system_location"),
  media_playlist: relation("media_playlist"),
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

/**
 * Reads a reference written as a path or a full URL (everything before the path is cut), and returns it as a path.
 * Throws 400 for anything else, and if there is no such object. The platform also reads objects with `resource_uri` or `id`, which the gateway never
 * sends.
 */
function relationUri(value: unknown, resource: string): string {
  if (typeof value !== "string") throw badRequest(`A reference to '${resource}' could not be read.`);
  const match = /\/api\/admin\/configuration\/v1\/([a-z_]+)\/(\d+)\/$/.exec(value);
  if (match?.[1] !== resource)
    throw badRequest(`An incorrect URL was provided '${value}' for '${resource}'.`);
  const uri = resourceUri(resource, Number(match[2]));
  if (Number(match[2]) !== relatedId)
    throw badRequest(`Could not find the provided object via resource URI '${uri}'.`);
  return uri;
}

const creation_time = "2026-01-01T00:00:00";

/** Of the only object of each kind to which a room can refer. */
const relatedId = 1;

/** The objects that a room shows: a theme and an automatically dialled participant. */
export const relatedObjects = {
  ivr_theme: { id: relatedId, name: "Standard", creation_time },
  automatic_participant: {
    id: relatedId,
    alias: "sip:queue@contact-centre.example.com",
    protocol: "sip",
    creation_time,
  },
};
