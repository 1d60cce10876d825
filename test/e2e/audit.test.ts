/** The life of one room in the log: the query of the operations guide finds every change, with caller and request. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { identities } from "../../tools/local/stack/identities.ts";
import { asEventSink } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway({ settings: () => ({ GC_MINIMUM_AGE_SECONDS: "0" }) });

const guide = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
const [, query = ""] = /## Following one room[\s\S]*?```kusto\n([\s\S]*?)```/.exec(guide) ?? [];
/** The fields of a log line that the query shows, by the names of its columns. */
const columns = [...query.matchAll(/(\w+) = tostring\(entry\.(\w+)\)/g)].map(
  ([, column = "", field = ""]) => [column, field] as const,
);
const [, filtered = ""] = /where tostring\(entry\.(\w+)\) == "<room name>"/.exec(query) ?? [];

/** The rows of the query for a room: what it filters and projects, applied to the lines that the app logged. */
function rowsFor(room: string): Record<string, unknown>[] {
  return gateway.log
    .filter(({ category, message }) => category.endsWith(".User") && message.startsWith("{"))
    .map(({ message }): Record<string, unknown> => JSON.parse(message))
    .filter((entry) => entry[filtered] === room)
    .map((entry) => Object.fromEntries(columns.map(([column, field]) => [column, entry[field]])));
}

test("one query follows a room from provisioning to deletion, and names each caller and request", async () => {
  await gateway.fillPool(1);
  const headers = (id: string) => ({ headers: { "x-correlation-id": id } });
  const created = await gateway.sendAsApplication("POST /room/create", headers("order-1"));
  const { name } = created.json as { name: string };
  await gateway.sendAsApplication(`PATCH /room/${name}`, {
    ...headers("change-2"),
    json: { participant_limit: 4 },
  });
  await gateway.send("POST /public/event_sink", {
    headers: { ...asEventSink(), "x-correlation-id": "event-3" },
    json: { event: "conference_ended", data: { name } },
  });
  await gateway.settled();
  expect(await gateway.runTimer("collectGarbage")).toBe(true);

  const invocation = expect.stringMatching(/^[0-9a-f-]{36}$/);
  const caller = identities.clientId;
  expect(rowsFor(name)).toMatchObject([
    { event: "room-provisioned", caller: "queue", correlationId: invocation, operation: "provisionRoom" },
    { event: "room-claimed", caller, correlationId: "order-1", operation: "createRoomFromQueue" },
    { event: "room-updated", caller, correlationId: "change-2", operation: "updateRoom" },
    {
      event: "room-queued-for-deletion",
      caller: "event-sink",
      correlationId: "event-3",
      operation: "eventSink",
    },
    { event: "room-deleted", caller: "timer", correlationId: invocation, operation: "collectGarbage" },
  ]);
});

test("the query names a room that a caller deleted, with that caller", async () => {
  await gateway.fillPool(1);
  const { name } = await gateway.consumer.createRoom();
  const sent = { headers: { "x-correlation-id": "delete-4" } };
  expect(await gateway.sendAsApplication(`DELETE /room/${name}`, sent)).toMatchObject({
    status: 204,
    headers: { "x-correlation-id": "delete-4" },
  });
  expect(rowsFor(name).at(-1)).toMatchObject({
    event: "room-deleted",
    caller: identities.clientId,
    correlationId: "delete-4",
  });
});
