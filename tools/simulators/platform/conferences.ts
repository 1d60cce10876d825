/** The platform's rooms with their aliases: create, update, delete and show, with the platform's rules and refusals. */
import * as z from "zod";
import { ApiError, badRequest, type FieldErrors, invalid } from "./api-error.ts";
import {
  type ConferenceFields,
  checkPins,
  conferenceSchema,
  naiveTimestamp,
  relatedObjects,
  resourceUri,
  text,
} from "./conference-fields.ts";

export interface Conference extends ConferenceFields {
  readonly id: number;
  readonly creation_time: string;
  readonly aliases: readonly Alias[];
}

interface Alias {
  readonly id: number;
  readonly alias: string;
  readonly description: string;
  readonly creation_time: string;
}

const aliasesSchema = z.array(z.object({ alias: text(250).min(1), description: text(250).default("") }));

/** Creates an empty platform. Names and aliases are case-insensitive, and ids are never reused. */
export function createConferences(now: () => number) {
  const rows = new Map<number, Conference>();
  let lastId = 0;
  let lastAliasId = 0;

  const findByName = (name: string): Conference | undefined =>
    [...rows.values()].find((room) => room.name.toLowerCase() === name.toLowerCase());

  function find(id: string): Conference {
    const room = rows.get(Number(id));
    if (!room) throw new ApiError(404);
    return room;
  }

  function readFields(input: Record<string, unknown>, current?: Conference): ConferenceFields {
    if (input["id"] !== undefined && input["id"] !== current?.id)
      throw badRequest("The simulator refuses a written id: the platform would copy or overwrite a room.");
    const parsed = conferenceSchema.safeParse(input);
    if (!parsed.success) throw invalid("conference", fieldErrors(parsed.error));
    const errors = checkPins(parsed.data);
    const namesake = findByName(parsed.data.name);
    if (namesake && namesake.id !== current?.id)
      errors["name"] = ["Virtual Meeting Room with this Name already exists."];
    if (Object.keys(errors).length > 0) throw invalid("conference", errors);
    return parsed.data;
  }

  /** Throws the platform's 400 if an alias is out of bounds, belongs to another room or occurs twice. */
  function readAliases(input: unknown = []): Alias[] {
    const parsed = aliasesSchema.safeParse(input);
    if (!parsed.success) throw invalid("conference_alias", { alias: [z.prettifyError(parsed.error)] });
    const taken = new Set(
      [...rows.values()].flatMap(({ aliases }) => aliases.map(({ alias }) => alias.toLowerCase())),
    );
    return parsed.data.map((alias) => {
      const key = alias.alias.toLowerCase();
      if (taken.has(key))
        throw invalid("conference_alias", { alias: ["Alias with this Alias already exists."] });
      taken.add(key);
      return { id: ++lastAliasId, ...alias, creation_time: naiveTimestamp(now()) };
    });
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
      aliases: room.aliases.map((alias) => ({ ...alias, conference: resourceUri("conference", room.id) })),
      automatic_participants: room.automatic_participants.map(() => relatedObjects.automatic_participant),
      ivr_theme: room.ivr_theme && { ...relatedObjects.ivr_theme, resource_uri: room.ivr_theme },
      scheduled_conferences_count: room.scheduled_conferences.length,
    }),
    /** Stores a new room and returns its id. Throws 400 for invalid data, or a taken name or alias. */
    create: (body: Record<string, unknown>): number => {
      const fields = readFields(body);
      const aliases = readAliases(body["aliases"]);
      const id = ++lastId;
      rows.set(id, { ...fields, id, aliases, creation_time: fields.creation_time ?? naiveTimestamp(now()) });
      return id;
    },
    /** Merges the body into a room, then validates the whole object. */
    update: (id: string, body: Record<string, unknown>): void => {
      const room = find(id);
      if (body["aliases"] !== undefined)
        throw badRequest(
          "The simulator refuses aliases in an update: the platform may take them from other rooms.",
        );
      const { creation_time = room.creation_time, ...fields } = readFields({ ...room, ...body }, room);
      rows.set(room.id, { ...room, ...fields, creation_time });
    },
    /** Deletes a room with its aliases; a running meeting continues. Throws 404 if there is none. */
    remove: (id: string): void => void rows.delete(find(id).id),
    clear: () => rows.clear(),
  };
}

function fieldErrors(error: z.ZodError): FieldErrors {
  const errors: FieldErrors = {};
  for (const { path, message } of error.issues) {
    const field = String(path[0]);
    errors[field] = [...(errors[field] ?? []), message];
  }
  return errors;
}
