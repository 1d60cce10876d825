/** The API document in the repository is what the function definitions generate. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("openapi.json is up to date", () => {
  const output = execFileSync(process.execPath, ["scripts/openapi.ts", "--check"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(output.trim()).toBe("openapi.json is up to date");
});

test("it has the specification's eleven operations at their paths", () => {
  const { paths } = JSON.parse(readFileSync(`${root}openapi.json`, "utf8")) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(operations.toSorted()).toEqual([
    "DELETE /room/bulk/",
    "DELETE /room/{room_name}",
    "GET /public/health",
    "GET /public/room/{room_name}",
    "GET /room/list",
    "GET /room/{room_name}",
    "PATCH /room/{room_name}",
    "POST /public/event_sink",
    "POST /room/bulk/",
    "POST /room/create",
    "POST /room/create/old",
  ]);
});
