/** Stores rooms in bulk, by the same rules as the Management API. */
import * as z from "zod";
import { createConference } from "../management-api/conference-writes.ts";
import type { PlatformState } from "../platform-state.ts";

export const seedSchema = z.strictObject({
  /** Creates this many rooms, `<namePrefix>00000`, `<namePrefix>00001`, …, each with an alias equal to its name. */
  count: z.int().min(0).default(0),
  namePrefix: z.string().default("room-"),
  /** Additional fields of the counted rooms. */
  fields: z.record(z.string(), z.unknown()).default({}),
  /** Rooms as bodies of a POST. */
  rows: z.array(z.record(z.string(), z.unknown())).default([]),
  /** Adds one service of each other kind on the list: test call, reception, auditorium and so on. */
  mixed: z.boolean().default(false),
});

/** Stores the rooms and returns their ids. Throws the platform's error at the first room that it refuses. */
export function seedRooms(state: PlatformState, seed: z.output<typeof seedSchema>): number[] {
  const counted = Array.from({ length: seed.count }, (_, index) => {
    const name = `${seed.namePrefix}${String(index).padStart(5, "0")}`;
    const pins = { pin: "482913", allow_guests: true, guest_pin: "771204" };
    return { ...pins, ...seed.fields, name, aliases: [{ alias: name }] };
  });
  const rows = [...(seed.mixed ? mixedRows : []), ...counted, ...seed.rows];
  return rows.map((row) => createConference(state, row));
}

const mixedRows: Record<string, unknown>[] = [
  { name: "Test call", service_type: "test_call", aliases: [{ alias: "test-call" }] },
  {
    name: "Reception",
    service_type: "two_stage_dialing",
    match_string: "(.*)",
    aliases: [{ alias: "reception" }],
  },
  { name: "Auditorium", service_type: "lecture", pin: "908172", aliases: [{ alias: "auditorium" }] },
  {
    name: "Announcement",
    service_type: "media_playback",
    media_playlist: "/api/admin/configuration/v1/media_playlist/1/",
    on_completion: '{"disconnect": true}',
    aliases: [{ alias: "announcement" }],
  },
  { name: "Personal room", sync_tag: "directory-1", aliases: [{ alias: "personal.room@example.com" }] },
  {
    name: "Scheduled meeting",
    scheduled_conferences: ["/api/admin/configuration/v1/scheduled_conference/1/"],
    aliases: [{ alias: "scheduled-meeting" }],
  },
];
