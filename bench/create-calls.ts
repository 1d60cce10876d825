/** A create through the gateway, and its floor: the same calls made bare. */
import { setTimeout as wait } from "node:timers/promises";
import type { BareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { send } from "./warm-http.ts";

const serviceTag = "https://verify.example.com/sessions/bench";
const uuiData = `${Buffer.from(serviceTag).toString("hex")};encoding=hex`;

export function createUrl({ gatewayUrl }: BenchStack): string {
  return `${gatewayUrl}/room/create?uuiData=${encodeURIComponent(uuiData)}`;
}

/** Asks the gateway for a room; gives its name. Throws with the status of any other answer than 200. */
export async function create(stack: BenchStack): Promise<string> {
  const headers = { authorization: `Bearer ${stack.token}` };
  const answer = await send("POST", createUrl(stack), { headers });
  if (answer.status !== 200) throw new Error(`create: ${answer.status} ${answer.text}`.trim());
  return (JSON.parse(answer.text) as { name: string }).name;
}

/** The four calls of a claim: receive, GET, PATCH, delete. Gives the room's name. */
export async function claimBare(bare: BareCalls): Promise<string> {
  const message = await bare.receive();
  const room = await bare.find(message.text);
  await bare.patch(room.id, { tag: serviceTag, description: "bench" });
  await bare.remove(message);
  return message.text;
}

/** A bare claim, and its room back into the pool, which thereby keeps its size. */
export async function claimAndPutBack(bare: BareCalls): Promise<void> {
  await bare.put("pool", await claimBare(bare));
}

/** So many creates by a few callers; whoever finds the pool empty waits for replacements. */
export async function createMany(stack: BenchStack, creates: number, callers: number): Promise<void> {
  let left = creates;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await create(stack).catch(async (error: unknown) => {
        if (!(error instanceof Error) || error.message !== "create: 404") throw error;
        left += 1;
        await wait(200);
      });
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

/** Creates and their replacements: the app's code is compiled, its connections are open, and the pool has its size again. */
export async function warmUp(stack: BenchStack, creates: number): Promise<void> {
  await createMany(stack, creates, 4);
  for (let asked = -1; ; await wait(500)) {
    const { total } = (await stack.control("GET", "/control/requests")) as { total: number };
    if (total === asked) return;
    asked = total;
  }
}

export async function setLatency(stack: BenchStack, milliseconds: number): Promise<void> {
  await stack.control("POST", "/control/latency", { milliseconds });
}

/** Empties the pool and deletes its rooms. */
export async function drainPool({ gatewayUrl, token }: BenchStack): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await send("DELETE", `${gatewayUrl}/room/bulk`, { headers });
  if (status !== 204) throw new Error(`bulk delete: ${status}`);
}
