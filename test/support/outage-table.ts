/** Reads the table of outages in the operations guide. */
import { readFileSync } from "node:fs";

/** The documented statuses, by operation and then by situation. */
export function documentedAnswers(): Record<string, Record<string, number>> {
  const guide = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const section = guide.split("\n## ").find((text) => text.startsWith("Behaviour during outages\n")) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  const [head = [], , ...cells] = rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return Object.fromEntries(
    cells.map(([operation = "", ...statuses]) => [
      operation.replaceAll("`", ""),
      Object.fromEntries(statuses.map((status, at) => [head[at + 1] ?? "", Number(status)])),
    ]),
  );
}
