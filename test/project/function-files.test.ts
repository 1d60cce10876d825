/** Each function has its file, its test and its line in src/main.ts, and depends on no other function. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startFunctionsHost } from "../../local/host/functions-host.ts";
import { loadHttpContracts } from "../../scripts/openapi/http-functions.ts";
import { placeOf } from "../../scripts/openapi/place-of.ts";
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

test.each(Object.entries(await loadHttpContracts()))(
  "src/main.ts registers %s with its method and route in a comment",
  (name, { method, route }) => {
    const found = new RegExp(`^  ${name}, // +(\\w+) +(\\S+)$`, "m").exec(read("src/main.ts"));
    const path = route.replace(/:regex\(.*\)\}/, "}");
    const line = `${name}, // ${method} ${path}`;
    expect(found?.slice(1), `add this line below ${registration}: ${line}`).toEqual([method, path]);
  },
);

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
