/** Reads the query of a request, and refuses parameters that would be dropped or merged unnoticed. */
import type * as z from "zod";
import { GatewayError, type ValidationFault } from "../errors.ts";
import { validate } from "./validation.ts";
import { valueFault } from "./validation-fault.ts";

/** The schema of a query: an object schema, whose keys are the names of the parameters. */
export type QuerySchema<Query> = z.ZodType<Query> & { readonly shape: Readonly<Record<string, unknown>> };

/**
 * Returns the query as `schema` parses it. Unknown parameters are ignored. Throws `invalid-request` if a parameter is
 * not valid, is sent twice, or has the name of a known one but for case, hyphens or underscores.
 */
export function readQuery<Query>(schema: QuerySchema<Query>, sent: URLSearchParams): Query {
  const known = new Map(Object.keys(schema.shape).map((name) => [plain(name), name]));
  const faults = [...new Set(sent.keys())].flatMap((name): ValidationFault[] => {
    const rightName = known.get(plain(name));
    if (rightName === undefined) return [];
    if (name !== rightName) return [valueFault(["query", name], `the parameter is called ${rightName}`)];
    return sent.getAll(name).length > 1
      ? [valueFault(["query", name], `${name} must be sent only once`)]
      : [];
  });
  if (faults.length > 0) throw new GatewayError("invalid-request", { faults });
  return validate(schema, Object.fromEntries(sent), "query");
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}
