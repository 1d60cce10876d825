/** Conferences on the platform that nobody may delete: persistent rooms, and what belongs to somebody else. */
import type { PlatformView } from "./platform-view.ts";

const persistent = ["test_reception", "vkiosk_entrance"];
const foreign = ["Test call", "Auditorium", "Personal room"];

export const protectedRoomNames: readonly string[] = [...persistent, ...foreign];

/** Puts them on the platform; the foreign ones are among the simulator's mixed rows. */
export async function seedProtectedRooms(platform: PlatformView): Promise<void> {
  const rows = persistent.map((name) => ({ name, pin: "90817263545362", aliases: [{ alias: name }] }));
  await platform.control("POST", "/control/rooms", { mixed: true, rows });
}
