/** Reads the body of a 400 response: which fields of a conference the platform rejected. */
import { asRecord } from "./as-record.ts";
import { PlatformError } from "./platform-error.ts";

/**
 * Returns the names in a 400 response of the conference resource; `__all__` stands for the conference as a whole.
 * Returns none for any other failure, including a 400 of a log-in page or a proxy.
 */
export function rejectedFields({
  platformStatus,
  body,
}: Pick<PlatformError, "platformStatus" | "body">): string[] {
  if (platformStatus !== 400) return [];
  return Object.keys(asRecord(asRecord(body)["conference"])).filter((field) => /^[a-z_]{1,64}$/.test(field));
}

/**
 * Returns the path of each rejected value below the conference; an empty path stands for the conference as a whole.
 * Returns one empty path if the body names no field, and undefined if the failure is not a 400 response.
 */
export function rejectedPaths(error: PlatformError): readonly string[][] | undefined {
  if (error.platformStatus !== 400) return undefined;
  const fields = rejectedFields(error);
  if (fields.length === 0) return [[]];
  return fields.map((field) => (field === "__all__" ? [] : [field]));
}

/** Returns what the log says about a failed call: class, status and rejected fields; never a value from the body. */
export function describeFailure(error: unknown): Readonly<Record<string, string | number | null>> {
  if (!(error instanceof PlatformError)) return { failure: "unexpected" };
  const fields = rejectedFields(error);
  return {
    failure: error.code,
    status: error.platformStatus ?? null,
    ...(fields.length > 0 && { rejectedFields: fields.join(",") }),
  };
}
