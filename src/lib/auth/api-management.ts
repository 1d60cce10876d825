/** Checks that a request came through API Management, which alone knows a secret and sends it in a header. */
import { createHash, timingSafeEqual } from "node:crypto";
import { GatewayError } from "../errors.ts";

/** Returns if the request carries the secret, or if no secret is set. Throws `forbidden` otherwise. */
export type ApiManagementCheck = (headers: Pick<Headers, "get">) => void;

/** Creates the check. The comparison takes the same time for every header, and reveals nothing about the secret. */
export function createApiManagementCheck(secret: string | undefined): ApiManagementCheck {
  if (secret === undefined) return () => undefined;
  const expected = hash(secret);
  return (headers) => {
    if (!timingSafeEqual(expected, hash(headers.get("x-api-management-secret") ?? "")))
      throw new GatewayError("forbidden");
  };
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
