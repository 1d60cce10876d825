/** The schemas of responses and queries. The API document publishes them. */
import * as z from "zod";
import { laxBoolean } from "../http/lax-schemas.ts";
import { Alias, FullConference } from "./conference-schema.ts";
import { maxInputCharacters, maxTagCharacters } from "./service-tag.ts";

const constrainedFields = {
  id: z.int(),
  name: z.string().meta({ description: "The room's name, which is also its alias" }),
  service_type: z.string().meta({ description: "`conference` for rooms" }),
  allow_guests: z.boolean(),
  guest_pin: z.string().meta({ description: "The guest PIN" }),
  tag: z
    .string()
    .meta({ description: "The service tag: the URL of the verification session. Empty without one." }),
};

const hostPin = z.string().meta({ description: "The host PIN. Empty for services that are not rooms." });

/** The constrained shape (specification 2.2). */
export const ConstrainedConference = z
  .object({ ...constrainedFields, pin: hostPin, aliases: z.array(Alias) })
  .meta({
    id: "ConstrainedConference",
    description: "The fields needed to join a room: the constrained shape",
  });

/** The constrained shape of public responses. */
export const PublicConstrainedConference = z.object({ ...constrainedFields, aliases: z.array(Alias) }).meta({
  id: "PublicConstrainedConference",
  description: "The fields needed to join a room as a guest: the constrained shape, without the host PIN",
});

const CreatedAlias = z
  .object({ alias: z.string() })
  .meta({ id: "CreatedAlias", description: "The alias of a created room" });

/** The response of a create (specification 2.2): no host PIN, and each alias carries only its name. */
export const CreatedRoom = z
  .object({ ...constrainedFields, aliases: z.array(CreatedAlias) })
  .meta({ id: "CreatedRoom", description: "A room allocated from the pool" });

const shapes = "Only the full shape has `resource_uri`.";

/** A room in the shape that the query selects. */
export const Room = z
  .union([ConstrainedConference, FullConference])
  .meta({ id: "Room", description: `A room in the constrained or the full shape. ${shapes}` });

/** A room in a public response, in the shape that the query selects. */
export const PublicRoom = z.union([PublicConstrainedConference, FullConference]).meta({
  id: "PublicRoom",
  description: `A room in the constrained or the full shape, without its host PIN. ${shapes}`,
});

/** All conferences on the platform in the shape that the query selects. */
export const RoomList = z.array(Room).meta({ id: "RoomList", description: "Rooms and other services" });

/** The query of the operations that read rooms. */
export const ShapeQuery = z.object({
  constrained_attributes: laxBoolean.default(true).meta({
    description:
      "If true, the response has the constrained shape, with only the fields needed to join; if false, the full shape.",
  }),
});

/** The query of the operations that create a room. `decodeServiceTag` checks and decodes the value. */
export const CreateQuery = z.object({
  uuiData: z
    .string()
    .optional()
    .meta({
      // Viewers take text in angle brackets for HTML and omit it, so the brackets are escaped.
      description:
        "The service tag in the form **&lt;hex&gt;;encoding=hex**: the UTF-8 text in hexadecimal digits. The text is an " +
        "http or https URL without credentials, or a path token (letters, digits, `-`, `.`, `_`, `~`; not beginning " +
        "with a dot) that the gateway appends to its configured address. The resulting URL has at most " +
        `${maxTagCharacters} characters. Without \`uuiData\`, the room's tag does not change.`,
      maxLength: maxInputCharacters,
    }),
});
