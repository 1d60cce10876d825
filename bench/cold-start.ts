/** How long the app takes to load: the bundle against the unbundled sources, each in fresh processes. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startDevelopmentStack } from "../local/gateway/development-stack.ts";
import type { Result } from "./results.ts";
import { round, summarise } from "./statistics.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const rounds = 9;

// Adapters a host `@azure/functions` registers nothing but loads all the same: what is timed is loading alone.
const script = `const startedAt = performance.now(); await import(process.argv[1]);
process.stdout.write("\\n" + (performance.now() - startedAt) + "\\n"); process.exit(0);`;

export async function measureColdStart(): Promise<Result[]> {
  const stack = await startDevelopmentStack();
  try {
    const bundle: number[] = [];
    const sources: number[] = [];
    for (let index = 0; index < rounds; index++) {
      bundle.push(loadMilliseconds(`${root}dist/main.js`, stack.settings));
      sources.push(loadMilliseconds(`${root}src/main.ts`, stack.settings));
    }
    const [bundled, unbundled] = [summarise(bundle).p50, summarise(sources).p50];
    const ratio = round(bundled / unbundled);
    return [
      {
        what: "cold start: loading the app",
        figures: { bundleMilliseconds: bundled, sourcesMilliseconds: unbundled, ratio },
        target: "bundle ≤ 0.45 × unbundled sources",
        isReached: ratio <= 0.45,
      },
    ];
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
