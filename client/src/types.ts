/** The gateway's types, by the names that callers use. */
import type { components } from "./openapi.ts";

type Schemas = components["schemas"];

export type Alias = Schemas["Alias"];
/** A room that has just been handed out, without its host PIN. */
export type CreatedRoom = Schemas["CreatedRoom"];
/** What is needed to connect a citizen. */
export type Room = Schemas["ConstrainedConference"];
/** What an agent needs: a room without its host PIN. */
export type PublicRoom = Schemas["PublicConstrainedConference"];
/** All the fields that the platform stores. */
export type FullRoom = Schemas["Conference"];
/** The fields to change. */
export type RoomChange = Schemas["ConferenceUpdate"];
export type Health = Schemas["Health"];
