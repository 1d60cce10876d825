/** Each function has its file, its test and its line in src/main.ts, and depends on no other function. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startFunctionsHost } from "../../tools/local/host/functions-host.ts";
import { exampleEnvironment } from "../support/example-settings.ts";
import { functionFiles, functionNames, nameOfFunctionIn } from "../support/function-names.ts";
import { importsOf } from "../support/imports-of.ts";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test("Each file of src/functions exports one function, named like its file, and has a test", async () => {
  for (const file of functionFiles) {
    const exported = Object.keys((await import(at(`src/functions/${file}`))) as object);
    expect([file, exported]).toEqual([file, [nameOfFunctionIn(file)]]);
    const testFile = `test/functions/${file.replace(/\.ts$/, ".test.ts")}`;
    expect(existsSync(at(testFile)), `add ${testFile}`).toBe(true);
  }
});

test("No function imports another one or an Azure package", () => {
  const imports = functionFiles.flatMap((file) =>
    importsOf(`src/functions/${file}`).map(({ target }) => ({ file, target })),
  );
  expect(imports.length).toBeGreaterThan(functionFiles.length);
  expect(imports.filter(({ target }) => /^src\/functions\/|^@azure\//.test(target))).toEqual([]);
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
