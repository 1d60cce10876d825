/** Commands that are killed at any moment while callers create rooms: nothing is lost, and nothing is handed out twice. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { decodeRoomMessage, formatMarker, parseMarker } from "../../../src/lib/pool/room.ts";
import type { Queue } from "../../../src/lib/ports.ts";
import { projectFolder } from "../../../test/support/script-process.ts";
import { longTestMilliseconds } from "../../../test/support/timeouts.ts";
import { useOperatedGateway } from "./operated-gateway.ts";

const maxRooms = 12;
const kills = 3;
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
  await expect.poll(receiveRest, { timeout: longTestMilliseconds }).toBe(0);
  return names;
}

/** Checks that every room is with one caller, in the pool, or on its way to its deletion. */
async function expectNoRoomLost(
  handedOut: readonly string[],
): Promise<{ pool: string[]; deletion: string[] }> {
  const [pool, deletion] = [
    await namesIn(operated.queues.pool),
    [...new Set(await namesIn(operated.queues.deletion))],
  ];
  expect(new Set(handedOut).size).toBe(handedOut.length);
  expect(handedOut.filter((name) => pool.includes(name) || deletion.includes(name))).toEqual([]);
  expect(handedOut.filter((name) => operated.room(name) === undefined)).toEqual([]);
  const known = new Set([...handedOut, ...pool, ...deletion]);
  expect(operated.stack.platform.rooms().filter(({ name }) => !known.has(name))).toEqual([]);
  return { pool, deletion };
}

describe("Killed at any moment while callers create rooms", () => {
  test("ops shrink loses no room and hands out none that it deletes", {
    timeout: longTestMilliseconds,
  }, async () => {
    await operated.fillPool(maxRooms);
    operated.stack.platform.setLatency({ milliseconds: 15 });
    const callers = createRooms();
    for (let kill = 0; kill < kills; kill++) await runAndKill(["shrink", "0", "--yes"], "1/", 35 * kill);
    const handedOut = await callers.stop();
    await operated.settled();
    await expect
      .poll(async () => (await operated.ops("shrink", "0", "--yes")).exitCode, { timeout: 60_000 })
      .toBe(0);
    const { pool, deletion } = await expectNoRoomLost(handedOut);
    expect(handedOut.length).toBeGreaterThan(0);
    expect(deletion.length).toBeGreaterThanOrEqual(kills);
    expect(pool).toEqual([]);
  });

  test("ops recycle loses no room and keeps the level", { timeout: longTestMilliseconds }, async () => {
    const since = "2026-01-01T00:00:00.000Z";
    const description = formatMarker({ state: "pooled", since, fingerprint: "00000000" });
    for (let room = 0; room < maxRooms; room++) {
      operated.addRoom(`old-${room}`, { description });
      await operated.queues.pool.put(`old-${room}`);
    }
    operated.stack.platform.setLatency({ milliseconds: 15 });
    const recycle = ["recycle", "--yes", "--floor", "2", "--batch", "2"];
    const callers = createRooms();
    for (let kill = 0; kill < kills; kill++) await runAndKill(recycle, "0/", 20 + 50 * kill);
    const handedOut = await callers.stop();
    await operated.settled();
    await expect.poll(async () => (await operated.ops(...recycle)).exitCode, { timeout: 60_000 }).toBe(0);
    await operated.settled();
    const { pool } = await expectNoRoomLost(handedOut);
    const outdated = pool.filter((name) => {
      const marker = parseMarker(String(operated.room(name)?.["description"]));
      return marker?.state === "pooled" && marker.fingerprint === "00000000";
    });
    expect(outdated).toEqual([]);
  });

  test("ops redrive loses no request", { timeout: longTestMilliseconds }, async () => {
    for (let request = 0; request < maxRooms; request++)
      await operated.queues.poison.put('{"reason":"claimed"}');
    for (let kill = 0; kill < kills; kill++) await runAndKill(["redrive", "--yes"], "1/", kill);
    await operated.settled();
    // What a killed command held is visible again after its lease.
    await expect
      .poll(async () => (await operated.ops("redrive", "--yes")).exitCode, {
        timeout: 100_000,
        interval: 1000,
      })
      .toBe(0);
    await expect.poll(async () => operated.settled()).toBe(maxRooms);
    expect(await operated.queues.poison.count()).toBe(0);
  });
});
