/** The ceiling of concurrent platform calls in the documents follows from the deployment's own values. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { exampleEnvironment } from "../support/example-settings.ts";

const textOf = (file: string) => readFileSync(file, "utf8").replaceAll(/\s+/g, " ");
const instances = Number(/'MAXIMUM_INSTANCE_COUNT', '(\d+)'/.exec(textOf("infra/main.bicepparam"))?.[1]);
const slots = loadSettings(exampleEnvironment).platform.maxConcurrency;
const background = slots - 2;
const timers = readdirSync("src/functions").filter((file) => file.endsWith(".timer.ts")).length * background;
const [http, queue] = [instances * slots, instances * background];
const sum = http + queue + timers;

test.each([
  ["docs/architecture.md", [http, queue, timers, sum].map((figure) => ` ${figure}`)],
  [
    "infra/README.md",
    [
      `is ${sum}: ${instances} × ${slots} for HTTP, ${instances} × ${background} for the queue trigger`,
      `${sum} + 2 × ${slots} + 2 × ${background} = ${sum + 2 * slots + 2 * background}`,
    ],
  ],
])("%s states the ceiling of HTTP, the queue trigger, the timers and all together", (file, phrases) => {
  expect(phrases.filter((phrase) => !textOf(file).includes(phrase))).toEqual([]);
});
