/** The programs and requests in the documents work as printed against a running gateway. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { useRunningGateway } from "../../test/support/running-gateway.ts";
import { projectFolder, temporaryFolder } from "../../test/support/script-process.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { useClientPackage } from "./client-package.ts";

const run = promisify(execFile);
const gateway = useRunningGateway();
beforeEach(async () => {
  await gateway.empty();
  await gateway.fillPool(3);
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
  SINK_USERNAME: identities.sinkUsername,
  SINK_PASSWORD: identities.sinkPassword,
});

const withTheTag = { tag: "https://verify.example.com/sessions/4711" };

describe("The client's README", () => {
  const built = useClientPackage();

  test("has samples that compile for Node and bundlers, and run with the system's Node", async () => {
    const folder = await temporaryFolder();
    const env = { ...environment(), ROOM_NAME: gateway.addRoom("conversation") };
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await run("npm", ["install", "--offline", "--silent", built.tarball], { cwd: folder, env });
    const readme = readFileSync(join(projectFolder, "client/README.md"), "utf8");
    const samples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
    expect(samples.length).toBeGreaterThan(5);
    expect(samples[0]?.trim().split("\n").length).toBeLessThanOrEqual(10);
    const program = programOf(samples).replaceAll("https://gateway.example.com", gateway.url);
    await writeFile(join(folder, "program.ts"), program);
    for (const options of [
      { module: "esnext", moduleResolution: "bundler", noEmit: true },
      { module: "nodenext", moduleResolution: "nodenext" },
    ]) {
      const compilerOptions = {
        ...options,
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        target: "es2022",
        types: ["node"],
        typeRoots: [join(projectFolder, "node_modules/@types")],
      };
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
      const compiler = run(join(projectFolder, "node_modules/.bin/tsc"), [], { cwd: folder });
      const { stdout } = await compiler.catch((failed: { stdout: string }) => failed);
      expect([options.module, stdout]).toEqual([options.module, ""]);
    }
    const { stdout: version } = await run("node", ["--version"], { env });
    expect(version).toMatch(/^v(?:2\d|[3-9]\d)\./);
    const { stdout } = await run("node", ["program.js"], { cwd: folder, env });
    expect(stdout).toMatch(/^Room: \S+ PIN: \d+$[\s\S]*all samples have run/m);
  });
});

/** What the samples use and do not declare. */
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
  const names = new Map<string, Set<string>>();
  for (const [, list = "", module = ""] of samples.join("").matchAll(importLine)) {
    for (const name of list.split(", ")) names.set(module, (names.get(module) ?? new Set()).add(name));
  }
  const imports = [...names].map(([module, some]) => `import { ${[...some].join(", ")} } from "${module}";`);
  const [first = "", ...others] = samples.map((sample) => sample.replaceAll(importLine, ""));
  const blocks = others.map((sample) => `{\n${sample}}`);
  return [...imports, surroundings, first, ...blocks, 'console.log("all samples have run");'].join("\n");
}

interface PrintedRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** Reads a request as it is printed, with the values for its braces. */
function parseRequest(text: string, values: Readonly<Record<string, string>>): PrintedRequest {
  const filled = text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `no value of ${name}`);
  const [head = "", body] = filled.trim().split("\n\n");
  const [requestLine = "", ...lines] = head.split("\n");
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/).slice(0, 2)));
  return { url: requestLine.replace("POST ", ""), headers, body };
}

test("The two requests in docs/integration.md get a token and create a room", async () => {
  const [, tokenRequest = "", createRequest = ""] = readFileSync("docs/integration.md", "utf8").split(
    "```http\n",
  );
  const send = async (printed: string, values: Readonly<Record<string, string>>) => {
    const { url, headers, body } = parseRequest(printed.split("```")[0] ?? "", values);
    const response = await fetch(url, { method: "POST", headers, ...(body && { body }) });
    expect([url, response.status]).toEqual([url, 200]);
    return z.looseObject({}).parse(await response.json());
  };
  const { access_token } = await send(tokenRequest, environment());
  const room = await send(createRequest, {
    ...environment(),
    ACCESS_TOKEN: String(access_token),
    HEXADECIMAL_TAG: Buffer.from(withTheTag.tag).toString("hex"),
    KEY: randomUUID(),
  });
  expect(gateway.room(String(room["name"]))).toMatchObject(withTheTag);
});
