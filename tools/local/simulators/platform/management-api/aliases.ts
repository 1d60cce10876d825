/** The `aliases` inside a conference that is created. */
import * as z from "zod";
import type { Aliases } from "../model/aliases.ts";
import { badRequest, invalid } from "../model/api-error.ts";

const nestedSchema = z.array(z.object({ alias: z.string(), description: z.string().default("") }));

export type NestedAlias = z.output<typeof nestedSchema>[number];

/** Reads objects; null and undefined mean none. Throws 400 for anything else and for aliases out of bounds. */
export function parseNestedAliases(value: unknown): NestedAlias[] {
  const parsed = nestedSchema.safeParse(value ?? []);
  if (!parsed.success) throw badRequest("The aliases could not be read.");
  for (const entry of parsed.data) checkText(entry);
  return parsed.data;
}

/** Throws 400 unless the alias has 1 to 250 characters and its description at most 250. */
function checkText(entry: NestedAlias): void {
  if (entry.alias === "") throw invalid("conference_alias", { alias: ["This field is required."] });
  for (const [field, text] of Object.entries(entry)) {
    if (text.length <= 250) continue;
    const fault = `Ensure this value has at most 250 characters (it has ${text.length}).`;
    throw invalid("conference_alias", { [field]: [fault] });
  }
}

/** Throws the platform's 400 if an alias belongs to another room or occurs twice. */
export function refuseTakenAliases(nested: NestedAlias[], aliases: Aliases): void {
  const seen = new Set<string>();
  for (const { alias } of nested) {
    if (aliases.isTaken(alias) || seen.has(alias.toLowerCase()))
      throw invalid("conference_alias", { alias: ["Alias with this Alias already exists."] });
    seen.add(alias.toLowerCase());
  }
}
