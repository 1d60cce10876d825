/** The short run: thousands of histories from fixed seeds, none of which may break a promise. */
import { expect, test } from "vitest";
import { explain, explore, historyOf, runHistory } from "./explore.ts";
import { foundHistories } from "./found-histories.ts";
import { shortRun, shortRunHistories } from "./short-run.ts";

test("no history breaks a promise", { timeout: 240_000 }, async () => {
  const { histories, claims, failure } = await explore(shortRun);
  expect(failure && (await explain(failure.seed, failure.violation))).toBeUndefined();
  expect(histories).toBe(shortRunHistories);
  expect(claims).toBeGreaterThan(shortRunHistories);
});

test.each(Object.entries(foundHistories))("%s breaks no promise", async (_, history) => {
  expect((await runHistory(history)).violations).toEqual([]);
});

test("the same seed gives the same history and the same course of events", async () => {
  const courses = await Promise.all(
    [1, 2].map(async () => {
      const lines: string[] = [];
      await runHistory(historyOf(77), (line) => lines.push(line));
      return lines;
    }),
  );
  expect(courses[0]?.length).toBeGreaterThan(50);
  expect(courses[0]).toEqual(courses[1]);
});
