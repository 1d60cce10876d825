/** The `aliases` inside a conference that is written: the platform's least dependable corner. */
import * as z from "zod";
import { type Alias, type Aliases } from "../model/aliases.ts";
import { badRequest, invalid } from "../model/api-error.ts";
import { idOfUri, relationUri } from "../model/resource-uri.ts";

const nestedSchema = z.array(
  z.union([z.string(), z.object({ alias: z.string(), description: z.string().default("") })]),
);

export type NestedAlias = { alias: string; description: string } | { existing: Alias };

/** Reads objects and paths; null and undefined mean none. Throws 400 for anything else and for aliases out of bounds. */
export function parseNestedAliases(value: unknown, aliases: Aliases): NestedAlias[] {
  const parsed = nestedSchema.safeParse(value ?? []);
  if (!parsed.success) throw badRequest("The aliases could not be read.");
  return parsed.data.map((entry) => {
    if (typeof entry === "string") {
      const existing = aliases.table.get(idOfUri(relationUri(entry, "conference_alias")));
      if (!existing) throw badRequest(`Could not find the alias '${entry}'.`);
      return { existing };
    }
    checkAliasText(entry.alias, entry.description);
    return entry;
  });
}

/** Throws 400 unless the alias has 1 to 250 characters and its description at most 250. */
export function checkAliasText(alias: string, description: string): void {
  if (alias === "") throw invalid("conference_alias", { alias: ["This field is required."] });
  for (const [field, text] of Object.entries({ alias, description })) {
    if (text.length <= 250) continue;
    const fault = `Ensure this value has at most 250 characters (it has ${text.length}).`;
    throw invalid("conference_alias", { [field]: [fault] });
  }
}

/** Throws the platform's 400 if an alias belongs to another room or occurs twice. */
export function refuseTakenAliases(
  nested: NestedAlias[],
  conferenceId: number | undefined,
  aliases: Aliases,
) {
  const seen = new Set<string>();
  for (const entry of nested) {
    const text = "existing" in entry ? entry.existing.alias : entry.alias;
    const owner = aliases.table.findByKey(text)?.conferenceId;
    const isTaken = owner !== undefined && owner !== conferenceId;
    if (isTaken || seen.has(text.toLowerCase())) throw aliasTaken();
    seen.add(text.toLowerCase());
  }
}

export function aliasTaken() {
  return invalid("conference_alias", { alias: ["Alias with this Alias already exists."] });
}

/** Adds the aliases to the room. As on the platform, one that belongs to another room silently moves here. */
export function attachAliases(nested: NestedAlias[], conferenceId: number, aliases: Aliases): void {
  for (const entry of nested) {
    const existing = "existing" in entry ? entry.existing : aliases.table.findByKey(entry.alias);
    const description = "existing" in entry ? entry.existing.description : entry.description;
    if (existing) aliases.change({ ...existing, conferenceId, description });
    else if ("alias" in entry) aliases.add(conferenceId, entry.alias, description);
  }
}

/** Removes the room's aliases that are not in the list, which the real platform does not promise to do. */
export function dropOtherAliases(nested: NestedAlias[], conferenceId: number, aliases: Aliases): void {
  const kept = new Set(
    nested.map((entry) => ("existing" in entry ? entry.existing.alias : entry.alias).toLowerCase()),
  );
  for (const { id, alias } of aliases.ofConference(conferenceId)) {
    if (!kept.has(alias.toLowerCase())) aliases.remove(id);
  }
}
