/** Ten clients at once create more rooms than the pool holds: no room twice, none lost, and the pool settles again. */
import { expect, onTestFinished, test, vi } from "vitest";
import { type RunningGateway, startRunningGateway } from "../support/running-gateway.ts";

const pooled = 200;
const wanted = 300;
const clients = 10;
/** Ample, as the computer may be busy with other tests. */
const longMilliseconds = 180_000;

async function start(maxRooms: number): Promise<RunningGateway> {
  const gateway = await startRunningGateway({ settings: () => ({ MAX_VMR: String(maxRooms) }) });
  onTestFinished(() => gateway.stop());
  return gateway;
}

test(
  "10 clients create 300 rooms from a pool of 200",
  async () => {
    const gateway = await start(pooled);
    await gateway.fillPool(pooled);
    const headers = gateway.asApplication();
    const created: string[] = [];
    const unexpected: number[] = [];
    const wronglyEmpty: string[] = [];
    let reserved = 0;
    let asked = 0;
    let answeredEmpty = 0;

    async function createOne(): Promise<void> {
      // The log comes later than what it tells of: at least so many rooms could be claimed before the request.
      const readyBefore = gateway.logged("room-provisioned").length;
      asked += 1;
      const answer = await gateway.send("POST /room/create", { headers });
      if (answer.status === 200) {
        created.push((answer.json as { name: string }).name);
        return;
      }
      reserved -= 1;
      if (answer.status !== 404) {
        unexpected.push(answer.status);
        return;
      }
      answeredEmpty += 1;
      const takenAtMost = asked - answeredEmpty;
      if (readyBefore > takenAtMost) wronglyEmpty.push(`${readyBefore} were ready, ${takenAtMost} taken`);
      await vi.waitFor(async () => expect(await gateway.queues.pool.oldestAgeSeconds()).toBeDefined(), {
        timeout: longMilliseconds,
        interval: 20,
      });
    }
    async function client(): Promise<void> {
      while (reserved < wanted && unexpected.length === 0) {
        reserved += 1;
        await createOne();
      }
    }
    await Promise.all(Array.from({ length: clients }, client));

    expect(unexpected).toEqual([]);
    expect(wronglyEmpty).toEqual([]);
    expect(created).toHaveLength(wanted);
    expect(new Set(created).size).toBe(wanted);
    expect(await gateway.settled()).toBe(pooled);

    const descriptions = gateway.stack.platform.rooms().map((room) => ({
      name: room.name,
      isAssigned: String("description" in room && room.description).startsWith("vmr-gateway assigned "),
    }));
    expect(descriptions).toHaveLength(wanted + pooled);
    const assigned = descriptions.filter(({ isAssigned }) => isAssigned).map(({ name }) => name);
    expect(assigned.toSorted()).toEqual(created.toSorted());
    expect(await gateway.queues.deletion.count()).toBe(0);
  },
  longMilliseconds,
);

test(
  "an empty pool answers 404 to all, and heals itself up to the maximum",
  async () => {
    const gateway = await start(4);
    const headers = gateway.asApplication();
    const answers = await Promise.all(
      Array.from({ length: clients }, async () => gateway.send("POST /room/create", { headers })),
    );
    expect(answers.filter(({ status }) => status !== 404 && status !== 200)).toEqual([]);
    expect(answers.filter(({ status }) => status === 404).length).toBeGreaterThan(0);
    expect(await gateway.settled()).toBeGreaterThan(0);
    expect(await gateway.settled()).toBeLessThanOrEqual(4);
  },
  longMilliseconds,
);
