/** The ceiling of concurrent platform calls in the documents follows from the deployment's own values. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import example from "../../local.settings.example.json" with { type: "json" };
import { loadSettings } from "../../src/lib/settings/settings.ts";

const instances = Number(
  /'MAXIMUM_INSTANCE_COUNT', '(\d+)'/.exec(readFileSync("infra/main.bicepparam", "utf8"))?.[1],
);
const slots = loadSettings(example.Values).platform.maxConcurrency;
const backgroundSlots = slots - 2;
const timers = readdirSync("src/functions").filter((file) => file.endsWith(".timer.ts")).length;
const http = instances * slots;
const queue = instances * backgroundSlots;
const sum = http + queue + timers * backgroundSlots;

test("docs/architecture.md states the ceiling of HTTP, the queue trigger, the timers and all together", () => {
  const text = readFileSync("docs/architecture.md", "utf8").replaceAll(/\s+/g, " ");
  for (const figure of [http, queue, timers * backgroundSlots, sum]) expect(text).toContain(` ${figure}`);
});

test("infra/README.md states how the ceiling is calculated", () => {
  const text = readFileSync("infra/README.md", "utf8").replaceAll(/\s+/g, " ");
  expect(text).toContain(
    `${instances} × ${slots} for HTTP, ${instances} × ${backgroundSlots} for the queue trigger`,
  );
  expect(text).toContain(`one instance each: ${sum}`);
  expect(text).toContain(
    `${sum} + 2 × ${slots} + 2 × ${backgroundSlots}: ${sum + 2 * slots + 2 * backgroundSlots}`,
  );
});
