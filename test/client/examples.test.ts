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
