/** The platform's rooms with their aliases: create, update, delete and show, with the platform's rules and refusals. */
import * as z from "zod";
import { ApiError, badRequest, type FieldErrors, invalid } from "./api-error.ts";
import {
  type ConferenceFields,
  checkPins,
  conferenceSchema,
  naiveTimestamp,
  relations,
  resourceUri,
  text,
} from "./conference-fields.ts";
import { createNodeView } from "./node-view.ts";
import { createRelatedObjects } from "./related-objects.ts";

export interface Conference extends ConferenceFields {
  readonly automatic_participants: readonly string[];
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

const aliasSchema = z.object({ alias: text(250).min(1), description: text(250).default("") });

/**
 * Creates an empty platform. Names and aliases are compared with case, and ids are never reused. `nodeDelaySeconds`
 * returns how long after a change the conferencing nodes learn of it.
 */
export function createConferences(now: () => number, nodeDelaySeconds: () => number) {
  const related = createRelatedObjects();
  const nodeView = createNodeView<Conference>(now, nodeDelaySeconds);
  const rows = new Map<number, Conference>();
  let lastId = 0;
  let lastAliasId = 0;

  const findByName = (name: string): Conference | undefined =>
    [...rows.values()].find((room) => room.name === name);

  function find(id: string): Conference {
    const room = rows.get(Number(id));
    if (!room) throw new ApiError(404);
    return room;
  }

  function save(room: Conference): void {
    rows.set(room.id, room);
    nodeView.record(room.id, room);
  }

  function readFields(input: Record<string, unknown>, current?: Conference): ConferenceFields {
    if (input["id"] !== undefined && input["id"] !== current?.id)
      throw badRequest("The simulator refuses a written id: the platform would copy or overwrite a room.");
    const paths = relations.flatMap(({ field, resource }) => {
      const value = input[field] ?? null;
      return value === null ? [] : [[field, related.resolve(value, resource)]];
    });
    const parsed = conferenceSchema.safeParse({ ...input, ...Object.fromEntries(paths) });
    if (!parsed.success) throw invalid("conference", fieldErrors(parsed.error));
    const errors = checkPins(parsed.data);
    const namesake = findByName(parsed.data.name);
    if (namesake && namesake.id !== current?.id)
      errors["name"] = ["Virtual Meeting Room with this Name already exists."];
    if (Object.keys(errors).length > 0) throw invalid("conference", errors);
    return parsed.data;
  }

  /**
   * Stores a room, then its lists: if one is refused, the room stays without it. An alias of another room is taken from
   * it; the same alias twice is refused.
   */
  function store(fields: Conference, participants: unknown, aliases?: unknown): void {
    let room = fields;
    save(room);
    room = { ...room, automatic_participants: related.resolveList(participants, "automatic_participant") };
    save(room);
    if (aliases === undefined) return;
    for (const given of z.array(z.unknown()).parse(aliases)) {
      const parsed = aliasSchema.safeParse(given);
      if (!parsed.success) throw invalid("conference_alias", fieldErrors(parsed.error));
      const { alias, description } = parsed.data;
      if (room.aliases.some((own) => own.alias === alias))
        throw invalid("conference_alias", { alias: ["Alias with this Alias already exists."] });
      const created = { id: ++lastAliasId, alias, description, creation_time: naiveTimestamp(now()) };
      const owner = [...rows.values()].find((row) => row.aliases.some((own) => own.alias === alias));
      const moved = owner?.aliases.find((one) => one.alias === alias);
      if (owner) save({ ...owner, aliases: owner.aliases.filter((one) => one !== moved) });
      room = { ...room, aliases: [...room.aliases, { ...created, ...moved, description }] };
      save(room);
    }
  }

  return {
    all: () => rows.values(),
    size: () => rows.size,
    find,
    findByName,
    nodeView,
    /** Returns the read shape: relations written as paths become embedded objects; PINs are in plain text. */
    show: (room: Conference) => ({
      ...room,
      resource_uri: resourceUri("conference", room.id),
      aliases: room.aliases.map((alias) => ({ ...alias, conference: resourceUri("conference", room.id) })),
      automatic_participants: room.automatic_participants.map(related.show),
      ivr_theme: room.ivr_theme && { ...related.show(room.ivr_theme), resource_uri: room.ivr_theme },
      scheduled_conferences_count: room.scheduled_conferences.length,
    }),
    /** Stores a new room and returns its id. Throws 400 or 404 for invalid data, which may leave half a room behind. */
    create: (body: Record<string, unknown>): number => {
      const { automatic_participants: participants, ...fields } = readFields(body);
      const id = ++lastId;
      const creation_time = fields.creation_time ?? naiveTimestamp(now());
      const room = { ...fields, id, automatic_participants: [], aliases: [], creation_time };
      store(room, participants, body["aliases"]);
      return id;
    },
    /** Merges the body into a room, then validates the whole object. */
    update: (id: string, body: Record<string, unknown>): void => {
      const room = find(id);
      if (body["aliases"] !== undefined)
        throw badRequest(
          "The simulator refuses aliases in an update: the platform may take them from other rooms.",
        );
      const given = readFields({ ...room, ...body }, room);
      const { creation_time = room.creation_time, automatic_participants: participants, ...fields } = given;
      store({ ...room, ...fields, creation_time }, participants);
    },
    /** Deletes a room with its aliases; a running meeting continues. Throws 404 if there is none. */
    remove: (id: string): void => {
      const room = find(id);
      rows.delete(room.id);
      nodeView.record(room.id, undefined);
    },
    clear: () => {
      rows.clear();
      nodeView.clear();
      related.clear();
    },
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
