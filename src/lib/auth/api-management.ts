/** Checks that a request came through API Management, which alone knows a secret and sends it in a header. */
import { timingSafeEqual } from "node:crypto";
import { GatewayError } from "../errors.ts";
import { hashOfSecret } from "./basic.ts";

/** Returns if the request carries the secret, or if no secret is set. Throws `forbidden` otherwise. */
export type ApiManagementCheck = (headers: Pick<Headers, "get">) => void;

/** Creates the check. The comparison takes the same time for every header, and reveals nothing about the secret. */
export function createApiManagementCheck(secret: string | undefined): ApiManagementCheck {
  if (secret === undefined) return () => undefined;
  const expected = hashOfSecret(secret);
  return (headers) => {
    if (!timingSafeEqual(expected, hashOfSecret(headers.get("x-api-management-secret") ?? "")))
      throw new GatewayError("forbidden");
  };
}
