/** The setting with the connection string of the storage account. */
import * as z from "zod";
import { isLoopback } from "./addresses.ts";

/** A storage connection string. Its queue endpoint may use http on loopback only. */
export const connectionString = z
  .string()
  .refine(isConnectionString, "must be a storage connection string (http on loopback only)");

function isConnectionString(text: string): boolean {
  if (/^UseDevelopmentStorage=true;?$/i.test(text.trim())) return true;
  const parts = new Map(text.split(";").map((part) => splitAtEqualSign(part)));
  const has = (name: string) => (parts.get(name) ?? "") !== "";
  const protocol = parts.get("DefaultEndpointsProtocol");
  const hasKey = has("DefaultEndpointsProtocol") && has("AccountName") && has("AccountKey");
  if (!hasKey && !has("SharedAccessSignature")) return false;
  const endpoint = parts.get("QueueEndpoint");
  if (endpoint === undefined) return protocol?.toLowerCase() !== "http";
  return URL.canParse(endpoint) && (endpoint.startsWith("https:") || isLoopback(endpoint));
}

function splitAtEqualSign(part: string): [name: string, value: string] {
  const [name = "", ...value] = part.split("=");
  return [name.trim(), value.join("=").trim()];
}
