/** Reads the body of a 400 response: which fields of a conference the platform rejected. */
import { asRecord } from "./as-record.ts";
import type { PlatformError } from "./platform-error.ts";

/**
 * Returns the path of each rejected value below the conference; an empty path stands for the conference as a whole.
 * Returns one empty path if the body names no field, and undefined if the failure is not a 400 response.
 */
export function rejectedPaths({ platformStatus, body }: PlatformError): readonly string[][] | undefined {
  if (platformStatus !== 400) return undefined;
  const fields = Object.keys(asRecord(asRecord(body)["conference"])).filter((field) =>
    /^[a-z_]{1,64}$/.test(field),
  );
  if (fields.length === 0) return [[]];
  return fields.map((field) => (field === "__all__" ? [] : [field]));
}
