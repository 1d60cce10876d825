/** The demonstration's steps at the end of a room: conference, event, garbage collection, explicit deletion. */
import { poll } from "../process/poll.ts";
import { createProgress } from "../terminal/progress.ts";
import type { DemoContext } from "./demo-context.ts";
import { exchange } from "./exchange.ts";
import { indent } from "./report.ts";
import type { DemoRoom } from "./room-steps.ts";

/** Holds a conference in a room and sees its end arrive; returns the time of the end in milliseconds. */
export async function holdConference(stage: DemoContext, room: DemoRoom): Promise<number> {
  const { connection, queues, report, stopping } = stage;
  report.step("Let the platform hold a conference in the first room, and end it");
  const control = `${connection.platformControlUrl}/control/conferences`;
  const names = { name: room.name };
  await exchange(report, { method: "POST", url: `${control}/start`, body: { ...names, participants: 2 } });
  const endedAt = Date.now();
  const ended = await exchange(report, { method: "POST", url: `${control}/end`, body: names });
  report.check("the conference has ended", ended.status === 204, ended);
  await poll(async () => ((await queues.peek("deletion")).includes(room.name) ? true : undefined), {
    description: "the room's name on room-deletion-queue",
    timeoutSeconds: 20,
    stopping,
  });
  report.check("the event sink has put the room's name on room-deletion-queue", true);
  return endedAt;
}

/** Fires the collector until the room is gone, and checks that it was not gone too early. */
export async function collectGarbage(stage: DemoContext, room: DemoRoom, endedAt: number): Promise<void> {
  const { connection, report, stopping, gateway } = stage;
  const { gatewayUrl, garbageMinimumAgeSeconds: ageSeconds } = connection;
  report.step(
    `Collect garbage, as the timer does every 10 minutes; rooms go ${ageSeconds} s after their end here`,
  );
  const fired = await gateway("POST", "/admin/functions/collectGarbage", { headers: {}, body: {} });
  report.check("the collector is started", fired.status === 202, fired.status);
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
      description: "the room to be collected",
      timeoutSeconds: ageSeconds + 30,
      pauseMilliseconds: 1000,
      stopping,
    },
  );
  progress.end();
  const seconds = (Date.now() - endedAt) / 1000;
  report.check(
    `the room was deleted, not before its time (${seconds.toFixed(1)} s)`,
    // Storage tells a message's age from two times in whole seconds.
    seconds > ageSeconds - 1,
    seconds,
  );
  const gone = await gateway("GET", `/room/${encodeURIComponent(room.name)}`);
  report.check("404 without a body", gone.status === 404 && gone.text === "", gone);
}

/** Deletes a room at once, twice. */
export async function deleteRoom({ report, gateway }: DemoContext, room: DemoRoom): Promise<void> {
  report.step("Delete the second room at once");
  const path = `/room/${encodeURIComponent(room.name)}`;
  const deleted = await gateway("DELETE", path);
  report.check("204 without a body", deleted.status === 204 && deleted.text === "", deleted);
  const again = await gateway("DELETE", path);
  report.check("404 without a body when it is gone", again.status === 404 && again.text === "", again);
}
