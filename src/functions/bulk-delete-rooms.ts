/** DELETE /room/bulk/: empties the pool and deletes every room of the gateway. */

import type { BulkDeletion } from "../lib/deletion/bulk-deletion.ts";
import { platformFailures } from "../lib/errors.ts";
import { httpFunction } from "../lib/http/contract.ts";

export const bulkDeleteRooms = httpFunction({
  method: "DELETE",
  route: "room/bulk/",
  access: "application",
  needsAdministrator: true,
  summary: "Delete all rooms",
  description:
    "Empties the pool and deletes every room that belongs to the gateway, except persistent rooms. " +
    "Returns 204 when none of these is left that existed when it began, and 503 if some remain. Safe to retry.",
  responses: { 204: null },
  failures: ["bulk-delete-incomplete", ...platformFailures, "storage-unavailable"],
  async handle(_input, { bulkDeletion }: { bulkDeletion: BulkDeletion }, log) {
    await bulkDeletion.deleteAll(log);
    return { status: 204 };
  },
});
