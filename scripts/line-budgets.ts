/** `npm run lint`: fails if the files of a folder have more lines with code than CONTRIBUTING.md allows. */
import { globSync, readFileSync } from "node:fs";

const root = `${import.meta.dirname}/../`;
const comment = /^\s*($|\/\/|\/?\*|\{\/\*)/;

const table = readFileSync(`${root}CONTRIBUTING.md`, "utf8").matchAll(/^\| (`.+`) \| ([\d,]+) \|$/gm);
const budgets = [...table].map(([, folders = "", lines = ""]) => ({
  folders: [...folders.matchAll(/`([^`]+)`/g)].map(([, folder]) => `${folder}/`),
  maxLines: Number(lines.replace(",", "")),
}));

const generated = "docs/openapi.d.ts";
const files = globSync("*/**/*.{ts,tsx,mts}", {
  cwd: root,
  exclude: ["**/node_modules/**", "**/dist/**", generated],
});
const ofBudget = Map.groupBy(files, (file) =>
  budgets.find(({ folders }) => folders.some((folder) => file.startsWith(folder))),
);

function linesWithCode(file: string): number {
  const lines = readFileSync(root + file, "utf8").split("\n");
  return lines.filter((line) => !comment.test(line)).length;
}

for (const [budget, itsFiles] of ofBudget) {
  const lines = itsFiles.map(linesWithCode).reduce((one, other) => one + other, 0);
  if (budget && lines <= budget.maxLines) continue;
  const what = budget
    ? `${budget.folders.join(" and ")} may have ${budget.maxLines} lines with code and has ${lines}`
    : `no budget names ${itsFiles.join(", ")}`;
  console.error(`CONTRIBUTING.md: ${what}.`);
  process.exitCode = 1;
}
