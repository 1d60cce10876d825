/** The values of Bicep expressions. */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | ObjectValue
  | Resource
  | RuntimeValue
  | Lambda;

export type Lambda = (...given: Value[]) => Value;

export interface ObjectValue {
  readonly [key: string]: Value;
}

/** A value that only Azure knows, named by its origin: `id-vmr-test.properties.principalId`. */
export class RuntimeValue {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A resource as it would be sent to Azure. */
export class Resource {
  readonly type: string;
  /** With the names of its parents, as in a resource ID. */
  readonly name: string;
  readonly id: string;
  readonly isExisting: boolean;
  readonly body: ObjectValue;

  constructor(fields: {
    type: string;
    name: string;
    scopeId: string;
    isExisting: boolean;
    body: ObjectValue;
  }) {
    const [provider, ...kinds] = fields.type.split("/");
    const names = fields.name.split("/");
    const path = kinds.map((kind, index) => `/${kind}/${names[index]}`).join("");
    this.type = fields.type;
    this.name = fields.name;
    this.id =
      fields.type === "Microsoft.Resources/resourceGroups"
        ? `${fields.scopeId}/resourceGroups/${fields.name}`
        : `${fields.scopeId}/providers/${provider}${path}`;
    this.isExisting = fields.isExisting;
    this.body = fields.body;
  }
}

/** The values of names at one place in a file. */
export interface Names {
  readonly file: string;
  /** The ID of the subscription or resource group that is deployed to. */
  readonly scopeId: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly lookUp: (name: string) => Value;
}

/** Returns the same names and additional ones, as in the body of a loop. */
export function withNames(names: Names, added: Readonly<Record<string, Value>>): Names {
  return { ...names, lookUp: (name) => (name in added ? (added[name] ?? null) : names.lookUp(name)) };
}

export function isObject(value: Value): value is ObjectValue {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Returns the value as text, as in a string. Throws an Error if it is a list, an object or a lambda. */
export function textOf(value: Value): string {
  if (value instanceof RuntimeValue) return value.text;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  throw new Error(`${JSON.stringify(value)} is not a text`);
}

export function listOf(value: Value | undefined): readonly Value[] {
  if (value === undefined || !isList(value)) throw new Error(`${JSON.stringify(value)} is not an array`);
  return value;
}

export function objectOf(value: Value | undefined): ObjectValue {
  if (value === undefined || !isObject(value)) throw new Error(`${JSON.stringify(value)} is not an object`);
  return value;
}

/** Returns the value of a condition. Throws an Error if it is not a boolean. */
export function truth(value: Value): boolean {
  if (typeof value !== "boolean") throw new Error(`A condition is ${JSON.stringify(value)}`);
  return value;
}

/** Returns the value as it is sent to Azure: without nulls, and with resources as IDs. */
export function toPlain(value: Value): unknown {
  if (value instanceof Resource) return value.id;
  if (value instanceof RuntimeValue) return value.text;
  if (isList(value)) return value.map(toPlain);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(kept.map(([key, entry]) => [key, toPlain(entry)]));
}
