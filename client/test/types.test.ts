/** What callers may do with the generated types. The compiler checks this file. */
import { expectTypeOf, test } from "vitest";
import type { components, operations } from "../src/openapi.ts";

type Body<Id extends "create_room_from_queue" | "get_room" | "get_public_room"> =
  operations[Id]["responses"][200]["content"]["application/json"];
type Full = components["schemas"]["Conference"];
type Update = operations["update_room"]["requestBody"]["content"]["application/json"];
/** The shape without the fields that only the full one has. */
type Constrained<Room> = Room extends unknown ? ("resource_uri" extends keyof Room ? never : Room) : never;

test("A created room has a guest PIN and an ID, and no host PIN", () => {
  expectTypeOf<Body<"create_room_from_queue">>().toMatchObjectType<{ guest_pin: string; id: number }>();
  expectTypeOf<Body<"create_room_from_queue">>().not.toHaveProperty("pin");
});

test("Only a private read has a host PIN in the constrained shape", () => {
  type Secrets = { guest_pin: string; pin: string; tag: string };
  expectTypeOf<Constrained<Body<"get_room">>>().toMatchObjectType<Secrets>();
  expectTypeOf<Constrained<Body<"get_public_room">>>().not.toHaveProperty("pin");
});

test("A change may contain every field but those that are read-only", () => {
  expectTypeOf({ participant_limit: 4, tag: null, ivr_theme: [{ resource_uri: "/1/" }] }).toExtend<Update>();
  expectTypeOf<Update>().not.toHaveProperty("creation_time");
  // @ts-expect-error The name of a room that was read cannot be changed.
  const rename = (room: Full) => void (room.name = "x");
  expectTypeOf(rename).toBeFunction();
});
