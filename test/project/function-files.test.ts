/** Each function has its file and its test, and depends on no other function. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { functionFiles, nameOfFunctionIn } from "../support/function-names.ts";
import { importsOf } from "../support/imports-of.ts";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test("Each file of src/functions exports one function, named like its file, and has a test", async () => {
  for (const file of functionFiles) {
    const exported = Object.keys((await import(at(`src/functions/${file}`))) as object);
    expect([file, exported]).toEqual([file, [nameOfFunctionIn(file)]]);
    const testFile = `test/functions/${file.replace(/\.ts$/, ".test.ts")}`;
    expect(existsSync(at(testFile)), `add ${testFile}`).toBe(true);
  }
});

test("No function imports another one or an Azure package", () => {
  const imports = functionFiles.flatMap((file) =>
    importsOf(`src/functions/${file}`).map(({ target }) => ({ file, target })),
  );
  expect(imports.length).toBeGreaterThan(functionFiles.length);
  expect(imports.filter(({ target }) => /^src\/functions\/|^@azure\//.test(target))).toEqual([]);
});
