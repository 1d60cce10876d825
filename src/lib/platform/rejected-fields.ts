/** Reads the body of a 400 response: which fields of a conference the platform rejected. */
import { asRecord } from "./as-record.ts";
import { PlatformError } from "./platform-error.ts";

// The platform names the faults of a conference's aliases under a resource of their own.
const resources = ["conference", "conference_alias"];

/**
 * Returns the names in a 400 response of the conference resource; `__all__` stands for the conference as a whole.
 * Returns none for any other failure, including a 400 of a log-in page or a proxy.
 */
export function rejectedFields({
  platformStatus,
  body,
}: Pick<PlatformError, "platformStatus" | "body">): string[] {
  if (platformStatus !== 400) return [];
  const fields = resources.flatMap((resource) => Object.keys(asRecord(asRecord(body)[resource])));
  return fields.filter((field) => /^[a-z_]{1,64}$/.test(field));
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
