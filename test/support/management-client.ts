/** Calls a simulated platform: plain fetch, without following redirects. */
import type { PlatformSimulator } from "../../tools/simulators/platform/platform-simulator.ts";
import { platformAccount } from "./use-platform.ts";

export const conferencePath = "/api/admin/configuration/v1/conference/";

interface ApiAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** Empty if the response is not JSON. */
  json: ApiBody;
}

interface ApiBody {
  meta: { limit: number; next: string | null; offset: number; previous: string | null; total_count: number };
  objects: ApiObject[];
  [field: string]: unknown;
}

interface ApiObject {
  id: number | string;
  name: string;
  [field: string]: unknown;
}

export type CallApi = (method: string, path: string, body?: unknown) => Promise<ApiAnswer>;

/** Calls paths of the Management API with Basic credentials; a string body is sent unchanged. */
export function managementClient(
  platform: Pick<PlatformSimulator, "url">,
  authorization = `Basic ${Buffer.from(`${platformAccount.username}:${platformAccount.password}`).toString("base64")}`,
): CallApi {
  return async (method, path, body) => {
    const response = await fetch(platform.url + path, {
      method,
      redirect: "manual",
      headers: { authorization, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    const json: ApiBody = JSON.parse(isJson ? text : "{}");
    return { status: response.status, headers: response.headers, text, json };
  };
}
