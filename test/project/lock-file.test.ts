/** The lock file installs everywhere: no registry address, a hash of every package, builds for every platform. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as z from "zod";

const Versions = z.record(z.string(), z.string()).default({});
const Entry = z.object({
  version: z.string(),
  integrity: z.string().optional(),
  optionalDependencies: Versions,
  hasInstallScript: z.boolean().default(false),
  inBundle: z.boolean().default(false),
});
const Lock = z.object({ lockfileVersion: z.number(), packages: z.record(z.string(), Entry) });

const text = readFileSync("package-lock.json", "utf8");
const { lockfileVersion, packages } = Lock.parse(JSON.parse(text));
const installed = Object.entries(packages).filter(([path]) => path !== "");
const Manifest = z.object({
  dependencies: Versions,
  devDependencies: Versions,
  allowScripts: z.record(z.string(), z.boolean()),
});
const manifest = Manifest.parse(JSON.parse(readFileSync("package.json", "utf8")));

it("The lock file names no registry and has a hash of every package", () => {
  expect(lockfileVersion).toBe(3);
  expect(text).not.toMatch(/"resolved"|https?:\/\/[^"]*\/-\//);
  expect(installed.length).toBeGreaterThan(300);
  const faults = installed.filter(
    ([, { integrity, inBundle }]) => !inBundle && !integrity?.startsWith("sha512-"),
  );
  expect(faults.map(([path]) => path)).toEqual([]);
});

it("The lock file has the builds for every platform, which npm ci requires", () => {
  const wanted = installed.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies));
  const names = new Set(installed.map(([path]) => path.replace(/^.*node_modules\//, "")));
  expect(wanted.length).toBeGreaterThan(50);
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

it("The lock file has every dependency of package.json in exactly its version", () => {
  const wanted = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(wanted.filter(([name, version]) => packages[`node_modules/${name}`]?.version !== version)).toEqual(
    [],
  );
});

it("package.json allows or forbids every install script explicitly", () => {
  const withScripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
  const undecided = withScripts
    .map(([path]) => path.replace(/^.*node_modules\//, ""))
    .filter((name) => !(name in manifest.allowScripts));
  expect(undecided).toEqual([]);
});
