/** The charts of docs/capacity.md are drawn from the stored data, and the data is what the simulation gives now. */
import { readdirSync, readFileSync } from "node:fs";
import { XMLValidator } from "fast-xml-parser";
import { describe, expect, test } from "vitest";
import { drawCharts } from "../../capacity/charts/charts.ts";
import { readData, simulateBacklog } from "../../capacity/charts/data.ts";

const folder = new URL("../../docs/capacity/", import.meta.url);
const data = readData();
const charts = Object.entries(drawCharts(data));

test("There is no other file in docs/capacity", () => {
  expect(readdirSync(folder).toSorted()).toEqual(charts.map(([name]) => name).toSorted());
});

describe.each(charts)("%s", (name, svg) => {
  test("is what npm run capacity -- --draw would write", () => {
    expect(readFileSync(new URL(name, folder), "utf8")).toBe(svg);
  });

  test("is well-formed, has a title and a description, and is shown in docs/capacity.md", () => {
    expect(XMLValidator.validate(svg)).toBe(true);
    expect(svg).toMatch(/<title id="title">.+<\/title>\n<desc id="desc">.+<\/desc>/);
    const document = readFileSync(new URL("../capacity.md", folder), "utf8");
    expect(document).toMatch(new RegExp(`!\\[.+\\]\\(capacity/${name}\\)`));
  });
});

test("The first stored backlog is what the simulation gives now", { timeout: 120_000 }, async () => {
  const [first] = data.backlogs;
  expect(first && (await simulateBacklog(first.perHour, first.gcMaxMessages))).toEqual(first);
});
