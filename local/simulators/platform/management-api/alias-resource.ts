/** The `conference_alias` resource. */
import * as z from "zod";
import { type Alias, embeddedAlias } from "../model/aliases.ts";
import { badRequest, invalid, notFound } from "../model/api-error.ts";
import { idOfUri, relationUri, resourceUri } from "../model/resource-uri.ts";
import type { PlatformState } from "../platform-state.ts";
import { createListing } from "./listing.ts";
import { aliasTaken, checkAliasText } from "./nested-aliases.ts";
import type { Resource } from "./resource.ts";

const aliasSchema = z.object({
  alias: z.string(),
  description: z.string().default(""),
  conference: z.unknown(),
});

/** Aliases as separate objects: the dependable way to change them. */
export function aliasResource({ aliases, conferences }: PlatformState): Required<Resource> {
  const known = new Set(["id", "alias", "description", "conference", "creation_time"]);
  const searchable = new Set(["alias", "description", "conference", "creation_time"]);
  const show = (row: Alias) => ({
    ...embeddedAlias(row),
    resource_uri: resourceUri("conference_alias", row.id),
  });
  const find = (id: string): Alias => {
    const row = aliases.table.get(Number(id));
    if (!row) throw notFound();
    return row;
  };
  const parse = (body: Record<string, unknown>, ownId?: number) => {
    const parsed = aliasSchema.safeParse(body);
    if (!parsed.success) throw invalid("conference_alias", { alias: ["This field is required."] });
    const { alias, description, conference } = parsed.data;
    checkAliasText(alias, description);
    const conferenceId = idOfUri(relationUri(conference, "conference"));
    if (!conferences.get(conferenceId)) throw badRequest("Could not find the conference of the alias.");
    const other = aliases.table.findByKey(alias);
    if (other && other.id !== ownId) throw aliasTaken();
    return { alias, description, conferenceId };
  };
  return {
    list: createListing<Alias>({
      rows: aliases.table.all,
      version: () => aliases.table.version,
      fields: { known, filterable: searchable, sortable: searchable },
      values: (row, field) => [field === "conference" ? row.conferenceId : Reflect.get(row, field)],
      narrow: ({ field, operand }) => {
        if (field === "conference") return aliases.ofConference(conferenceIdFilter(operand));
        if (field !== "alias") return undefined;
        return [aliases.table.findByKey(operand)].flatMap((row) => row ?? []);
      },
      show,
    }),
    show: (id) => show(find(id)),
    create: (body) => {
      const { conferenceId, alias, description } = parse(body);
      return aliases.add(conferenceId, alias, description).id;
    },
    update: (id, body, partial) => {
      const row = find(id);
      const changes = parse(partial ? { ...embeddedAlias(row), ...body } : body, row.id);
      aliases.change({ ...row, ...changes });
    },
    remove: (id) => aliases.remove(find(id).id),
  };
}

function conferenceIdFilter(operand: string): number {
  if (!/^\d+$/.test(operand)) throw badRequest("Invalid resource lookup data provided (mismatched type).");
  return Number(operand);
}
