/** The demonstration's last steps of a room: conference, event, garbage collection, deletion. */
import { poll } from "../process/poll.ts";
import { createProgress } from "../terminal/progress.ts";
import type { DemoContext } from "./demo-context.ts";
import { indent } from "./report.ts";
import type { DemoRoom } from "./room-steps.ts";

/** Runs a conference in the room and waits for its end event; returns the time of the end in milliseconds. */
export async function holdConference(demo: DemoContext, room: DemoRoom): Promise<number> {
  const { connection, queues, report, stopping, send } = demo;
  report.step("Start and end a conference in the first room");
  const control = `${connection.platformControlUrl}/control/conferences`;
  const names = { name: room.name };
  await send("POST", `${control}/start`, { headers: {}, body: { ...names, participants: 2 } });
  const endedAt = Date.now();
  const ended = await send("POST", `${control}/end`, { headers: {}, body: names });
  report.check("the conference has ended", ended.status === 204, ended);
  await poll(async () => ((await queues.peek("deletion")).includes(room.name) ? true : undefined), {
    description: "the room's name on room-deletion-queue",
    timeoutSeconds: 20,
    stopping,
  });
  report.check("the event sink has stored the room's name on room-deletion-queue", true);
  return endedAt;
}

/** Fires garbage collection until the room is deleted, and checks that this was not too early. */
export async function collectGarbage(demo: DemoContext, room: DemoRoom, endedAt: number): Promise<void> {
  const { connection, report, stopping, checkEmpty, send } = demo;
  const { gatewayUrl, garbageMinimumAgeSeconds: ageSeconds } = connection;
  report.step(
    `Collect garbage, as the timer does every 10 minutes; here, rooms are deleted ${ageSeconds} s after their end`,
  );
  const fired = await send("POST", "/admin/functions/collectGarbage", { headers: {}, body: {} });
  report.check("the run is accepted", fired.status === 202, fired.status);
  const url = `${connection.platformControlUrl}/control/rooms`;
  const isThere = async (): Promise<boolean> => (await (await fetch(url)).text()).includes(`"${room.name}"`);
  const progress = createProgress(report.output, "seconds since the end", Math.ceil(ageSeconds), indent);
  await poll(
    async () => {
      if (!(await isThere())) return true;
      progress.show(Math.floor((Date.now() - endedAt) / 1000));
      const body = "{}";
      const headers = { "content-type": "application/json" };
      await fetch(`${gatewayUrl}/admin/functions/collectGarbage`, { method: "POST", headers, body });
      return undefined;
    },
    {
      description: "the room to be deleted",
      timeoutSeconds: ageSeconds + 30,
      pauseMilliseconds: 1000,
      stopping,
    },
  );
  progress.end();
  const seconds = (Date.now() - endedAt) / 1000;
  report.check(
    `the room was deleted ${seconds.toFixed(1)} s after its end, not earlier than configured`,
    // Storage computes a message's age from two times in whole seconds.
    seconds > ageSeconds - 1,
    seconds,
  );
  await send("GET", `/room/${encodeURIComponent(room.name)}`);
  checkEmpty("404 without a body", 404);
}

/** Deletes a room twice. */
export async function deleteRoom(demo: DemoContext, room: DemoRoom): Promise<void> {
  const { report, client, checkEmpty, send } = demo;
  report.step("Delete the second room");
  await client.deleteRoom(room.name);
  checkEmpty("204 without a body", 204);
  await send("DELETE", `/room/${encodeURIComponent(room.name)}`);
  checkEmpty("404 without a body on the second attempt", 404);
}
