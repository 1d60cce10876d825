/** A row of the platform's `conference` resource. */

/** A row with the fields that the gateway relies on. Only these are checked; all others are kept unchanged. */
export interface ConferenceRow {
  readonly id: number;
  readonly name: string;
  /** A missing value means `conference`, as it does to the platform. */
  readonly service_type?: string | null;
  readonly description?: string | null;
  readonly tag?: string | null;
  readonly aliases?: readonly { readonly alias?: string | null; readonly [field: string]: unknown }[] | null;
  readonly [field: string]: unknown;
}

/**
 * Returns whether a value has the fields that the gateway relies on. Written by hand because a schema would copy
 * thousands of rows of fifty fields.
 */
export function isConferenceRow(row: unknown): row is ConferenceRow {
  if (typeof row !== "object" || row === null || Array.isArray(row)) return false;
  const has = (field: string, isValid: (value: unknown) => boolean) => isValid(Reflect.get(row, field));
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
