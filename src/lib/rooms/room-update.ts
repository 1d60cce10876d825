/** Updates a room on the platform, and reports values that the platform rejects as faults of the request. */
import { GatewayError } from "../errors.ts";
import { valueFault } from "../http/validation-fault.ts";
import type { Log } from "../log.ts";
import type { Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/platform-error.ts";
import { rejectedFields } from "../platform/rejected-fields.ts";
import type { Conference } from "./conference-schema.ts";
import { toUpdateFields } from "./update-fields.ts";

/**
 * Updates the room with this name, logs that, and returns whether the room exists. Throws `invalid-request` if a field cannot be changed
 * or the platform rejects its value, and PlatformError if the platform fails otherwise.
 */
export async function changeRoom(
  conferences: Pick<Conferences, "findByName" | "update">,
  name: string,
  change: Conference,
  log: Log,
): Promise<boolean> {
  const room = await conferences.findByName(name);
  if (!room) return false;
  const fields = toUpdateFields(change, room);
  if (Object.keys(fields).length === 0) return true;
  const isFound = await conferences.update(room.id, fields).catch((error: unknown) => {
    throw asInvalidRequest(error);
  });
  if (isFound) log.info("room-updated", { room: room.name });
  return isFound;
}

/** Converts a 400 that names fields to a 422 for the same fields with a fixed text. Returns any other error unchanged. */
function asInvalidRequest(error: unknown): unknown {
  const fields = error instanceof PlatformError ? rejectedFields(error) : [];
  if (fields.length === 0) return error;
  return new GatewayError("invalid-request", {
    cause: error,
    faults: fields.map((field) =>
      valueFault(
        field === "__all__" ? ["body"] : ["body", field],
        "the conferencing platform rejected this value",
      ),
    ),
  });
}
