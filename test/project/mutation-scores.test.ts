/** The mutation scores: each file of src/lib has its row, and each row its file. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const table = readFileSync(`${root}tools/nightly/mutation-scores.md`, "utf8");
const rows = [...table.matchAll(/^\| `(.+)` \| \d+ \| \d+ \|/gm)].map(([, file = ""]) => file);

test("The mutation table has a row for each file of src/lib except version.ts, and for no missing file", () => {
  const files = globSync(`${root}src/lib/**/*.ts`).map((file) => relative(root, file));
  const without = files.filter((file) => !rows.includes(file) && file !== "src/lib/version.ts");
  const missing = rows.filter((file) => !existsSync(`${root}${file}`));
  expect({ without, missing }).toEqual({ without: [], missing: [] });
  expect(rows).toEqual([...new Set(rows)]);
});
