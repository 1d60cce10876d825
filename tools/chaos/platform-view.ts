/** Direct access to the simulated platform, bypassing the proxy. */
import * as z from "zod";
import { identities } from "../local/stack/identities.ts";

const roomSchema = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  tag: z.string().nullish(),
});
export type PlatformRoom = z.output<typeof roomSchema>;

export type PlatformView = ReturnType<typeof createPlatformView>;

/** Matches the gateway's calls to the Management API, but not those of `find`. */
export const gatewayCallPattern = "^(?!.*&limit=1$)";

const pageSchema = z.object({ objects: z.array(roomSchema) });

export function createPlatformView(url: string, controlUrl: string) {
  const { platformUsername, platformPassword } = identities;
  const credentials = Buffer.from(`${platformUsername}:${platformPassword}`).toString("base64");
  const headers = { authorization: `Basic ${credentials}` };

  /** Calls the simulator's control API and returns the body of the response. */
  async function control(method: string, path: string, body?: unknown): Promise<unknown> {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${controlUrl}${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  }

  return {
    control,
    async find(name: string): Promise<PlatformRoom | undefined> {
      const path = `/api/admin/configuration/v1/conference/?name=${encodeURIComponent(name)}&limit=1`;
      const page: unknown = await (await fetch(`${url}${path}`, { headers })).json();
      return pageSchema.parse(page).objects[0];
    },
    /** Returns all conferences. */
    async rooms(): Promise<PlatformRoom[]> {
      return z.array(roomSchema).parse(await control("GET", "/control/rooms"));
    },
  };
}

const persistentRooms = ["test_reception", "vkiosk_entrance"];
// These are among the simulator's mixed rows.
const foreignRooms = ["Test call", "Auditorium", "Personal room"];

/** Conferences that the gateway must not delete. */
export const protectedRooms: readonly string[] = [...persistentRooms, ...foreignRooms];

/** Creates the protected conferences on the platform. */
export async function seedProtectedRooms(platform: PlatformView): Promise<void> {
  const rows = persistentRooms.map((name) => ({ name, pin: "90817263545362", aliases: [{ alias: name }] }));
  await platform.control("POST", "/control/rooms", { mixed: true, rows });
}
