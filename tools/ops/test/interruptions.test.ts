/** Commands that are killed at any moment while callers create rooms: nothing is lost, and nothing is handed out twice. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { decodeRoomMessage } from "../../../src/lib/pool/room.ts";
import type { Queue } from "../../../src/lib/ports.ts";
import { formatMarker } from "../../../test/support/markers.ts";
import { projectFolder } from "../../../test/support/script-process.ts";
import { longTestMilliseconds } from "../../../test/support/timeouts.ts";
import { useOperatedGateway } from "./operated-gateway.ts";

const maxRooms = 12;
const operated = useOperatedGateway({
  MAX_VMR: String(maxRooms),
  // What a killed command held is visible again soon.
  POOL_LEASE_SECONDS: "8",
});

/** Starts a command as a process of its own, and kills it this long after its progress has this text. */
async function runAndKill(args: readonly string[], progress: string, milliseconds: number): Promise<void> {
  const child = spawn(
    process.execPath,
    ["tools/ops/main.ts", ...args, "--local", "--connection-file", operated.connectionFile],
    { cwd: projectFolder, stdio: ["ignore", "ignore", "pipe"] },
  );
  const exited = once(child, "exit");
  let remarks = "";
  const reached = new Promise<void>((resolve) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      remarks += text;
      if (remarks.includes(progress)) resolve();
    });
  });
  await Promise.race([reached, exited]);
  await delay(milliseconds);
  child.kill("SIGKILL");
  await exited;
}

/** Creates rooms until it is stopped; returns their names. */
function createRooms(): { stop: () => Promise<string[]> } {
  const names: string[] = [];
  let isRunning = true;
  const running = (async () => {
    while (isRunning) {
      const { status, json } = await operated.sendAsApplication("POST /room/create");
      if (status === 200) names.push(String((json as { name: string }).name));
      await delay(150);
    }
  })();
  return {
    stop: async () => {
      isRunning = false;
      await running;
      return names;
    },
  };
}

/** Returns all names, also those that a killed command has leased: it waits until their leases have ended. */
async function namesIn(queue: Queue): Promise<string[]> {
  const names: string[] = [];
  const receiveRest = async (): Promise<number> => {
    for (const { text } of await queue.receive(32, 600)) names.push(decodeRoomMessage(text).room);
    // The count includes the messages that are leased, by this function or by others.
    return (await queue.count()) - names.length;
  };
  await expect.poll(receiveRest, { timeout: longTestMilliseconds, interval: 500 }).toBe(0);
  return names;
}

test("ops recycle and shrink lose no room and hand out none that they delete", {
  timeout: longTestMilliseconds,
}, async () => {
  const since = "2026-01-01T00:00:00.000Z";
  const description = formatMarker({ state: "pooled", since, fingerprint: "00000000" });
  for (let room = 0; room < maxRooms; room++) {
    operated.addRoom(`old-${room}`, { description });
    await operated.queues.pool.put(`old-${room}`);
  }
  operated.stack.platform.setLatency({ milliseconds: 15 });
  const callers = createRooms();
  await runAndKill(["recycle", "--yes", "--floor", "2", "--batch", "2"], "0/", 70);
  for (const milliseconds of [0, 35]) await runAndKill(["shrink", "0", "--yes"], "1/", milliseconds);
  const handedOut = await callers.stop();
  await operated.settled();
  const shrink = async () => (await operated.ops("shrink", "0", "--yes")).exitCode;
  await expect.poll(shrink, { timeout: 60_000, interval: 500 }).toBe(0);

  const [pool, deletion] = [
    await namesIn(operated.queues.pool),
    new Set(await namesIn(operated.queues.deletion)),
  ];
  expect(pool).toEqual([]);
  expect(deletion.size).toBeGreaterThan(0);
  expect(handedOut.length).toBeGreaterThan(0);
  expect(new Set(handedOut).size).toBe(handedOut.length);
  expect(handedOut.filter((name) => deletion.has(name))).toEqual([]);
  expect(handedOut.filter((name) => operated.room(name) === undefined)).toEqual([]);
  const known = new Set([...handedOut, ...deletion]);
  expect(operated.stack.platform.rooms().filter(({ name }) => !known.has(name))).toEqual([]);
});
