/** `npm run lint`: fails if the files of a folder have more lines with code than CONTRIBUTING.md allows. */
import { globSync, readFileSync } from "node:fs";

const root = `${import.meta.dirname}/../`;
const comment = /^\s*($|\/\/|\/?\*|\{\/\*)/;
const exclude = ["**/node_modules/**", "**/dist/**", "docs/openapi.d.ts"];

function linesWithCode(file: string): number {
  const lines = readFileSync(root + file, "utf8").split("\n");
  return lines.filter((line) => !comment.test(line)).length;
}

const contributing = readFileSync(`${root}CONTRIBUTING.md`, "utf8");
for (const [, names = "", maximum = ""] of contributing.matchAll(/^\| (`.+`) \| ([\d,]+) \|$/gm)) {
  const folders = [...names.matchAll(/`([^`]+)`/g)].map(([, folder]) => `${folder}/**/*.{ts,tsx,mts}`);
  const files = globSync(folders, { cwd: root, exclude });
  const lines = files.map(linesWithCode).reduce((one, other) => one + other, 0);
  if (lines <= Number(maximum.replace(",", ""))) continue;
  console.error(`CONTRIBUTING.md: ${names} may have ${maximum} lines with code, and has ${lines}.`);
  process.exitCode = 1;
}
