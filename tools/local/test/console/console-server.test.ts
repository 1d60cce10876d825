/** The console's server: who may call it, the size of its page, and the secrets that it never shows. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { createHttpClient } from "../../../../test/support/http-client.ts";
import { useStarted } from "../../../../test/support/use-started.ts";
import { identities } from "../../../simulators/identities.ts";
import { type Action, actions, requestOf, toCurl } from "../../console/actions.ts";
import { addressesOf } from "../../console/console-server.ts";
import { startRunningConsole } from "../running-console.ts";

const running = useStarted(async () => startRunningConsole());
const resultSchema = z.object({ status: z.number(), text: z.string(), room: z.string().default("") });
const maxPageBytes = 100_000;

/** Returns what the stream has sent up to and including the first event of this name. */
async function readStream(event: string): Promise<string> {
  const aborting = new AbortController();
  const response = await fetch(`${running.url}/events`, { signal: aborting.signal });
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (new RegExp(`event: ${event}\ndata: .*\n\n`).test(text)) break;
  }
  aborting.abort();
  return text;
}

test("Serves pages that load nothing from elsewhere, the console with less than 100 kB compressed", async () => {
  let bytes = 0;
  const consoleFiles = ["", "console.js", "console.css", "icon.svg"];
  for (const name of [...consoleFiles, "api/", "api/reference.js", "api/reference.css"]) {
    const response = await fetch(`${running.url}/${name}`);
    expect(response.status).toBe(200);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain("unsafe");
    if (consoleFiles.includes(name)) bytes += gzipSync(await response.text()).length;
  }
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(maxPageBytes);
});

test("Refuses requests from another origin or under another host name", async () => {
  const client = createHttpClient(running.url);
  onTestFinished(client.close);
  const statusOf = async (request: string, headers: Record<string, string>) =>
    (await client.send(request, { headers })).status;
  const headers = { ...(await asConsumer()), origin: "http://attacker.example" };
  for (const path of ["POST /actions/create", "GET /api/credentials.json", "POST /api/gateway/room/create"])
    expect(await statusOf(path, headers)).toBe(403);
  expect(await statusOf("GET /", { host: "attacker.example" })).toBe(403);
  expect(await statusOf("GET /", { host: new URL(running.url).host })).toBe(200);
});

test("Returns 404 for an unknown action or path and 400 for values that are not text", async () => {
  expect((await running.runAction("nonsense", {})).status).toBe(404);
  const unknown = await fetch(`${running.url}/nonsense`);
  expect(unknown.status).toBe(404);
  expect(await unknown.text()).toContain("There is no such page.");
  expect((await running.runAction("create", { tag: 1 })).status).toBe(400);
  const refused = await runAction("slow", { milliseconds: "abc" });
  expect(refused).toMatchObject({
    status: 400,
    text: expect.stringMatching(/^✖ Invalid input: expected number.*at milliseconds\.$/s),
  });
});

test("Sends no PIN, token, password or service tag to the page", async () => {
  const tag = "https://verify.example.com/sessions/very-secret";
  const created = await runAction("create", { tag });
  expect(created.status).toBe(200);
  expect(created.room).not.toBe("");
  expect(created.text).not.toMatch(/pin":"\d/);
  const stream = await readStream("snapshot");
  const rooms = running.stack.platform.rooms();
  expect(rooms.length).toBeGreaterThan(10);
  const pins = rooms.flatMap((room) => ("guest_pin" in room ? [String(room.guest_pin)] : []));
  const { hostPin, platformPassword, clientSecret } = identities;
  const secrets = [tag, hostPin, platformPassword, clientSecret, "eyJ", ...pins];
  expect(secrets.filter((secret) => stream.includes(`"${secret}`))).toEqual([]);
});

/** Runs an action through the console. */
async function runAction(id: string, values: Readonly<Record<string, string>>) {
  return resultSchema.parse(await (await running.runAction(id, values)).json());
}

/** Ends what an action may have switched on. */
function heal(): void {
  const { platform, contactCentre, issuer } = running.stack;
  platform.clearFaults();
  platform.setLatency({ milliseconds: 0 });
  contactCentre.clearFaults();
  issuer.setDown(false);
}

/** Returns the action's initial values, with a new room that has what the action needs. */
async function valuesFor({ id, fields = [] }: Action): Promise<Record<string, string>> {
  const { room } = await runAction("create", { tag: "" });
  const values = { ...Object.fromEntries(fields.map(({ name, initial }) => [name, initial])), room };
  if (id === "leave") await runAction("join", values);
  return values;
}

test("The curl lines of each action get the same status in a shell as the action, without anything else", async () => {
  // The others could not be followed by a create.
  for (const action of actions.filter(({ id }) => !["empty", "down"].includes(id))) {
    const own = await runAction(action.id, await valuesFor(action));
    heal();
    const { connection } = running;
    const addresses = addressesOf(connection);
    const env = { PATH: process.env["PATH"], NO_PROXY: "127.0.0.1" };
    const lines = toCurl(requestOf(action, await valuesFor(action), addresses), addresses);
    const { stdout } = await promisify(execFile)("sh", ["-c", lines], { env });
    heal();
    expect([action.id, own.status < 300]).toEqual([action.id, true]);
    expect(`${action.id}: ${stdout}`).toMatch(`${action.id}: HTTP/1.1 ${own.status} `);
  }
});

// The API reference below /api/.

const Credentials = z.object({ token: z.string() });
const Created = z.object({ name: z.string() });

const get = async (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${running.url}${path}`, init);

async function asConsumer(): Promise<Record<string, string>> {
  const { token } = Credentials.parse(await (await get("/api/credentials.json")).json());
  return { authorization: `Bearer ${token}` };
}

test("The API reference is below /api/, with openapi.json unchanged", async () => {
  const redirected = await get("/api", { redirect: "manual" });
  expect([redirected.status, redirected.headers.get("location")]).toEqual([308, "/api/"]);
  expect(await (await get("/api/openapi.json")).text()).toBe(readFileSync("openapi.json", "utf8"));
  expect((await get("/api/nonsense")).status).toBe(404);
});

test("The API reference forwards calls as they are, and returns the gateway's response unchanged", async () => {
  const headers = await asConsumer();
  // The gateway reads new signing keys, which the actions above have made, at most every ten seconds.
  const listed = async () => (await get("/api/gateway/room/list", { headers })).status;
  await expect.poll(listed, { timeout: 60_000 }).toBe(200);
  const created = await get("/api/gateway/room/create", {
    method: "POST",
    headers: { ...headers, "x-correlation-id": "from-the-page" },
  });
  expect(created.headers.get("x-correlation-id")).toBe("from-the-page");
  const { name } = Created.parse(await created.json());
  expect((await get(`/api/gateway/room/${name}`, { method: "DELETE", headers })).status).toBe(204);
  expect((await get("/api/gateway/room/a%2Fb", { headers })).status).toBe(404);
  expect((await get("/api/gateway/room/list")).status).toBe(401);
  await expect.poll(async () => readStream("greeting")).toContain(`DELETE /room/${name}`);
});
