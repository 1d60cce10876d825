/** The stand-ins as processes of their own: one line with the addresses, and an end when asked or orphaned. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";

function run(script: string, options?: object): ChildProcess {
  const path = new URL(`../../../local/commands/${script}`, import.meta.url).pathname;
  const given = options === undefined ? [] : [JSON.stringify(options)];
  return spawn(process.execPath, [path, ...given], { stdio: ["pipe", "pipe", "inherit"] });
}

async function addresses(child: ChildProcess): Promise<Record<string, string>> {
  if (!child.stdout) throw new Error("the child has no output");
  const [line] = await once(createInterface(child.stdout), "line");
  return JSON.parse(String(line));
}

const stops: [string, (child: ChildProcess) => unknown][] = [
  ["SIGTERM", (child) => child.kill("SIGTERM")],
  ["SIGINT", (child) => child.kill("SIGINT")],
  ["closed standard input", (child) => child.stdin?.end()],
];

test.each(stops)("the platform simulator runs with the given options and ends by %s", async (_, stop) => {
  const child = run("run-platform.ts", { username: "u", password: "p", minPinLength: 4 });
  const exited = once(child, "exit");
  try {
    const { url, controlUrl } = await addresses(child);
    const authorization = `Basic ${Buffer.from("u:p").toString("base64")}`;
    const created = await fetch(`${url}/api/admin/configuration/v1/conference/`, {
      method: "POST",
      headers: { authorization },
      body: JSON.stringify({ name: "a", pin: "1234" }),
    });
    expect(created.status).toBe(201);
    expect((await fetch(`${controlUrl}/control/rooms`)).status).toBe(200);
  } finally {
    stop(child);
  }
  expect(await exited).toEqual([0, null]);
});

test("issuer, contact centre and log workspace run together with their defaults", async () => {
  const child = run("run-identity.ts");
  const exited = once(child, "exit");
  try {
    const { authorityUrl, contactCentreUrl, logWorkspaceUrl } = await addresses(child);
    expect((await fetch(`${authorityUrl}/control/counts`)).status).toBe(200);
    expect((await fetch(`${contactCentreUrl}/api/v2/users/me`)).status).toBe(401);
    expect((await fetch(`${logWorkspaceUrl}/control/rows`)).status).toBe(200);
  } finally {
    child.stdin?.end();
  }
  expect(await exited).toEqual([0, null]);
});
