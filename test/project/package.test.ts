/** The deployable zip starts with nothing beside it, and reads at start only what HTTP functions need. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, parse, posix } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identities, startDevelopmentStack } from "../../local/development-stack.ts";
import { startFunctionsHost } from "../../local/host/functions-host.ts";
import { poll } from "../../local/poll.ts";
import { packageOf, type UnpackedPackage, unpackPackage } from "./unpacked-package.ts";

let unpacked: UnpackedPackage;
beforeAll(async () => void (unpacked = await unpackPackage()));
afterAll(async () => unpacked.remove());

/** A bundled file and all that it imports at once, not what it imports when it is needed. */
function loadedWith(path: string): string[] {
  const imported = [
    ...unpacked.text(path).matchAll(/^(?:import|\} from|import \{[^}]*\} from) ?"(\.[^"]+)";$/gm),
  ];
  return [
    path,
    ...imported.flatMap(([, target]) => loadedWith(posix.join(posix.dirname(path), target ?? ""))),
  ];
}

describe("what only timers and some deployments need", () => {
  it.each(["@azure/identity", "@azure/msal-node", "@azure/msal-common", "@azure/monitor-ingestion"])(
    "%s is in the package, but is not read when the app starts",
    (name) => {
      expect(unpacked.scripts.flatMap(unpacked.sourcesOf).map(packageOf)).toContain(name);
      const atStart = loadedWith("dist/main.js");
      expect(atStart.length).toBeGreaterThan(1);
      const namesAtStart = atStart.flatMap(unpacked.sourcesOf).map(packageOf);
      expect(namesAtStart).toContain("@azure/storage-queue");
      expect(namesAtStart).not.toContain(name);
    },
  );

  it("@azure/identity can be loaded later", async () => {
    const chunk = unpacked.scripts.find((path) =>
      unpacked.sourcesOf(path).some((source) => packageOf(source) === "@azure/identity"),
    );
    const script = "console.log(typeof (await import(process.argv[1])).ManagedIdentityCredential)";
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", script, join(unpacked.folder, chunk ?? "")],
      { env: {}, timeout: 20_000 },
    );
    expect(stdout.trim()).toBe("function");
  });
});

it("starts in an empty folder without node_modules: 14 functions, healthy, and its timers find the log workspace", async () => {
  for (let parent = unpacked.folder; parent !== parse(parent).root; parent = dirname(parent)) {
    expect(existsSync(join(parent, "node_modules"))).toBe(false);
  }
  const stack = await startDevelopmentStack();
  try {
    const host = await startFunctionsHost({
      entry: join(unpacked.folder, JSON.parse(unpacked.text("package.json")).main),
      hostJsonPath: join(unpacked.folder, "host.json"),
      environment: stack.settings,
    });
    try {
      expect(host.functions).toHaveLength(14);
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
    } finally {
      await host.stop();
    }
  } finally {
    await stack.stop();
  }
});
