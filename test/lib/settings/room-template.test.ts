/** The room template: fields that it must not contain. */
import { expect, test } from "vitest";
import { roomTemplate } from "../../../src/lib/settings/room-template.ts";

test.each([
  "name",
  "aliases",
  "pin",
  "guest_pin",
  "tag",
  "description",
  "service_type",
  "allow_guests",
  "id",
  "resource_uri",
  "creation_time",
  "scheduled_conferences_count",
])("roomTemplate rejects the field %s", (field) => {
  expect(roomTemplate.safeParse(JSON.stringify({ [field]: null, participant_limit: 4 })).success).toBe(false);
});
