/** Ten concurrent clients create more rooms than the pool holds: no room is handed out twice or lost. */
import { expect, onTestFinished, test, vi } from "vitest";
import { type RunningGateway, startRunningGateway } from "../support/running-gateway.ts";
import { longTestMilliseconds } from "../support/timeouts.ts";

const pooled = 40;
const wanted = 60;
const clients = 10;

async function start(maxRooms: number): Promise<RunningGateway> {
  const gateway = await startRunningGateway({ settings: () => ({ MAX_VMR: String(maxRooms) }) });
  onTestFinished(() => gateway.stop());
  return gateway;
}

test(
  "Ten clients create 60 different rooms from a pool of 40, which is full again afterwards",
  async () => {
    const gateway = await start(pooled);
    await gateway.fillPool(pooled);
    const headers = gateway.asApplication();
    const created: string[] = [];
    const unexpected: number[] = [];
    const wronglyEmpty: string[] = [];
    let reserved = 0;
    let requests = 0;
    let emptyResponses = 0;

    async function createOne(): Promise<void> {
      // A room is available before its log line is written: at least so many could be claimed before the request.
      const readyBefore = gateway.logged("room-provisioned").length;
      requests += 1;
      const response = await gateway.send("POST /room/create", { headers });
      if (response.status === 200) {
        created.push((response.json as { name: string }).name);
        return;
      }
      reserved -= 1;
      if (response.status !== 404) {
        unexpected.push(response.status);
        return;
      }
      emptyResponses += 1;
      const maxTaken = requests - emptyResponses;
      if (readyBefore > maxTaken) wronglyEmpty.push(`${readyBefore} were ready, ${maxTaken} taken`);
      await vi.waitFor(async () => expect(await gateway.queues.pool.oldestAgeSeconds()).toBeDefined(), {
        timeout: longTestMilliseconds,
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
    // A caller who finds the pool empty while another create is between its commit and its request asks for one more.
    const settled = await gateway.settled();
    expect(settled).toBeGreaterThanOrEqual(pooled);
    expect(settled).toBeLessThan(pooled + clients);

    const descriptions = gateway.stack.platform.rooms().map((room) => ({
      name: room.name,
      isAssigned: String("description" in room && room.description).startsWith("vmr-gateway assigned "),
    }));
    expect(descriptions).toHaveLength(wanted + settled);
    const assigned = descriptions.filter(({ isAssigned }) => isAssigned).map(({ name }) => name);
    expect(assigned.toSorted()).toEqual(created.toSorted());
    expect(await gateway.queues.deletion.count()).toBe(0);
  },
  longTestMilliseconds,
);

test(
  "An empty pool returns 404 and is refilled, up to the maximum",
  async () => {
    const gateway = await start(4);
    const headers = gateway.asApplication();
    const responses = await Promise.all(
      Array.from({ length: clients }, async () => gateway.send("POST /room/create", { headers })),
    );
    expect(responses.filter(({ status }) => status !== 404 && status !== 200)).toEqual([]);
    expect(responses.filter(({ status }) => status === 404).length).toBeGreaterThan(0);
    expect(await gateway.settled()).toBeGreaterThan(0);
    expect(await gateway.settled()).toBeLessThan(4 + clients);
  },
  longTestMilliseconds,
);
