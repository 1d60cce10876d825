/** The order in which Azure writes the resources, which a snapshot does not have. */
import * as z from "zod";

const Resource = z.object({
  type: z.string(),
  existing: z.boolean().default(false),
  dependsOn: z.array(z.string()).default([]),
  copy: z.object({ mode: z.string().optional(), batchSize: z.number().optional() }).optional(),
  properties: z.object({ template: z.unknown() }).partial().optional().catch(undefined),
});
// A template without new features of the language has no symbols. Its types take their place.
const Symbols = z
  .array(z.looseObject({ type: z.string() }))
  .transform((resources) => Object.fromEntries(resources.map((resource) => [resource.type, resource])));
const Template = z.object({
  resources: z.union([Symbols, z.record(z.string(), z.unknown())]).pipe(z.record(z.string(), Resource)),
});

export interface Entry {
  readonly module: string;
  readonly symbol: string;
  readonly dependsOn: readonly string[];
  readonly copyMode?: string;
  readonly batchSize?: number | undefined;
}

/** Returns the resources of a compiled template and of its modules. `module` is the name of the module's symbol. */
export function orderOf(template: unknown, module = "main"): Entry[] {
  return Object.entries(Template.parse(template).resources).flatMap(([symbol, resource]) => {
    const { existing, dependsOn, copy, properties } = resource;
    if (existing) return [];
    const own = {
      module,
      symbol,
      dependsOn: dependsOn.toSorted(),
      ...(copy && { copyMode: copy.mode ?? "parallel", batchSize: copy.batchSize }),
    };
    return properties?.template === undefined ? [own] : [own, ...orderOf(properties.template, symbol)];
  });
}
