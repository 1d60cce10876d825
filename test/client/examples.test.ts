/** The programs and requests in the documents run as they are printed, at a running gateway. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { identities } from "../../tools/local/stack/identities.ts";
import { useClientPackage } from "../support/client-package.ts";
import { useRunningGateway } from "../support/running-gateway.ts";
import { temporaryFolder } from "../support/script-process.ts";

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

/** Returns the first block of this language below a heading. Throws if there is none. */
function codeBelow(document: string, heading: string, language: string): string {
  const text = readFileSync(new URL(`../../${document}`, import.meta.url), "utf8");
  const section = text.split(new RegExp(`^#+ ${heading}$`, "m"))[1] ?? "";
  const [, code] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(section) ?? [];
  if (code === undefined) throw new Error(`${document} has no ${language} below "${heading}"`);
  return code;
}

/** Returns the room that the program's output names, as the platform has it. */
function roomIn(output: string): unknown {
  const [, name = "", pin] = /^Room: (\S+) PIN: (\d+)$/m.exec(output) ?? [];
  const room = gateway.room(name);
  return room?.["guest_pin"] === pin ? room : `no room of the output: ${output}`;
}

const withTheTag = { tag: "https://verify.example.com/sessions/4711" };

describe("The client's README", () => {
  const built = useClientPackage();

  test("has a program that runs in an empty folder, with the system's Node and without a network", async () => {
    const folder = await temporaryFolder();
    const env = environment();
    await writeFile(join(folder, "package.json"), "{}");
    await run("npm", ["install", "--offline", "--silent", built.tarball], { cwd: folder, env });
    const code = codeBelow("client/README.md", "Create a room", "js");
    expect(code.trim().split("\n").length).toBeLessThanOrEqual(10);
    await writeFile(join(folder, "program.mjs"), code);
    const { stdout: version } = await run("node", ["--version"], { env });
    expect(version).toMatch(/^v(?:2\d|[3-9]\d)\./);
    const { stdout } = await run("node", ["program.mjs"], { cwd: folder, env });
    expect(roomIn(stdout)).toMatchObject(withTheTag);
  });
});

test("The Python program of docs/integration.md creates a room, also if the pool is empty at first", async () => {
  const program = join(await temporaryFolder(), "room.py");
  await writeFile(program, codeBelow("docs/integration.md", "In Python", "python"));
  const python = async () =>
    run("python3", [program], { env: environment() }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      throw new Error("python3 is missing. On Debian: apt-get install python3");
    });
  expect(roomIn((await python()).stdout)).toMatchObject(withTheTag);
  await gateway.empty();
  expect(roomIn((await python()).stdout)).toMatchObject(withTheTag);
});

const reportSchema = z.object({
  requests: z.array(
    z.object({
      title: z.string(),
      testResults: z.array(z.object({ message: z.string(), status: z.string() })),
    }),
  ),
});

test("httpYac sends every request of requests/room.http, and each response is as its checks say", async () => {
  const file = fileURLToPath(new URL("../../requests/room.http", import.meta.url));
  const httpyac = fileURLToPath(import.meta.resolve("httpyac/bin/httpyac.js"));
  const args = [httpyac, "send", file, "--all", "--json"];
  const { stdout } = await run(process.execPath, args, { env: environment() });
  const { requests } = reportSchema.parse(JSON.parse(stdout));
  const titles = readFileSync(file, "utf8").match(/^### .+$/gm);
  expect(requests.map(({ title }) => `### ${title}`)).toEqual(titles);
  expect(requests.filter(({ testResults }) => testResults.length === 0)).toEqual([]);
  const failed = requests.flatMap(({ testResults }) =>
    testResults.filter(({ status }) => status !== "SUCCESS"),
  );
  expect(failed).toEqual([]);
});
