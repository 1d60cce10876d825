/** How much processor time a create takes in the app's process, and which part of the code takes it. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { createBareCalls } from "./bare-calls.ts";
import { type BenchStack, startBenchStack } from "./bench-stack.ts";
import { create, fillPool } from "./pool.ts";
import type { Result } from "./results.ts";
import { format } from "./statistics.ts";

const warmUpCreates = 500;
const creates = 500;
const targetMilliseconds = 3.5;
// Replacements are requested, as in every create, but nothing consumes them during the measurement.
const settings = { MAX_VMR: "5000", "AzureWebJobs.provisionRoom.Disabled": "true" };

/** Measures the bundle, then profiles the sources, whose paths name the packages. */
export async function measureProcessorTime(): Promise<Result[]> {
  const { milliseconds, floor } = await withStack(await startBenchStack(settings), measureBundle);
  const folder = await mkdtemp(join(tmpdir(), "vmr-gateway-profile-"));
  try {
    const profiled = { ...settings, NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` };
    const period = await withStack(await startBenchStack(profiled, "src/main.ts"), createRooms);
    const parts = await readParts(folder, period);
    const ratio = milliseconds / floor;
    return [
      {
        what: "Processor time of a create, platform latency 0 ms",
        measured: `${format(milliseconds)} ms`,
        floor: `${format(floor)} ms`,
        ratio,
        target: { text: `≤ ${targetMilliseconds} ms`, isReached: milliseconds <= targetMilliseconds },
        explanation: `The floor is the five calls made bare by the load driver. Parts of the app's time: ${parts}.`,
      },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function withStack<T>(stack: BenchStack, measure: (stack: BenchStack) => Promise<T>): Promise<T> {
  try {
    return await measure(stack);
  } finally {
    await stack.stop();
  }
}

interface Period {
  readonly start: number;
  readonly end: number;
}

/** Creates rooms one after the other. Returns the period after the warm-up, in microseconds of the monotonic clock. */
async function createRooms(stack: BenchStack): Promise<Period> {
  await fillPool(stack, await createBareCalls(stack), warmUpCreates + creates);
  for (let count = 0; count < warmUpCreates; count++) await create(stack);
  const start = monotonicMicroseconds();
  for (let count = 0; count < creates; count++) await create(stack);
  return { start, end: monotonicMicroseconds() };
}

async function measureBundle(stack: BenchStack): Promise<{ milliseconds: number; floor: number }> {
  const bare = await createBareCalls(stack);
  await fillPool(stack, bare, warmUpCreates + 2 * creates);
  for (let count = 0; count < warmUpCreates; count++) await create(stack);
  const before = await processorMilliseconds(stack.appProcessId);
  for (let count = 0; count < creates; count++) await create(stack);
  const milliseconds = ((await processorMilliseconds(stack.appProcessId)) - before) / creates;

  const own = process.cpuUsage();
  for (let count = 0; count < creates; count++)
    await Promise.all([bare.claim(), bare.put("deletion", "bench")]);
  const { user, system } = process.cpuUsage(own);
  return { milliseconds, floor: (user + system) / 1000 / creates };
}

// Linux counts in ticks of 10 ms: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
async function processorMilliseconds(processId: number): Promise<number> {
  const stat = await readFile(`/proc/${processId}/stat`, "utf8");
  const [, , , , , , , , , , , userTicks, systemTicks] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return 10 * (Number(userTicks) + Number(systemTicks));
}

function monotonicMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

const frameSchema = z.object({ functionName: z.string(), url: z.string() });
const profileSchema = z.object({
  nodes: z.array(z.object({ id: z.int(), callFrame: frameSchema, children: z.array(z.int()).default([]) })),
  startTime: z.number(),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.number()),
});
type Profile = z.output<typeof profileSchema>;

// The first that matches the path of a function, or of its nearest caller with a path, names its part.
const parts = [
  { name: "the gateway's own code", path: /\/src\/(?:lib|functions)\// },
  {
    name: "storage SDK",
    path: /node_modules\/(?:@azure\/(?:storage|core)|@typespec|fast-xml|@nodable|path-ex)/,
  },
  { name: "undici", path: /node_modules\/undici\// },
  { name: "token verification", path: /node_modules\/(?:jsonwebtoken|jws|jwa)\// },
  { name: "Functions library", path: /node_modules\/@azure\/functions\// },
  { name: "local host", path: /\/local\// },
  { name: "other packages", path: /node_modules\// },
] as const;
const nodeItself = "Node's sockets and runtime";

/** Returns each part's share of the processor time of the app in this period, the largest first. */
async function readParts(folder: string, period: Period): Promise<string> {
  const files = await readdir(folder);
  const profiles = await Promise.all(
    files.map(async (file) => profileSchema.parse(JSON.parse(await readFile(join(folder, file), "utf8")))),
  );
  const app = profiles.find(({ nodes }) => nodes.some(({ callFrame }) => /\/src\/lib\//.test(callFrame.url)));
  if (!app) throw new Error("the app's process wrote no profile");
  const times = sumByPart(app, period);
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, time]) => `${name} ${Math.round((100 * time) / total)} %`)
    .join(", ");
}

function sumByPart({ nodes, startTime, samples, timeDeltas }: Profile, period: Period): Map<string, number> {
  const partById = new Map<number, string | undefined>();
  // A node stands before its children, so its part is known when theirs is sought.
  for (const { id, callFrame, children } of nodes) {
    const part = parts.find(({ path }) => path.test(callFrame.url))?.name ?? partById.get(id) ?? nodeItself;
    partById.set(id, callFrame.functionName === "(idle)" ? undefined : part);
    for (const child of children) partById.set(child, part);
  }
  const times = new Map<string, number>();
  let now = startTime;
  for (const [index, id] of samples.entries()) {
    const elapsed = timeDeltas[index] ?? 0;
    now += elapsed;
    const part = partById.get(id);
    if (part === undefined || now < period.start || now > period.end) continue;
    times.set(part, (times.get(part) ?? 0) + elapsed);
  }
  return times;
}
