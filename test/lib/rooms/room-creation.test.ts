/** Creating a room: what reaches the log of a request whose `uuiData` is refused. */
import { HttpRequest, InvocationContext } from "@azure/functions";
import { expect, test } from "vitest";
import { createRoomFromQueue } from "../../../src/functions/create-room-from-queue.ts";
import { toHandler } from "../../../src/lib/http/handler.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { openAccess } from "../../support/open-access.ts";
import { canary, refusedUuiData } from "../../support/refused-uui-data.ts";

test.each(Object.entries(refusedUuiData))("uuiData with %s is 422 and is not logged", async (_, query) => {
  const lines: string[] = [];
  const claim = async () => Promise.reject(new Error("a room was claimed"));
  const handler = toHandler(createRoomFromQueue, {
    accessChecks: openAccess,
    clock: createManualClock(),
    claims: { claim },
    idempotentClaims: { claim },
    serviceTagBaseUrl: "https://verify.example.com",
  });
  const url = `http://127.0.0.1/room/create?${query}`;
  const logHandler = (_level: string, line: unknown) => void lines.push(String(line));
  const context = new InvocationContext({ functionName: "createRoomFromQueue", logHandler });
  const { status } = await handler(new HttpRequest({ method: "POST", url }), context);

  expect(status).toBe(422);
  expect(lines).toEqual([expect.stringContaining('"status":422')]);
  expect(lines.join("")).not.toContain(canary);
  expect(lines.join("")).not.toContain(Buffer.from(canary).toString("hex"));
});
