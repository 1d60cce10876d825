/** The gateway's types, by the names that callers use. */
import type { components } from "./openapi.ts";

type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

// These are interfaces, so that messages of the compiler contain their names instead of their fields.
export interface Alias extends Schema<"Alias"> {}
/** A room that has just been handed out, without its host PIN. */
export interface CreatedRoom extends Schema<"CreatedRoom"> {}
/** What an agent needs: a room without its host PIN. */
export interface PublicRoom extends Omit<CreatedRoom, "aliases"> {
  aliases: Alias[];
}
/** What is needed to connect a citizen. */
export interface Room extends PublicRoom {
  /** The host PIN. Empty for services that are not rooms. */
  pin: string;
}
/** All the fields that the platform stores. */
export interface FullRoom extends Schema<"Room"> {
  readonly resource_uri: string;
}
/** The fields to change. */
export interface RoomChange extends Schema<"ConferenceUpdate"> {}
export interface Health extends Schema<"Health"> {}
