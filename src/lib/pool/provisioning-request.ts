/** The message on the provisioning queue: a request for one room. */
import * as z from "zod";

/**
 * `claimed` replaces a room that was handed out, and has no level. `bulk` is dropped if the pool holds `upTo` rooms,
 * `healing` is dropped even if the pool and the pending requests together reach that level.
 */
export type ProvisioningRequest =
  | { readonly reason: "claimed" }
  | { readonly reason: "healing" | "bulk"; readonly upTo: number };

const schema: z.ZodType<ProvisioningRequest> = z.discriminatedUnion("reason", [
  z.object({ reason: z.literal("claimed") }),
  z.object({ reason: z.enum(["healing", "bulk"]), upTo: z.int().min(0) }),
]);

/** Returns the message text of a request. */
export function encodeProvisioningRequest(request: ProvisioningRequest): string {
  return JSON.stringify(request);
}

/** Returns the request in a message that the host has parsed as JSON, or undefined if it is malformed. */
export function decodeProvisioningRequest(message: unknown): ProvisioningRequest | undefined {
  return schema.safeParse(message).data;
}
