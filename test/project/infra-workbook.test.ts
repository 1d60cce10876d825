/** The workbook is valid JSON, asks for columns and events that exist, and shows what operators are promised. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { functionNames, quotedWords, unknownColumns, wordsOfTheCode } from "./log-queries.ts";

const Workbook = z.object({
  version: z.literal("Notebook/1.0"),
  fallbackResourceIds: z.tuple([z.literal("__workspaceId__")]),
  items: z.array(
    z.object({
      name: z.string(),
      content: z.object({ title: z.string().optional(), query: z.string().optional() }),
    }),
  ),
});

const { items } = Workbook.parse(
  JSON.parse(readFileSync(join("infra", "workbook", "workbook.json"), "utf8")),
);
const charts = items.filter(({ content }) => content.query !== undefined);

it("shows pool, rooms, creates, deletions, the event sink and the platform", () => {
  expect(charts.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "pool",
      "rooms",
      "create-latency",
      "create-outcomes",
      "deletion-depth",
      "sink-answers",
      "platform-alarms",
    ]),
  );
  expect(new Set(items.map(({ name }) => name)).size).toBe(items.length);
});

it.each(charts)("$name has a title and names columns, events and functions that exist", ({ content }) => {
  const query = content.query ?? "";
  const known = new Set([...wordsOfTheCode(), ...functionNames(), "__app__"]);
  expect(content.title).toBeTruthy();
  expect(unknownColumns(query)).toEqual([]);
  expect(quotedWords(query).filter((word) => !known.has(word))).toEqual([]);
});
