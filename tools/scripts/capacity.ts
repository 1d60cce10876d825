/**
 * `npm run capacity`: simulates what docs/capacity.md shows and draws its charts. `-- --draw` only draws them again,
 * `-- --only PART` simulates one part of the data again.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { Option } from "@commander-js/extra-typings";
import { drawCharts } from "../../capacity/charts/charts.ts";
import { type ChartData, dataUrl, readData, simulations } from "../../capacity/charts/data.ts";
import { createCommand } from "../local/terminal/create-command.ts";

const parts = Object.keys(simulations) as (keyof ChartData)[];
const { draw, only } = createCommand(
  "npm run capacity",
  "Simulates the loads of docs/capacity.md and draws its charts.",
)
  .option("--draw", "Only draws the charts, from the stored data.")
  .addOption(new Option("--only <part>", "Simulates one part of the data.").choices(parts).conflicts("draw"))
  .parse()
  .opts();
const chosen = draw ? [] : parts.filter((part) => only === undefined || part === only);
for (const part of chosen) {
  const simulated = await simulations[part]((step) => console.log(step));
  writeFileSync(dataUrl, `${JSON.stringify({ ...readData(), [part]: simulated }, undefined, 2)}\n`);
}
const folder = new URL("../../docs/capacity/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, svg] of Object.entries(drawCharts(readData()))) writeFileSync(new URL(name, folder), svg);
console.log("docs/capacity: the charts are drawn");
