/** One row of the platform's `conference` resource, as far as the gateway relies on it. */

/** One row of the platform. Only what we rely on is checked; every other field is kept as it came. */
export interface ConferenceRow {
  readonly id: number;
  readonly name: string;
  /** `conference` where it is absent, as the platform itself takes it. */
  readonly service_type?: string | null;
  readonly description?: string | null;
  readonly tag?: string | null;
  readonly aliases?: readonly { readonly alias?: string | null; readonly [field: string]: unknown }[] | null;
  readonly [field: string]: unknown;
}

/** Whether a row has what we rely on. By hand, as a schema would copy each of thousands of rows with their fifty fields. */
export function isConferenceRow(row: unknown): row is ConferenceRow {
  if (typeof row !== "object" || row === null || Array.isArray(row)) return false;
  const has = (field: string, isRight: (value: unknown) => boolean) => isRight(Reflect.get(row, field));
  return (
    has("id", Number.isInteger) &&
    has("name", (name) => typeof name === "string") &&
    has("service_type", isTextOrAbsent) &&
    has("description", isTextOrAbsent) &&
    has("tag", isTextOrAbsent) &&
    has("aliases", (aliases) => isAbsent(aliases) || (Array.isArray(aliases) && aliases.every(isAlias)))
  );
}

function isAlias(value: unknown): boolean {
  return typeof value === "object" && value !== null && (!("alias" in value) || isTextOrAbsent(value.alias));
}

function isTextOrAbsent(value: unknown): boolean {
  return isAbsent(value) || typeof value === "string";
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}
