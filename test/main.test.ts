/** The entry page states every function of the app with its trigger. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadFunctions } from "../scripts/openapi/http-functions.ts";

const main = readFileSync(new URL("../src/main.ts", import.meta.url), "utf8");

test("main.ts registers every function and states its trigger in the comment beside it", async () => {
  const { http, timers, queues } = await loadFunctions();
  const triggers = {
    ...mapValues(
      http,
      ({ method, route }) => `${method} ${route.replace(/\{room_name:.*\}$/, "{room_name}")}`,
    ),
    ...mapValues(timers, ({ schedule, runOnStartup }) => schedule + (runOnStartup ? ", and on startup" : "")),
    ...mapValues(queues, ({ queueName }) => queueName),
  };
  const expected = Object.entries(triggers).map(([name, trigger]) => `${name}, // ${trigger}`);
  const lines = main.split("\n").filter((line) => /^ {2}\w+,/.test(line));
  expect(lines.map((line) => line.trim().replaceAll(/ +/g, " ")).toSorted()).toEqual(expected.toSorted());
});

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
