/**
 * docs/deployment.md, "Taking over from a running service": the old service no longer runs, and callers still have rooms
 * of it on the gateway's platform.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/script-process.ts";
import { createManualClock } from "../../simulators/memory/clock.ts";
import { createMemoryGateway, createMemoryWorld } from "../../simulators/memory/gateway.ts";
import { platformOf } from "../gateway/target.ts";
import { memoryTarget } from "./memory-target.ts";
import { ops } from "./run-ops.ts";

/** The old service's rooms, by where its queues have their names. */
const pooled = "Old/pooled+ä==";
const toDelete = ["Old/ended", "Old/live-again"];
const inNoQueue = ["Old/live", "Old/never-joined"];
const oldRooms = [pooled, ...toDelete, ...inNoQueue];
const live = ["Old/live-again", "Old/live"];

test.each([
  { unmarkedRooms: "collect", kept: ["Old/never-joined"] },
  { unmarkedRooms: "keep", kept: ["Old/live", "Old/never-joined"] },
])(
  "While the gateway takes over with UNMARKED_ROOMS=$unmarkedRooms, no call ends early and no old room is left",
  async ({ unmarkedRooms, kept }) => {
    const world = createMemoryWorld(createManualClock());
    const { clock, platform, queues } = world;
    const { settings, client, ...gateway } = createMemoryGateway(world, {
      settings: { MAX_VMR: "2", UNMARKED_ROOMS: unmarkedRooms },
    });
    const target = memoryTarget({ clock, queues, settings, platform: platformOf(client) });
    const unmarked = async (...args: string[]) => ops(["unmarked", ...args], { connect: async () => target });
    const file = join(await temporaryFolder(), "names.txt");
    async function deleteRooms(names: readonly string[]): Promise<void> {
      await writeFile(file, names.join("\n"));
      // The second run finds nothing to do.
      for (let run = 0; run < 2; run++) expect((await unmarked(file, "--yes")).exitCode).toBe(0);
    }
    async function leave(name: string): Promise<void> {
      platform.endConference({ name });
      const json = { event: "conference_ended", data: { name } };
      expect(await gateway.call("eventSink", { json })).toMatchObject({ status: 204 });
    }
    async function passHalfAnHour(): Promise<void> {
      for (let run = 0; run < 3; run++) {
        clock.advance(600);
        await gateway.runTimer("collectGarbage");
      }
    }
    const oldRoomsLeft = () => platform.rooms().flatMap(({ name }) => (oldRooms.includes(name) ? name : []));

    platform.seedRooms({ rows: oldRooms.map((name) => ({ name, aliases: [{ alias: name }] })) });
    for (const name of live) platform.startConference({ name });
    await gateway.call("bulkCreateRooms");
    while (await gateway.deliver());
    const created = await gateway.call("createRoomFromQueue");
    expect(oldRooms).not.toContain(Object(created.json).name);
    // Consumers still use the rooms that they have from the old service.
    expect(await gateway.call("getRoom", { roomName: pooled })).toMatchObject({ status: 200 });
    const changed = await gateway.call("updateRoom", { roomName: pooled, json: { participant_limit: 5 } });
    expect(changed).toMatchObject({ status: 202 });
    // All callers leave for a moment.
    for (const name of live) {
      await leave(name);
      platform.startConference({ name });
    }
    await passHalfAnHour();
    expect(oldRoomsLeft()).toEqual(oldRooms);

    await deleteRooms([Buffer.from(pooled).toString("base64"), ...toDelete]);
    await passHalfAnHour();
    expect(oldRoomsLeft()).toEqual(["Old/live-again", ...inNoQueue]);
    for (const name of live) await leave(name);
    await passHalfAnHour();
    expect(oldRoomsLeft()).toEqual(kept);

    clock.advance(24 * 3600);
    await deleteRooms((await unmarked()).output.trim().split("\n"));
    await passHalfAnHour();
    expect(oldRoomsLeft()).toEqual([]);
    expect(await unmarked()).toMatchObject({ exitCode: 0, output: "" });
  },
);
