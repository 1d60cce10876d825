/** DELETE /room/bulk/: empties the pool and deletes every room of ours. */
import { empty, noQuery, queryFunction } from "../lib/http/http-function.ts";
import type { BulkDeletion } from "../lib/pool/bulk-deletion.ts";

export const bulkDeleteRooms = queryFunction({
  method: "DELETE",
  route: "room/bulk/",
  access: "application",
  summary: "Delete all rooms of this service",
  description: "204 says that it is done. 503 says that rooms are left; the request is safe to repeat.",
  query: noQuery,
  answers: { 204: null },
  failures: [
    "bulk-delete-incomplete",
    "platform-rejected",
    "platform-unavailable",
    "platform-timeout",
    "storage-unavailable",
  ],
  async handle(_input, { bulkDeletion }: { bulkDeletion: BulkDeletion }, log) {
    await bulkDeletion.deleteAll(log);
    return empty(204);
  },
});
