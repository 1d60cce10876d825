/** The hook between provisioning and deploying: it lets a complete vault pass and names what another one lacks. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vmr-hook-"));
  // Stands in for the Azure command line: a secret is there when its name is in HELD.
  writeFileSync(join(folder, "az"), '#!/bin/sh\ncase " $HELD " in *" $7 "*) exit 0 ;; *) exit 3 ;; esac\n');
  chmodSync(join(folder, "az"), 0o755);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function runHook(environment: Readonly<Record<string, string>>) {
  return spawnSync("sh", [join("infra", "hooks", "ask-missing-secrets.sh")], {
    encoding: "utf8",
    timeout: 20_000,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: [folder, process.env["PATH"]].join(delimiter),
      KEY_VAULT_NAME: "kv-example",
      ...environment,
    },
  });
}

describe("infra/hooks/ask-missing-secrets.sh", () => {
  it("passes when the vault holds every secret", () => {
    const held = "ROOM-HOST-PIN EVENT-SINK-PASSWORD PLATFORM-PASSWORD";
    expect(runHook({ PLATFORM_USERNAME: "vmr-gateway", HELD: held })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });

  it("stops before the app is deployed and names what is missing when nobody can be asked", () => {
    const { status, stderr } = runHook({ PLATFORM_USERNAME: "vmr-gateway", HELD: "ROOM-HOST-PIN" });
    expect(status).toBe(1);
    expect(stderr).toContain("kv-example lacks: EVENT-SINK-PASSWORD PLATFORM-PASSWORD.");
  });

  it("wants the private key where no user name is given for the platform", () => {
    const { status, stderr } = runHook({ HELD: "ROOM-HOST-PIN EVENT-SINK-PASSWORD PLATFORM-PASSWORD" });
    expect(status).toBe(1);
    expect(stderr).toContain("lacks: PLATFORM-OAUTH-PRIVATE-KEY.");
  });
});
