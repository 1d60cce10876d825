/** The setting with the fields of every new room. */
import * as z from "zod";

// The gateway sets these fields, or the platform does.
const reservedFields = [
  "name",
  "aliases",
  "pin",
  "guest_pin",
  "tag",
  "description",
  "service_type",
  "allow_guests",
  "id",
  "resource_uri",
  "creation_time",
  "scheduled_conferences_count",
];

/** JSON of the Conference fields that every new room has, in the platform's format. */
export const roomTemplate = z.string().transform((text, context): Readonly<Record<string, unknown>> => {
  const fields = z.record(z.string(), z.unknown()).safeParse(parseJson(text));
  if (!fields.success) {
    context.addIssue("must be a JSON object");
    return z.NEVER;
  }
  const reserved = reservedFields.filter((field) => field in fields.data);
  if (reserved.length > 0) context.addIssue(`must not set ${reserved.join(", ")}`);
  return fields.data;
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
