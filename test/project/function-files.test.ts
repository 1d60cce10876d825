/** Each function has its file, its test and its line in src/main.ts, and depends on no other function. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startFunctionsHost } from "../../tools/local/host/functions-host.ts";
import { loadFunctions } from "../../tools/scripts/openapi/http-functions.ts";
import { placeOf } from "../../tools/scripts/openapi/place-of.ts";
import { exampleEnvironment } from "../support/example-settings.ts";
import { functionFiles, functionNames, nameOfFunctionIn } from "../support/function-names.ts";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string) => readFileSync(at(path), "utf8");

const registration = placeOf("src/main.ts", "registerHttpFunctions(app");

test.each(functionFiles)("%s has a test file", (file) => {
  const testFile = `test/functions/${file.replace(/\.ts$/, ".test.ts")}`;
  expect(existsSync(at(testFile)), `add ${testFile}`).toBe(true);
});

test.each(functionFiles)("%s exports one function, named like its file", async (file) => {
  const exported = Object.keys((await import(at(`src/functions/${file}`))) as object);
  expect(exported).toEqual([nameOfFunctionIn(file)]);
});

test.each(functionFiles)("%s imports no other function and no Azure package", (file) => {
  const imported = [...read(`src/functions/${file}`).matchAll(/ from "([^"]+)"/g)].map(
    (match) => match[1] ?? "",
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((path) => path.startsWith("./") || path.includes("functions"))).toEqual([]);
  expect(imported.filter((path) => path.startsWith("@azure/"))).toEqual([]);
});

const { http, timers, queues } = await loadFunctions();
const pathOf = (route: string) => route.replace(/:regex\(.*\)\}/, "}");
const onStartup = (isRunThen?: boolean) => (isRunThen ? ", and on startup" : "");
const triggers = [
  ...Object.entries(http).map(([name, { method, route }]) => ({
    name,
    trigger: `${method} ${pathOf(route)}`,
  })),
  ...Object.entries(timers).map(([name, timer]) => ({
    name,
    trigger: timer.schedule + onStartup(timer.runOnStartup),
  })),
  ...Object.entries(queues).map(([name, { queueName }]) => ({ name, trigger: queueName })),
];

test.each(triggers)("src/main.ts registers $name with its trigger in a comment", ({ name, trigger }) => {
  const comment = new RegExp(`^  ${name}, // +(.+)$`, "m").exec(read("src/main.ts"))?.[1];
  const line = `${name}, // ${trigger}`;
  expect(comment?.replaceAll(/ +/g, " "), `add this line below ${registration}: ${line}`).toBe(trigger);
});

test("Importing src/main.ts registers every function and opens no connection", async () => {
  const nowhere = "http://127.0.0.1:1";
  const account = "DefaultEndpointsProtocol=http;AccountName=made-up;AccountKey=bWFkZS11cA==";
  const log: string[] = [];
  const host = await startFunctionsHost({
    entry: at("src/main.ts"),
    hostJsonPath: at("host.json"),
    timersEnabled: false,
    onLog: ({ category, message }) => {
      if (category.startsWith("Host.Worker") || category.endsWith(".User")) log.push(message);
    },
    environment: {
      ...exampleEnvironment,
      AzureWebJobsStorage: `${account};QueueEndpoint=${nowhere}/made-up`,
      PLATFORM_URL: nowhere,
      AUTH_AUTHORITY: nowhere,
      CONTACT_CENTRE_API_URL: nowhere,
    },
  });
  try {
    const registered = host.functions.map(({ name }) => name);
    const missing = functionNames.filter((name) => !registered.includes(name));
    expect(missing, "register these functions in src/main.ts").toEqual([]);
    expect(registered.toSorted()).toEqual(functionNames);
    expect(log).toEqual([]);
    expect((await fetch(`${host.url}/public/health`)).status).toBe(200);
  } finally {
    await host.stop();
  }
});
