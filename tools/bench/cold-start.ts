/** Measures how long the bundle takes to load in a new process, compared with the sources. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startDevelopmentStack } from "../local/stack/development-stack.ts";
import { atMost, compareTimes, type Result } from "./results.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const rounds = 9;

// Without a host, `@azure/functions` registers nothing, so this measures loading alone.
const script = `const startedAt = performance.now(); await import(process.argv[1]);
process.stdout.write("\\n" + (performance.now() - startedAt) + "\\n"); process.exit(0);`;

export async function measureColdStart(): Promise<Result> {
  const stack = await startDevelopmentStack();
  try {
    const bundles: number[] = [];
    const sources: number[] = [];
    for (let round = 0; round < rounds; round++) {
      bundles.push(loadMilliseconds(`${root}dist/main.js`, stack.settings));
      sources.push(loadMilliseconds(`${root}src/main.ts`, stack.settings));
    }
    return {
      what: "Cold start: loading the app",
      ...compareTimes(bundles, sources),
      target: atMost(0.5),
      explanation: "The floor column holds the reference: the unbundled sources with their packages.",
    };
  } finally {
    await stack.stop();
  }
}

function loadMilliseconds(entry: string, settings: Record<string, string>): number {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script, entry], {
    env: { PATH: process.env["PATH"], ...settings },
    encoding: "utf8",
  });
  const milliseconds = Number(stdout.trim().split("\n").at(-1));
  if (!Number.isFinite(milliseconds)) throw new Error(`the app did not load: ${stderr}`);
  return milliseconds;
}
