/** What the two paths of creating a room share: everything but their route. */
import { json } from "../http/http-function.ts";
import type { Log } from "../log.ts";
import type { Claims } from "../pool/claim.ts";
import { CreatedRoom, CreateQuery } from "./room-schemas.ts";
import { toCreatedRoom } from "./room-shapes.ts";
import { decodeServiceTag } from "./service-tag.ts";

export interface RoomCreationDependencies {
  readonly claims: Claims;
  readonly serviceTagBaseUrl: string | undefined;
}

export const roomCreation = {
  method: "POST",
  access: "application",
  description:
    "Takes one room from the pool, writes the service tag decoded from uuiData to it and answers at once.",
  query: CreateQuery,
  answers: { 200: CreatedRoom },
  failures: [
    "pool-exhausted",
    "claim-failed",
    "platform-rejected",
    "platform-unavailable",
    "platform-timeout",
    "storage-unavailable",
  ],
  async handle(
    { query }: { query: { uuiData?: string | undefined } },
    dependencies: RoomCreationDependencies,
    log: Log,
  ) {
    const { uuiData } = query;
    const serviceTag =
      uuiData === undefined ? undefined : decodeServiceTag(uuiData, dependencies.serviceTagBaseUrl);
    return json(200, toCreatedRoom(await dependencies.claims.claim(serviceTag, log)));
  },
} as const;
