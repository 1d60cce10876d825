/** Looks at the simulated platform past the proxy, and sets it up. */
import { z } from "zod";
import { identities } from "../local/gateway/identities.ts";

const roomSchema = z.looseObject({
  name: z.string(),
  service_type: z.string().nullish(),
  description: z.string().nullish(),
  tag: z.string().nullish(),
});
export type PlatformRoom = z.output<typeof roomSchema>;

export interface PlatformView {
  find(name: string): Promise<PlatformRoom | undefined>;
  /** Every conference as it is configured now. */
  rooms(): Promise<PlatformRoom[]>;
  /** Calls the simulator's control API; gives the answer's body. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** Paths and queries of the Management API that are not those of `find`. */
export const appCalls = "^(?!.*&limit=1$)";

const pageSchema = z.object({ objects: z.array(roomSchema) });
const controlRoomsSchema = z.array(roomSchema.extend({ configured: z.boolean() }));

export function createPlatformView(url: string, controlUrl: string): PlatformView {
  const { platformUsername, platformPassword } = identities;
  const credentials = Buffer.from(`${platformUsername}:${platformPassword}`).toString("base64");
  const headers = { authorization: `Basic ${credentials}` };

  async function control(method: string, path: string, body?: unknown): Promise<unknown> {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${controlUrl}${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  }

  return {
    control,
    async find(name) {
      const path = `/api/admin/configuration/v1/conference/?name=${encodeURIComponent(name)}&limit=1`;
      const page: unknown = await (await fetch(`${url}${path}`, { headers })).json();
      return pageSchema.parse(page).objects[0];
    },
    async rooms() {
      const all = controlRoomsSchema.parse(await control("GET", "/control/rooms"));
      return all.filter(({ configured }) => configured);
    },
  };
}
