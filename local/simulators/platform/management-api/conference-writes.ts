/** Create, update and delete of conferences, with the platform's rules and refusals. */
import type * as z from "zod";
import { badRequest, type FieldErrors, invalid, notFound } from "../model/api-error.ts";
import { naiveTimestamp } from "../model/clock.ts";
import type { Conference, ConferenceFields } from "../model/conference.ts";
import { conferenceSchema } from "../model/conference-fields.ts";
import { idOfUri } from "../model/resource-uri.ts";
import type { PlatformState } from "../platform-state.ts";
import { attachAliases, dropOtherAliases, parseNestedAliases, refuseTakenAliases } from "./nested-aliases.ts";
import { checkPins } from "./pin-rules.ts";

/** Stores a new room and returns its id. Throws 400 for invalid data, a taken name or alias, or a full licence. */
export function createConference(state: PlatformState, body: Record<string, unknown>): number {
  const { aliases, behaviours, clock, conferences } = state;
  const fields = readFields(state, body);
  if (!("host_view" in body) && !isMeetingRoom(fields)) fields.host_view = null;
  refuseBeyondLicence(state, fields);
  const nested = parseNestedAliases(body["aliases"], aliases);
  if (behaviours.createAliasConflict === "refuse") refuseTakenAliases(nested, undefined, aliases);
  const creation_time = fields.creation_time ?? naiveTimestamp(clock.now());
  const { id } = conferences.put({
    ...fields,
    creation_time,
    id: conferences.nextId(),
    changedAt: clock.now(),
  });
  if (behaviours.createAliasConflict === "parent_stays") refuseTakenAliases(nested, id, aliases);
  attachAliases(nested, id, aliases);
  return id;
}

/** Updates a room: merges (PATCH) or starts from the defaults (PUT), then validates the whole object. */
export function updateConference(
  state: PlatformState,
  id: string,
  body: Record<string, unknown>,
  partial: boolean,
): void {
  const { aliases, behaviours, clock, conferences } = state;
  const room = findConference(state, id);
  const fields = readFields(state, partial ? { ...room, ...body } : body, room);
  conferences.put({
    ...fields,
    id: room.id,
    creation_time: fields.creation_time ?? room.creation_time,
    changedAt: clock.now(),
  });
  if (body["aliases"] === undefined || body["aliases"] === null) return;
  state.requestLog.countNestedAliasUpdate();
  const nested = parseNestedAliases(body["aliases"], aliases);
  if (behaviours.updateAliases === "replace") dropOtherAliases(nested, room.id, aliases);
  attachAliases(nested, room.id, aliases);
}

/** Deletes a room with its aliases; a running meeting continues. Throws 404 if there is none. */
export function removeConference(state: PlatformState, id: string): void {
  const room = findConference(state, id);
  state.aliases.removeOfConference(room.id);
  state.conferences.remove(room.id);
  state.recordDeletion(room.name);
}

/** Removes a deleted automatic participant from every room that dials it. */
export function unlinkParticipant({ conferences }: PlatformState, uri: string): void {
  for (const room of conferences.all()) {
    if (!room.automatic_participants.includes(uri)) continue;
    const automatic_participants = room.automatic_participants.filter((linked) => linked !== uri);
    conferences.put({ ...room, automatic_participants });
  }
}

export function findConference(state: PlatformState, id: string): Conference {
  const room = state.conferences.get(Number(id));
  if (!room) throw notFound();
  return room;
}

function readFields(
  state: PlatformState,
  input: Record<string, unknown>,
  current?: Conference,
): ConferenceFields {
  if (input["id"] !== undefined && input["id"] !== current?.id) {
    throw badRequest("The simulator refuses a written id: the platform would copy or overwrite a room.");
  }
  const parsed = conferenceSchema.safeParse(input);
  if (!parsed.success) throw invalid("conference", fieldErrors(parsed.error));
  const fields = parsed.data;
  refuseUnknownRelations(state, fields);
  const errors = checkPins(fields, state.behaviours.minPinLength);
  const namesake = state.conferences.findByKey(fields.name);
  if (namesake && namesake.id !== current?.id) {
    errors["name"] = ["Virtual Meeting Room with this Name already exists."];
  }
  if (Object.keys(errors).length > 0) throw invalid("conference", errors);
  return fields;
}

function fieldErrors(error: z.ZodError): FieldErrors {
  const errors: FieldErrors = {};
  for (const { path, message } of error.issues) (errors[String(path[0])] ??= []).push(message);
  return errors;
}

function refuseUnknownRelations({ simple }: PlatformState, fields: ConferenceFields): void {
  const { ivr_theme: theme, system_location: location, automatic_participants: participants } = fields;
  const missing =
    (theme !== null && !simple.ivr_theme.get(idOfUri(theme)) && theme) ||
    (location !== null && !simple.system_location.get(idOfUri(location)) && location) ||
    participants.find((uri) => !simple.automatic_participant.get(idOfUri(uri)));
  if (missing) throw badRequest(`Could not find the provided object via resource URI '${missing}'.`);
}

function refuseBeyondLicence({ behaviours, conferences }: PlatformState, fields: ConferenceFields): void {
  const { roomLimit } = behaviours;
  if (roomLimit === null || !isMeetingRoom(fields)) return;
  if ([...conferences.all()].filter(isMeetingRoom).length < roomLimit) return;
  const text = `Failed to add the new service. The maximum number of Virtual Meeting Rooms (${roomLimit}) has been reached.`;
  throw invalid("conference", { __all__: [text] });
}

function isMeetingRoom({ service_type: serviceType }: ConferenceFields): boolean {
  return serviceType === "conference" || serviceType === "lecture";
}
