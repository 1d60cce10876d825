/** The contract that both paths of creating a room share. */
import type { Claims } from "../pool/claim.ts";
import { CreatedRoom, CreateQuery } from "./room-schemas.ts";

/** What creating a room depends on. */
export interface RoomCreationDependencies {
  readonly claims: Claims;
  /** The address that a path token in `uuiData` is appended to. Without it, `uuiData` must contain a URL. */
  readonly serviceTagBaseUrl: string | undefined;
}

/** The shared part of the contracts. */
export const roomCreation = {
  description:
    "Allocates a room from the pool, sets its tag to the URL decoded from `uuiData`, and returns the room. " +
    "The response omits the host PIN. Returns 404 if the pool is empty.",
  query: CreateQuery,
  responses: { 200: CreatedRoom },
  failures: [
    "pool-exhausted",
    "claim-failed",
    "platform-rejected",
    "platform-unavailable",
    "platform-timeout",
    "storage-unavailable",
  ],
} as const;
