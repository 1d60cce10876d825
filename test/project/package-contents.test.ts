/** The deployable zip contains exactly the expected files, is reproducible, and contains nothing of the build machine. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { parse, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { identities } from "../../tools/local/stack/identities.ts";
import { createArchive } from "../../tools/scripts/package/archive.ts";
import { createDeployment } from "../../tools/scripts/package/deployment.ts";
import { packageOf, unpackPackage } from "../support/unpacked-package.ts";
import { useStarted } from "../support/use-started.ts";

const unpacked = useStarted(unpackPackage);

describe("The files of the package", () => {
  it("are the bundle, its source map, two files for the host and the notices", () => {
    expect(unpacked.paths).toEqual([
      "dist/THIRD-PARTY-NOTICES.txt",
      "dist/main.js",
      "dist/main.js.map",
      "host.json",
      "package.json",
    ]);
  });

  it("have the same bytes if they are built again", async () => {
    const built = await createDeployment();
    expect([...built.keys()].toSorted()).toEqual(unpacked.paths);
    const differing = unpacked.paths.filter(
      (path) => Buffer.from(built.get(path) ?? "").toString() !== unpacked.text(path),
    );
    expect(differing).toEqual([]);
  });

  it("are the same archive in any order", () => {
    const files: [string, Uint8Array][] = [
      ["b.txt", Buffer.from("b")],
      ["a/b.txt", Buffer.from("a")],
    ];
    expect(createArchive(new Map(files.toReversed()))).toEqual(createArchive(new Map(files)));
  });

  it("contain the project's host.json and the fields of package.json that the host needs", async () => {
    expect(unpacked.text("host.json")).toBe(await readFile("host.json", "utf8"));
    const { name, version, type, main, engines } = JSON.parse(await readFile("package.json", "utf8"));
    expect(JSON.parse(unpacked.text("package.json"))).toEqual({ name, version, type, main, engines });
    expect(unpacked.paths).toContain(main);
  });

  it("contain no path of the build machine", () => {
    const paths = [process.cwd(), homedir()]
      .filter((path) => path !== parse(path).root)
      .map((path) => `${path}${sep}`);
    const found = unpacked.paths.flatMap((file) =>
      paths.filter((path) => unpacked.text(file).includes(path)),
    );
    expect(found).toEqual([]);
    const sources = unpacked.scripts.flatMap(unpacked.sourcesOf);
    expect(sources.length).toBeGreaterThan(500);
    expect(
      sources.filter(
        (source) => !/^(src\/|node_modules\/|dist\/webpack:\/@azure|package\.json$)/.test(source),
      ),
    ).toEqual([]);
  });

  it("contain no private key, no local setting and no secret of the environment", () => {
    const everything = unpacked.paths.map(unpacked.text).join("\n");
    expect(everything).not.toMatch(/-----BEGIN [A-Z ]*PRIVATE KEY-----\s*[A-Za-z0-9+/]{32}/);
    const environment = Object.entries(process.env).filter(([name]) =>
      /(secret|token|password|_key)$/i.test(name),
    );
    const secrets = [identities.clientSecret, ...environment.map(([, value]) => value ?? "")];
    expect(secrets.filter((secret) => secret.length >= 16 && everything.includes(secret))).toEqual([]);
    expect(everything).not.toMatch(/local\.settings|node_modules\/(azurite|vitest)\//);
  });

  it("name every package of the bundle with its licence text", () => {
    const notices = unpacked
      .text("dist/THIRD-PARTY-NOTICES.txt")
      .split(/^-{80}$/m)
      .slice(1);
    const sources = unpacked.scripts.flatMap(unpacked.sourcesOf);
    const packages = sources.flatMap((source) => packageOf(source) ?? []);
    const named = notices.map((notice) => notice.trim().split(" ")[0]);
    expect(new Set(packages)).toEqual(new Set(named));
    expect(notices.filter((notice) => notice.trim().split("\n").length < 3)).toEqual([]);
    expect(notices.join()).toContain("WITHOUT WARRANTY OF ANY KIND");
  });
});
