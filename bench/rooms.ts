/** Puts rooms on the platform and their names into the pool, ready to be claimed. */
import { randomUUID } from "node:crypto";
import { formatMarker } from "../src/lib/rooms/marker.ts";
import type { BareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";

/** Seeds rooms through the simulator's control API; gives their names. */
export async function seedRooms(stack: BenchStack, count: number): Promise<string[]> {
  const namePrefix = `bench-${randomUUID().slice(0, 8)}-`;
  const description = formatMarker({ state: "pooled", since: new Date().toISOString() });
  await stack.control("POST", "/control/rooms", { count, namePrefix, fields: { description } });
  return Array.from({ length: count }, (_, index) => `${namePrefix}${String(index).padStart(5, "0")}`);
}

/** Seeds rooms and puts their names into the pool. */
export async function fillPool(stack: BenchStack, bare: BareCalls, count: number): Promise<void> {
  const names = await seedRooms(stack, count);
  const put = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) await bare.put("pool", name);
  };
  await Promise.all(Array.from({ length: 8 }, put));
}
