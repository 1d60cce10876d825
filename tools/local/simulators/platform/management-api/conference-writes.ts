/** Create, update and delete of conferences, with the platform's rules and refusals. */
import type * as z from "zod";
import { badRequest, type FieldErrors, invalid, notFound } from "../model/api-error.ts";
import { naiveTimestamp } from "../model/clock.ts";
import type { Conference, ConferenceFields } from "../model/conference.ts";
import { conferenceSchema } from "../model/conference-fields.ts";
import { isKnownObject } from "../model/related-objects.ts";
import type { PlatformState } from "../platform-state.ts";
import { parseNestedAliases, refuseTakenAliases } from "./aliases.ts";
import { checkPins } from "./pin-rules.ts";

/** Stores a new room and returns its id. Throws 400 for invalid data, a taken name or alias, or a full licence. */
export function createConference(state: PlatformState, body: Record<string, unknown>): number {
  const { aliases, clock, conferences } = state;
  const fields = readFields(state, body);
  if (!("host_view" in body) && !isMeetingRoom(fields)) fields.host_view = null;
  refuseBeyondLicence(state, fields);
  const nested = parseNestedAliases(body["aliases"]);
  refuseTakenAliases(nested, aliases);
  const { id } = conferences.put({
    ...fields,
    creation_time: fields.creation_time ?? naiveTimestamp(clock.now()),
    id: conferences.nextId(),
    changedAt: clock.now(),
  });
  for (const { alias, description } of nested) aliases.add(id, alias, description);
  return id;
}

/** Merges the body into a room, then validates the whole object. */
export function updateConference(state: PlatformState, id: string, body: Record<string, unknown>): void {
  const { clock, conferences } = state;
  const room = findConference(state, id);
  if (body["aliases"] !== undefined)
    throw badRequest(
      "The simulator refuses aliases in an update: the platform may take them from other rooms.",
    );
  const { creation_time = room.creation_time, ...fields } = readFields(state, { ...room, ...body }, room);
  conferences.put({ ...fields, id: room.id, creation_time, changedAt: clock.now() });
}

/** Deletes a room with its aliases; a running meeting continues. Throws 404 if there is none. */
export function removeConference(state: PlatformState, id: string): void {
  const room = findConference(state, id);
  state.aliases.removeOfConference(room.id);
  state.conferences.remove(room.id);
  state.recordDeletion(room.name);
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
  refuseUnknownRelations(fields);
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

function refuseUnknownRelations({
  ivr_theme,
  system_location,
  automatic_participants,
}: ConferenceFields): void {
  const missing = [ivr_theme, system_location, ...automatic_participants].find(
    (uri) => uri !== null && !isKnownObject(uri),
  );
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
