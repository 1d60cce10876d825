/** The lock file installs everywhere: no registry address, a hash of every package, builds for every platform. */
import { expect, it } from "vitest";
import client from "../../client/package.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import tools from "../../tools/package.json" with { type: "json" };
import simulators from "../../tools/simulators/package.json" with { type: "json" };
import { lockedPackages, lockfileVersion, lockText, packages } from "../support/lock-file.ts";

it("The lock file names no registry and has a hash of every package", () => {
  expect(lockfileVersion).toBe(3);
  expect(lockText).not.toMatch(/"resolved": "\w+:|https?:\/\/[^"]*\/-\//);
  expect(lockedPackages.length).toBeGreaterThan(300);
  const unhashed = lockedPackages.filter(({ integrity }) => !integrity?.startsWith("sha512-"));
  expect(unhashed.filter(({ inBundle }) => !inBundle).map(({ path }) => path)).toEqual([]);
});

it("The lock file has the builds for every platform, which npm ci requires", () => {
  const wanted = lockedPackages.flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies));
  const names = new Set(lockedPackages.map(({ name }) => name));
  expect(wanted.length).toBeGreaterThan(50);
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

it("The lock file has every dependency of each package.json in exactly its version", () => {
  const wanted = [
    manifest.dependencies,
    ...[manifest, client, tools, simulators].map(({ devDependencies }) => devDependencies),
  ].flatMap((dependencies) => Object.entries(dependencies));
  expect(wanted.filter(([name, version]) => packages[`node_modules/${name}`]?.version !== version)).toEqual(
    [],
  );
});

it("package.json allows or forbids every install script explicitly", () => {
  const withScripts = lockedPackages.filter(({ hasInstallScript }) => hasInstallScript);
  const undecided = withScripts.filter(({ name }) => !(name in manifest.allowScripts));
  expect(undecided.map(({ name }) => name)).toEqual([]);
});
