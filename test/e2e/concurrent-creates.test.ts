/** Ten concurrent clients create more rooms than the pool holds: no room is handed out twice or lost. */
import { expect, test, vi } from "vitest";
import { useRunningGateway } from "../support/running-gateway.ts";
import { longTestMilliseconds } from "../support/timeouts.ts";

const pooled = 40;
const wanted = 60;
const clients = 10;

const gateway = useRunningGateway({ settings: () => ({ MAX_VMR: String(pooled) }) });

test(
  "Ten clients create 60 different rooms from a pool of 40, which is full again afterwards",
  async () => {
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
      isAssigned: String("description" in room && room.description).startsWith(
        "vmr-gateway vmr-gateway assigned ",
      ),
    }));
    expect(descriptions).toHaveLength(wanted + settled);
    const assigned = descriptions.filter(({ isAssigned }) => isAssigned).map(({ name }) => name);
    expect(assigned.toSorted()).toEqual(created.toSorted());
    expect(await gateway.queues.deletion.count()).toBe(0);
  },
  longTestMilliseconds,
);
