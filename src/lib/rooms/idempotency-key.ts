/** The `Idempotency-Key` request header (draft-ietf-httpapi-idempotency-key-header): a string, quoted or bare. */
import * as z from "zod";

/** The headers of a create. */
export const CreateHeaders = z.object({
  "idempotency-key": z
    .string()
    .refine(
      (value) => /^[\x21-\x7e]{1,255}$/.test(unquoteKey(value)),
      "must be 1 to 255 visible ASCII characters, quoted or bare",
    )
    .optional()
    .meta({
      description:
        "Makes the create safe to retry: within 24 hours, requests of the same application with the same key return " +
        "the same room. 1 to 255 visible ASCII characters, for example a UUID; quotation marks around them are ignored.",
    }),
});

/** Returns the key without its quotation marks: quoted and bare forms are the same key. */
export function unquoteKey(value: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value)?.[1];
  return quoted === undefined ? value : quoted.replaceAll(/\\(["\\])/g, "$1");
}
