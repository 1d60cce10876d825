/** Access to the properties of untrusted values. */

/** Returns the properties of an untrusted value, or an empty record if it is not an object. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" ? { ...value } : {};
}
