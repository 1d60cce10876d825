/** A resource as Azure would be told to make it. */
import { isList, isObject, ScopeValue, type Value } from "./values.ts";

export interface ResourceFields {
  readonly symbol: string;
  /** The symbols of the modules that lead to it, from `main` down. */
  readonly path: string;
  readonly type: string;
  readonly apiVersion: string;
  /** With the names of its parents, as in a resource id. */
  readonly name: string;
  /** The id of the scope that it is deployed to: a resource group, or the resource that it extends. */
  readonly scopeId: string;
  readonly parentId: string | undefined;
  readonly isExisting: boolean;
  /** How many of a loop are written at once. */
  readonly batchSize: number | undefined;
  readonly body: Value;
}

export class Resource {
  readonly fields: ResourceFields;

  constructor(fields: ResourceFields) {
    this.fields = fields;
  }

  get id(): string {
    const { type, name, scopeId } = this.fields;
    if (type === "Microsoft.Resources/resourceGroups") return `${scopeId}/resourceGroups/${name}`;
    const [provider, ...kinds] = type.split("/");
    const names = name.split("/");
    return `${scopeId}/providers/${provider}${kinds.map((kind, index) => `/${kind}/${names[index]}`).join("")}`;
  }

  /** The name without those of its parents. */
  get ownName(): string {
    return this.fields.name.split("/").at(-1) ?? "";
  }
}

/** The value as it goes to Azure: what is null is left out, a resource in `dependsOn` becomes its id. */
export function toPlain(value: Value): unknown {
  if (value instanceof Resource) return value.id;
  if (value instanceof ScopeValue) return value.id;
  if (isList(value)) return value.map(toPlain);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(kept.map(([key, entry]) => [key, toPlain(entry)]));
}
