/** The deployable zip starts without further files, and loads at start only what HTTP functions need. */
import { existsSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startFunctionsHost } from "../../tools/local/host/functions-host.ts";
import { poll } from "../../tools/local/process/poll.ts";
import { startDevelopmentStack } from "../../tools/local/stack/development-stack.ts";
import { identities } from "../../tools/local/stack/identities.ts";
import { functionNames } from "../support/function-names.ts";
import { packageOf, unpackPackage } from "../support/unpacked-package.ts";
import { useStarted } from "../support/use-started.ts";

const unpacked = useStarted(unpackPackage);

describe("In the package, a dependency of timers or of some deployments", () => {
  it.each(["@azure/identity", "@azure/msal-node", "@azure/msal-common", "@azure/monitor-ingestion"])(
    "such as %s runs only when it is first imported",
    (name) => {
      const script = unpacked.text("dist/main.js");
      const sources = unpacked.sourcesOf("dist/main.js").filter((source) => packageOf(source) === name);
      expect(sources.length).toBeGreaterThan(0);
      // esbuild writes a comment with the path before each module, and wraps those that are imported later.
      const wrapped = new RegExp(`"node_modules/(?:.*/)?${name}/[^"]+"\\((?:exports[^)]*)?\\) \\{`);
      expect(script).toMatch(wrapped);
      const storage = /"node_modules\/@azure\/storage-queue\/[^"]+"\(/;
      expect(script).not.toMatch(storage);
    },
  );
});

it("The package starts in an empty folder without node_modules, with every function, and its timers reach the log workspace", async () => {
  for (let parent = unpacked.folder; parent !== parse(parent).root; parent = dirname(parent)) {
    expect(existsSync(join(parent, "node_modules"))).toBe(false);
  }
  const stack = await startDevelopmentStack();
  onTestFinished(async () => stack.stop());
  const host = await startFunctionsHost({
    entry: join(unpacked.folder, JSON.parse(unpacked.text("package.json")).main),
    hostJsonPath: join(unpacked.folder, "host.json"),
    environment: stack.settings,
  });
  onTestFinished(async () => host.stop());
  expect(host.functions.map(({ name }) => name).toSorted()).toEqual(functionNames);
  const health = await fetch(`${host.url}/public/health`);
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({ status: "alive" });
  const authorization = `Bearer ${stack.issuer.issueToken(identities.clientId)}`;
  const list = await fetch(`${host.url}/room/list`, { headers: { authorization } });
  expect(list.status).toBe(200);
  // collectMetrics runs on startup; the client of the log workspace is loaded for it.
  const rows = await poll(async () => stack.logWorkspace.rows().at(0), {
    description: "a row in the log workspace",
    timeoutSeconds: 15,
  });
  expect(rows.row).toMatchObject({ PlatformConnected: true });
});
