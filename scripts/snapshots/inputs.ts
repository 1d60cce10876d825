/** What the snapshots are made from: the files of `infra` and the fixtures, which only the snapshots use. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const infraFolder = "infra";
export const snapshotFolder = join(infraFolder, "snapshots");
const fixtureFolder = join("test", "infra", "fixtures");

/** The names of the snapshots. */
export const scenarios: readonly string[] = readdirSync(fixtureFolder)
  .map((file) => file.replace(/\.env$/, ""))
  .toSorted();

export const fixtureOf = (scenario: string): string => join(fixtureFolder, `${scenario}.env`);

/** The version of the compiler, on which the text of the snapshots depends. */
const versionFile = join(snapshotFolder, "bicep-version.txt");
export const compilerVersion = readFileSync(versionFile, "utf8").trim();

/** Returns the paths in `infra` that decide what is deployed, sorted. */
function templateFiles(): string[] {
  return readdirSync(infraFolder, { recursive: true, encoding: "utf8" })
    .filter((file) =>
      /^[\w-]+\.bicep(?:param)?$|^policies\/.+\.xml$|^alerts\/.+\.(?:kql|json)$|^settings\.txt$/.test(file),
    )
    .toSorted();
}

export const readText = (path: string): string => readFileSync(path, "utf8");

/** Returns the hash of all inputs. */
export function hashInputs(): string {
  const hash = createHash("sha256").update(readText(versionFile));
  const templates = templateFiles().map((file) => join(infraFolder, file));
  for (const path of [...templates, ...scenarios.map(fixtureOf)]) hash.update(`\0${path}\0${readText(path)}`);
  return hash.digest("hex");
}
