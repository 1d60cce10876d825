/**
 * `npm run capacity`: simulates what docs/capacity.md shows and draws its charts. `-- --draw` only draws them again.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { drawCharts } from "../capacity/charts/charts.ts";
import { dataUrl, readData, simulateData } from "../capacity/charts/data.ts";

const { values } = parseArgs({ options: { draw: { type: "boolean", default: false } } });
if (!values.draw) {
  const data = await simulateData((step) => console.log(step));
  writeFileSync(dataUrl, `${JSON.stringify(data, undefined, 2)}\n`);
}
const folder = new URL("../docs/capacity/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, svg] of Object.entries(drawCharts(readData()))) writeFileSync(new URL(name, folder), svg);
console.log("docs/capacity: the charts are drawn");
