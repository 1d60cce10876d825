/** `npm run build` creates the whole app: the bundle starts and registers the same functions as the source. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { startFunctionsHost } from "../../tools/local/host/functions-host.ts";
import { startDevelopmentStack } from "../../tools/local/stack/development-stack.ts";
import { functionNames } from "../support/function-names.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
test("The bundle registers exactly the functions of the source and responds in the local host", async () => {
  const command = manifest.scripts.build.split(" && ").at(-1);
  expect(command).toBe("node tools/scripts/build.ts");
  execFileSync(process.execPath, ["tools/scripts/build.ts"], { cwd: root, stdio: "pipe" });

  const stack = await startDevelopmentStack();
  onTestFinished(async () => stack.stop());
  const start = async (entry: string) => {
    const host = await startFunctionsHost({
      entry: `${root}${entry}`,
      hostJsonPath: `${root}host.json`,
      environment: stack.settings,
      timersEnabled: false,
    });
    onTestFinished(async () => host.stop());
    return host;
  };
  const [bundle, source] = await Promise.all([start(manifest.main), start("src/main.ts")]);
  expect(bundle.functions.map(({ name }) => name).toSorted()).toEqual(functionNames);
  expect(bundle.functions).toEqual(source.functions);
  expect((await fetch(`${bundle.url}/public/health`)).status).toBe(200);
  expect((await fetch(`${bundle.url}/room/list`)).status).toBe(401);
});
