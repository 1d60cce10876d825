/** Every package of the lock file has a licence that is allowed for its use, deployed or as a tool. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lockedPackages } from "../support/lock-file.ts";

// They require no more than a copy of their text, which the notices in the package contain.
const permissive = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "BlueOak-1.0.0"];
const deployed = [...permissive, "(MIT AND Zlib)"];
// Tools are not distributed, so weak copyleft is allowed as well, and data that require attribution.
const tools = [...permissive, "MIT OR Apache-2.0", "(MIT OR CC0-1.0)", "MPL-2.0", "Python-2.0", "CC-BY-4.0"];

// Packages that name no licence or an unknown one: the text in their files counts.
const licenceTexts: Record<string, { readonly file: string; readonly says: string }> = {
  limiter: { file: "LICENSE.txt", says: "Permission is hereby granted, free of charge, to any person" },
  "uri-templates": { file: "README.md", says: "Anybody can modify or re-license it for any purpose" },
};

it.each([
  ["deployed packages", deployed, lockedPackages.filter(({ dev }) => !dev)],
  ["tools", tools, lockedPackages.filter(({ dev }) => dev)],
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
