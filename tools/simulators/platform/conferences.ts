/** The platform's rooms with their aliases: create, update, delete and show, with the platform's rules and refusals. */
import * as z from "zod";
import { ApiError, badRequest, type FieldErrors, invalid } from "./api-error.ts";
import {
  type ConferenceFields,
  checkPins,
  conferenceSchema,
  refuseUnknownRelations,
  relatedObjects,
  resourceUri,
} from "./conference-fields.ts";
import type { Behaviours } from "./switches.ts";
import { naiveTimestamp } from "./times.ts";

export interface Conference extends ConferenceFields {
  readonly id: number;
  readonly creation_time: string;
}

interface Alias {
  readonly id: number;
  readonly alias: string;
  readonly description: string;
  readonly creation_time: string;
}

const nestedSchema = z.array(z.object({ alias: z.string(), description: z.string().default("") }));

/** Creates an empty platform. Names and aliases are case-insensitive, and ids are never reused. */
export function createConferences(behaviours: Behaviours, now: () => number) {
  const rows = new Map<number, Conference>();
  const idByName = new Map<string, number>();
  const aliasesById = new Map<number, readonly Alias[]>();
  const takenAliases = new Set<string>();
  let lastId = 0;
  let lastAliasId = 0;

  const findByName = (name: string): Conference | undefined =>
    rows.get(idByName.get(name.toLowerCase()) ?? -1);

  function find(id: string): Conference {
    const room = rows.get(Number(id));
    if (!room) throw new ApiError(404);
    return room;
  }

  function put(row: Conference): void {
    idByName.delete(rows.get(row.id)?.name.toLowerCase() ?? "");
    rows.set(row.id, row);
    idByName.set(row.name.toLowerCase(), row.id);
  }

  function readFields(input: Record<string, unknown>, current?: Conference): ConferenceFields {
    if (input["id"] !== undefined && input["id"] !== current?.id)
      throw badRequest("The simulator refuses a written id: the platform would copy or overwrite a room.");
    const parsed = conferenceSchema.safeParse(input);
    if (!parsed.success) throw invalid("conference", fieldErrors(parsed.error));
    refuseUnknownRelations(parsed.data);
    const errors = checkPins(parsed.data);
    const namesake = findByName(parsed.data.name);
    if (namesake && namesake.id !== current?.id)
      errors["name"] = ["Virtual Meeting Room with this Name already exists."];
    if (Object.keys(errors).length > 0) throw invalid("conference", errors);
    return parsed.data;
  }

  function refuseBeyondLicence(fields: ConferenceFields): void {
    const { roomLimit } = behaviours;
    if (roomLimit === null || !isMeetingRoom(fields)) return;
    if ([...rows.values()].filter(isMeetingRoom).length < roomLimit) return;
    const text = `Failed to add the new service. The maximum number of Virtual Meeting Rooms (${roomLimit}) has been reached.`;
    throw invalid("conference", { __all__: [text] });
  }

  /** Throws the platform's 400 if an alias is out of bounds, belongs to another room or occurs twice. */
  function checkAliases(nested: readonly { alias: string; description: string }[]): void {
    const seen = new Set<string>();
    for (const { alias, description } of nested) {
      const key = alias.toLowerCase();
      if (alias === "") throw invalid("conference_alias", { alias: ["This field is required."] });
      if (alias.length > 250 || description.length > 250)
        throw invalid("conference_alias", { alias: ["Ensure this value has at most 250 characters."] });
      if (takenAliases.has(key) || seen.has(key))
        throw invalid("conference_alias", { alias: ["Alias with this Alias already exists."] });
      seen.add(key);
    }
  }

  return {
    all: () => rows.values(),
    size: () => rows.size,
    find,
    findByName,
    /** Returns the read shape: relations written as paths become embedded objects; PINs are in plain text. */
    show: (room: Conference) => ({
      ...room,
      resource_uri: resourceUri("conference", room.id),
      aliases: (aliasesById.get(room.id) ?? []).map((alias) => ({
        ...alias,
        conference: resourceUri("conference", room.id),
      })),
      automatic_participants: room.automatic_participants.map(() => relatedObjects.automatic_participant),
      ivr_theme:
        room.ivr_theme === null ? null : { ...relatedObjects.ivr_theme, resource_uri: room.ivr_theme },
      scheduled_conferences_count: room.scheduled_conferences.length,
    }),
    /** Stores a new room and returns its id. Throws 400 for invalid data, a taken name or alias, or a full licence. */
    create: (body: Record<string, unknown>): number => {
      const fields = readFields(body);
      refuseBeyondLicence(fields);
      const nested = nestedSchema.safeParse(body["aliases"] ?? []);
      if (!nested.success) throw badRequest("The aliases could not be read.");
      checkAliases(nested.data);
      const id = ++lastId;
      const created = fields.creation_time ?? naiveTimestamp(now());
      const withoutView = !("host_view" in body) && !isMeetingRoom(fields);
      put({ ...fields, ...(withoutView && { host_view: null }), id, creation_time: created });
      const creation_time = naiveTimestamp(now());
      aliasesById.set(
        id,
        nested.data.map((alias) => ({ id: ++lastAliasId, ...alias, creation_time })),
      );
      for (const { alias } of nested.data) takenAliases.add(alias.toLowerCase());
      return id;
    },
    /** Merges the body into a room, then validates the whole object. */
    update: (id: string, body: Record<string, unknown>): void => {
      const room = find(id);
      if (body["aliases"] !== undefined)
        throw badRequest(
          "The simulator refuses aliases in an update: the platform may take them from other rooms.",
        );
      const fields = readFields({ ...room, ...body }, room);
      put({ ...fields, id: room.id, creation_time: fields.creation_time ?? room.creation_time });
    },
    /** Deletes a room with its aliases; a running meeting continues. Throws 404 if there is none. */
    remove: (id: string): void => {
      const room = find(id);
      for (const { alias } of aliasesById.get(room.id) ?? []) takenAliases.delete(alias.toLowerCase());
      aliasesById.delete(room.id);
      idByName.delete(room.name.toLowerCase());
      rows.delete(room.id);
    },
    clear: (): void => {
      for (const table of [rows, idByName, aliasesById, takenAliases]) table.clear();
    },
  };
}

function fieldErrors(error: z.ZodError): FieldErrors {
  const errors: FieldErrors = {};
  for (const { path, message } of error.issues) (errors[String(path[0])] ??= []).push(message);
  return errors;
}

function isMeetingRoom({ service_type: serviceType }: ConferenceFields): boolean {
  return serviceType === "conference" || serviceType === "lecture";
}
