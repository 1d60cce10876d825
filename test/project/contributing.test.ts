/** Places that CONTRIBUTING.md names and that no other check would miss. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { schemas, settingNames } from "../../src/lib/settings/settings.ts";
import { functionNames } from "../support/function-names.ts";

const textOf = (pattern: string) =>
  globSync(pattern)
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

test("Every function is called in test/functions", () => {
  const text = textOf("test/functions/*.test.ts");
  const withoutTest = functionNames.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  expect(withoutTest, "add test/functions/<verb-noun>.test.ts").toEqual([]);
});

test("Every setting is set in test/lib", () => {
  const text = textOf("test/{lib/**/*.test,support/example-settings}.ts");
  const withoutValue = settingNames.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  expect(withoutValue, "add a value to test/lib/settings/settings.test.ts").toEqual([]);
});

/** Settings of which every text is a value. */
const anyText = [
  "AzureWebJobsStorage__clientId",
  "PLATFORM_PASSWORD",
  "PLATFORM_OAUTH_CLIENT_ID",
  "PLATFORM_OAUTH_SCOPE",
  "AUTH_REQUIRED_ROLE",
  "AUTH_ADMINISTRATOR_ROLE",
  "EVENT_SINK_PASSWORD",
  "EVENT_SINK_PREVIOUS_PASSWORD",
  "LOGS_INGESTION_RULE_ID",
  "LOGS_INGESTION_STREAM",
];

test("Every setting rejects a wrong value, except those of any text", () => {
  const wrong = ["\u0007", "x", "-1", "1.5", "{", "ftp://x", ","];
  const rejectsNone = [...schemas].filter(([, schema]) =>
    wrong.every((text) => schema.safeParse(text).success),
  );
  const names = rejectsNone.map(([name]) => name);
  expect(names, "give the setting a format, or add it to anyText").toEqual(anyText);
});
