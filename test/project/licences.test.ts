/** Every package of the lock file has a licence that is allowed for its use, deployed or as a tool. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import satisfies from "spdx-satisfies";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { lockedPackages } from "../support/lock-file.ts";

// They require no more than a copy of their text, which the notices in the package contain.
const bsd = ["BSD-2-Clause", "BSD-3-Clause", "0BSD"];
const allowed = ["MIT", "MIT-0", "ISC", "Apache-2.0", ...bsd, "BlueOak-1.0.0", "Zlib"];

// Tools are not distributed, so these are allowed as well: MPL requires publishing changes to its files, CC0 is a
// public-domain dedication, CC-BY requires attribution, Python-2.0 a summary of changes.
const allowedForTools = [...allowed, "MPL-2.0", "CC0-1.0", "CC-BY-3.0", "Python-2.0"];

interface Exception {
  readonly because: string;
  readonly licenceFile: string;
  readonly says: string;
}

// Packages that do not name a licence: the text in their files counts.
const exceptions: Record<string, Exception> = {
  limiter: {
    because: "its manifest predates the licence field",
    licenceFile: "LICENSE.txt",
    says: "Permission is hereby granted, free of charge, to any person obtaining a copy",
  },
  "uri-templates": {
    because: "a tool in the public domain, which has no common identifier",
    licenceFile: "README.md",
    says: "Anybody can modify or re-license it for any purpose, without restriction.",
  },
};

/** Whether licences of the list satisfy the expression; false for an invalid expression. */
function isAllowed(licence: string | undefined, list: readonly string[]): boolean {
  if (licence === undefined) return false;
  try {
    return satisfies(licence, [...list]);
  } catch {
    return false;
  }
}

describe("Licences", () => {
  it("of deployed packages are permissive", () => {
    const deployed = lockedPackages.filter(({ dev }) => !dev);
    expect(deployed.length).toBeGreaterThan(50);
    const faults = deployed.filter(
      ({ name, license }) => !(name in exceptions) && !isAllowed(license, allowed),
    );
    expect(faults).toEqual([]);
  });

  it("of tools are allowed for tools", () => {
    const tools = lockedPackages.filter(({ dev }) => dev);
    expect(tools.length).toBeGreaterThan(100);
    const faults = tools.filter(
      ({ name, license }) => !(name in exceptions) && !isAllowed(license, allowedForTools),
    );
    expect(faults).toEqual([]);
  });

  it.each(Object.entries(exceptions))("include %s, an exception that its text permits", (name, exception) => {
    const found = lockedPackages.filter((dependency) => dependency.name === name);
    expect(found).not.toEqual([]);
    for (const { path, license } of found) {
      expect(isAllowed(license, allowedForTools)).toBe(false);
      expect(readFileSync(join(path, exception.licenceFile), "utf8")).toContain(exception.says);
    }
  });

  it("in the lock file equal those in the installed packages", () => {
    const Manifest = z.object({ license: z.unknown().optional() });
    const installed = lockedPackages.filter(({ path }) => existsSync(join(path, "package.json")));
    const read = (path: string) =>
      Manifest.parse(JSON.parse(readFileSync(join(path, "package.json"), "utf8")));
    const differing = installed.filter(({ path, license }) => {
      const stated = read(path).license;
      return typeof stated === "string" && stated !== license;
    });
    expect(installed.length).toBeGreaterThan(200);
    expect(differing).toEqual([]);
  });

  it("that are copyleft, commercial or unknown are not allowed", () => {
    for (const licence of [
      "GPL-3.0-only",
      "AGPL-3.0-or-later",
      "(MIT AND GPL-2.0-only)",
      "UNLICENSED",
      "SEE LICENSE IN X",
      undefined,
    ])
      expect(isAllowed(licence, allowedForTools)).toBe(false);
    for (const licence of ["(MIT AND Zlib)", "MIT OR GPL-3.0-only", "Apache-2.0"])
      expect(isAllowed(licence, allowed)).toBe(true);
    expect(isAllowed("MPL-2.0", allowed)).toBe(false);
  });
});
