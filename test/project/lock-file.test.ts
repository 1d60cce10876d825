/** The lock file installs everywhere, and every package in it has a licence that is allowed for its use. */
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { lockedPackages, lockText } from "../support/lock-file.ts";

it("The lock file names no registry and has a hash of every package", () => {
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

// They require no more than a copy of their text, which the notices in the package contain.
const permissive = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "BlueOak-1.0.0"];
const forDeployed = [...permissive, "(MIT AND Zlib)"];
// Tools are not distributed, so weak copyleft is allowed as well, and data that require attribution.
const otherOfTools = ["MIT OR Apache-2.0", "(MIT OR CC0-1.0)", "MPL-2.0", "Python-2.0", "CC-BY-4.0"];
// Packages that name no licence or an unknown one: the text in their files permits any use.
const unnamed: Readonly<Record<string, string>> = {
  limiter: "Permission is hereby granted, free of charge, to any person",
  "uri-templates": "Anybody can modify or re-license it for any purpose",
};

it.each([
  ["deployed packages", forDeployed, lockedPackages.filter(({ dev }) => !dev)],
  ["tools", [...permissive, ...otherOfTools], lockedPackages.filter(({ dev }) => dev)],
])("The licences of %s are allowed", (_, allowed, packages) => {
  expect(packages.length).toBeGreaterThan(50);
  const isAllowed = ({ name, license = "", path }: (typeof packages)[number]) =>
    allowed.includes(license) || textOfLicence(path).includes(unnamed[name] ?? "no such text");
  expect(packages.filter((entry) => !isAllowed(entry))).toEqual([]);
});

function textOfLicence(path: string): string {
  return globSync(`${path}/{LICENSE,README}*`)
    .map((file) => readFileSync(file, "utf8"))
    .join();
}
