/** What integrators get: the client's package, and programs and requests that work as printed against a running gateway. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { version } from "../../src/lib/version.ts";
import { useRunningGateway } from "../../test/support/running-gateway.ts";
import { projectFolder, temporaryFolder } from "../../test/support/script-process.ts";
import { thrownBy } from "../../test/support/scripted-gateway.ts";
import { identities } from "../../tools/simulators/identities.ts";
import manifest from "../package.json" with { type: "json" };
import { createClientWith } from "../src/client.ts";
import { RoomGoneError } from "../src/index.ts";
import { createRuntime } from "../src/runtime.ts";
import { useClientPackage } from "./client-package.ts";

const run = promisify(execFile);
const packed = useClientPackage();
const gateway = useRunningGateway();
beforeEach(async () => {
  await gateway.empty();
  await gateway.fillPool(3);
});

test("The package has only modules, types, README and licence, and no dependencies", async () => {
  expect(manifest.version).toBe(version);
  expect(manifest).not.toHaveProperty("dependencies");
  const { stdout } = await run("tar", ["-tf", packed.tarball]);
  const isBuilt = (path: string) => /^package\/dist\/[\w-]+\.(?:js|d\.ts)$/.test(path);
  const others = stdout.split("\n").filter((path) => path !== "" && !isBuilt(path));
  expect(others.toSorted()).toEqual(["package/LICENSE", "package/README.md", "package/package.json"]);
});

// What npm adds to the path is this project's own Node; consumers have another one.
const systemPath = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

const environment = () => ({
  PATH: systemPath,
  HOME: tmpdir(),
  NO_PROXY: "127.0.0.1",
  GATEWAY_URL: gateway.url,
  TOKEN_URL: gateway.stack.issuer.tokenUrl,
  CLIENT_ID: identities.clientId,
  CLIENT_SECRET: identities.clientSecret,
  AGENT_TOKEN: identities.agentToken,
});

/** What the samples of the README use and do not declare. */
const surroundings = `
const serviceTag = "https://verify.example.com/sessions/4711";
const idempotencyKey = crypto.randomUUID();
const tryLater = (_later: { serviceTag: string; idempotencyKey: string | undefined; seconds: number }) => {};
const request = { signal: new AbortController().signal, id: "order-4711" };
const log = { info: (..._line: unknown[]) => {}, warn: (..._line: unknown[]) => {} };
const baseUrl = process.env["GATEWAY_URL"];
const getToken = async () => ({ accessToken: "made-up", expiresInSeconds: 60 });
const agentToken = process.env["AGENT_TOKEN"] ?? "";
const conversation = { roomName: process.env["ROOM_NAME"] ?? "" };
`;

/** Joins the samples to one program. The later ones use the client and the room of the first one. */
function programOf(samples: readonly string[]): string {
  const importLine = /^import \{ (.*) \} from "(.*)";$/gm;
  const imported = samples.flatMap((sample) => [...sample.matchAll(importLine)]);
  const names = imported.flatMap(([, list = "", module = ""]) =>
    list.split(", ").map((name) => `import { ${name} } from "${module}";`),
  );
  const [first = "", ...others] = samples.map((sample) => sample.replaceAll(importLine, ""));
  const blocks = others.map((sample) => `{\n${sample}}`);
  return [...new Set(names), surroundings, first, ...blocks, 'console.log("all samples have run");'].join(
    "\n",
  );
}

test("The README's samples compile for Node and bundlers, and run with the system's Node", async () => {
  const folder = await temporaryFolder();
  const env = { ...environment(), ROOM_NAME: "conversation" };
  gateway.addRoom(env.ROOM_NAME);
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await run("npm", ["install", "--offline", "--silent", packed.tarball], { cwd: folder, env });
  const readme = readFileSync(join(projectFolder, "client/README.md"), "utf8");
  const samples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  expect(samples.length).toBeGreaterThan(5);
  expect(samples[0]?.trim().split("\n").length).toBeLessThanOrEqual(10);
  const program = programOf(samples).replaceAll("https://gateway.example.com", gateway.url);
  await writeFile(join(folder, "program.ts"), program);
  const compile = async (module: string, moduleResolution: string) => {
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
    const types = ["--types", "node", "--typeRoots", join(projectFolder, "node_modules/@types")];
    const target = ["--target", "es2022", "--module", module, "--moduleResolution", moduleResolution];
    const compiler = join(projectFolder, "node_modules/.bin/tsc");
    const tsc = run(compiler, ["program.ts", ...strict, ...types, ...target], { cwd: folder });
    const { stdout } = await tsc.catch((failed: { stdout: string }) => failed);
    expect([module, stdout]).toEqual([module, ""]);
  };
  await compile("esnext", "bundler");
  await compile("nodenext", "nodenext");
  const { stdout } = await run("node", ["program.js"], { cwd: folder, env });
  expect(stdout).toMatch(/^Room: \S+ PIN: \d+$[\s\S]*all samples have run/m);
});

const tag = "https://verify.example.com/sessions/4711";

test("The two requests in docs/integration.md get a token and create a room", async () => {
  const document = readFileSync(join(projectFolder, "docs/integration.md"), "utf8");
  const printed = [...document.matchAll(/```http\nPOST (.*)\n([\s\S]*?)```/g)];
  const HEXADECIMAL_TAG = Buffer.from(tag).toString("hex");
  const values: Record<string, string> = { ...environment(), HEXADECIMAL_TAG, KEY: randomUUID() };
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `no ${name}`);
  for (const [, url = "", rest = ""] of printed) {
    const [head = "", body] = fill(rest).trim().split("\n\n");
    const headers = head.split("\n").map((line): [string, string] => {
      const [name = "", value = ""] = line.split(/: (.*)/);
      return [name, value];
    });
    const response = await fetch(fill(url), { method: "POST", headers, ...(body && { body }) });
    expect([url, response.status]).toEqual([url, 200]);
    const { access_token, name } = z.record(z.string(), z.unknown()).parse(await response.json());
    values["ACCESS_TOKEN"] ??= String(access_token);
    values["ROOM_NAME"] = String(name);
  }
  expect(gateway.room(values["ROOM_NAME"] ?? "")).toMatchObject({ tag });
});

test("A create whose responses are lost gets the same room by its key, until the room is deleted", async () => {
  let toLose = 4;
  const losing: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (toLose-- > 0) throw new TypeError("fetch failed");
    return response;
  };
  const getToken = async () => ({ accessToken: gateway.bearerToken(), expiresInSeconds: 3599 });
  const runtime = { ...createRuntime(losing), wait: async () => undefined };
  const client = createClientWith(runtime, { baseUrl: gateway.url, getToken });
  const error = await thrownBy(client.createRoom({ serviceTag: tag }));
  expect(error).toMatchObject({ name: "NoResponseError", attempts: 4 });
  const { idempotencyKey } = error as { idempotencyKey: string };
  toLose = 2;
  const { name } = await client.createRoom({ serviceTag: tag, idempotencyKey });
  const tagged = gateway.stack.platform.rooms().filter((room) => gateway.room(room.name)?.["tag"] === tag);
  expect(tagged.map((room) => room.name)).toEqual([name]);
  const withOtherTag = client.createRoom({ serviceTag: `${tag}0`, idempotencyKey });
  await expect(withOtherTag).rejects.toMatchObject({ fields: [{ name: "idempotency-key", in: "header" }] });
  await client.deleteRoom(name);
  await expect(client.createRoom({ serviceTag: tag, idempotencyKey })).rejects.toBeInstanceOf(RoomGoneError);
});
