/** The lock file installs everywhere, and every package in it has a licence that is allowed for its use. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
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

// They require no more than a copy of their text, which the notices in the package contain.
const permissive = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "BlueOak-1.0.0"];
const forDeployed = [...permissive, "(MIT AND Zlib)"];
// Tools are not distributed, so weak copyleft is allowed as well, and data that require attribution.
const forTools = [
  ...permissive,
  "MIT OR Apache-2.0",
  "(MIT OR CC0-1.0)",
  "MPL-2.0",
  "Python-2.0",
  "CC-BY-4.0",
];

// Packages that name no licence or an unknown one: the text in their files counts.
const licenceTexts: Record<string, { readonly file: string; readonly says: string }> = {
  limiter: { file: "LICENSE.txt", says: "Permission is hereby granted, free of charge, to any person" },
  "uri-templates": { file: "README.md", says: "Anybody can modify or re-license it for any purpose" },
};

it.each([
  ["deployed packages", forDeployed, lockedPackages.filter(({ dev }) => !dev)],
  ["tools", forTools, lockedPackages.filter(({ dev }) => dev)],
])("The licences of %s are allowed", (_, allowed, packages) => {
  expect(packages.length).toBeGreaterThan(50);
  const faults = packages.filter(
    ({ name, license = "none" }) => !(name in licenceTexts) && !allowed.includes(license),
  );
  expect(faults).toEqual([]);
});

it.each(Object.entries(licenceTexts))(
  "The text of %s, which names no licence, permits its use",
  (name, { file, says }) => {
    const found = lockedPackages.filter((dependency) => dependency.name === name);
    expect(found).not.toEqual([]);
    for (const { path } of found) expect(readFileSync(join(path, file), "utf8")).toContain(says);
  },
);
