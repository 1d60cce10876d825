/** The schemas of responses and queries. The API document publishes them. */
import * as z from "zod";
import { laxBoolean } from "../http/lax-schemas.ts";
import { Alias, Conference } from "./conference-schema.ts";

const constrainedFields = {
  id: z.union([z.int(), z.string()]),
  name: z.string(),
  service_type: z.string(),
  allow_guests: z.boolean(),
  guest_pin: z.string(),
  tag: z.string(),
};

/** The constrained shape (specification 2.2). Public responses omit `pin`. */
export const ConstrainedConference = z
  .object({ ...constrainedFields, pin: z.string().optional(), aliases: z.array(Alias) })
  .meta({ id: "ConstrainedConference", description: "The fields needed to join a room" });

const CreatedAlias = z
  .object({ alias: z.string() })
  .meta({ id: "CreatedAlias", description: "The alias of a created room" });

/** The response of a create (specification 2.2): no host PIN, and each alias carries only its name. */
export const CreatedRoom = z
  .object({ ...constrainedFields, aliases: z.array(CreatedAlias) })
  .meta({ id: "CreatedRoom", description: "A room allocated from the pool" });

/** A room in the shape that the query selects. */
export const Room = z
  .union([ConstrainedConference, Conference])
  .meta({ id: "Room", description: "A room in the constrained or the full shape" });

/** All conferences on the platform in the shape that the query selects. */
export const RoomList = z.array(Room).meta({ id: "RoomList", description: "Rooms and other services" });

/** The query of the operations that read rooms. */
export const ShapeQuery = z.object({
  constrained_attributes: laxBoolean.default(true).meta({
    description:
      "If true, the response has the constrained shape, with only the fields needed to join; if false, the full shape.",
  }),
});

/** The query of the operations that create a room. `decodeServiceTag` decodes the value. */
export const CreateQuery = z.object({
  uuiData: z.string().optional().meta({
    description:
      "The service tag, hex-encoded, in the form `<hex>;encoding=hex`. Without it, the room's tag does not change.",
  }),
});
