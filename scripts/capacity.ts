/**
 * `npm run capacity`: simulates what docs/capacity.md shows and draws its charts. `-- --draw` only draws them again,
 * `-- --only PART` simulates one part of the data again.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { drawCharts } from "../capacity/charts/charts.ts";
import { type ChartData, dataUrl, readData, simulations } from "../capacity/charts/data.ts";
import { readOptions } from "../local/terminal/read-options.ts";

const { draw, only } = readOptions({ draw: { type: "boolean", default: false }, only: { type: "string" } });
const parts = draw ? [] : (Object.keys(simulations) as (keyof ChartData)[]);
const chosen = parts.filter((part) => only === undefined || part === only);
if (only !== undefined && chosen.length === 0) {
  console.error(`--only: must be ${parts.join(" or ")}, and not with --draw`);
  process.exit(2);
}
for (const part of chosen) {
  const simulated = await simulations[part]((step) => console.log(step));
  writeFileSync(dataUrl, `${JSON.stringify({ ...readData(), [part]: simulated }, undefined, 2)}\n`);
}
const folder = new URL("../docs/capacity/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, svg] of Object.entries(drawCharts(readData()))) writeFileSync(new URL(name, folder), svg);
console.log("docs/capacity: the charts are drawn");
