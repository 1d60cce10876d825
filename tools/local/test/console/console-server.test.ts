/** The console's server: its pages, who may call it, its calls, and the secrets that it never shows. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { createHttpClient } from "../../../../test/support/http-client.ts";
import { useStarted } from "../../../../test/support/use-started.ts";
import { identities } from "../../../simulators/identities.ts";
import { actions, requestOf, toCurl } from "../../console/actions.ts";
import { addressesOf } from "../../console/console-server.ts";
import { startRunningConsole } from "../running-console.ts";

const running = useStarted(async () => startRunningConsole());
const createdSchema = z.object({ name: z.string(), guest_pin: z.string() });
const credentialsSchema = z.object({ token: z.string() });

const get = async (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${running.url}${path}`, init);

async function asConsumer() {
  const { token } = credentialsSchema.parse(await (await get("/api/credentials.json")).json());
  return { authorization: `Bearer ${token}` };
}

test("Serves pages that load nothing from elsewhere", async () => {
  for (const name of ["", "console.js", "console.css", "icon.svg", "api/", "api/reference.js"]) {
    const response = await get(`/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("; charset=utf-8");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; (?!.*unsafe)/);
  }
  expect(await (await get("/api/openapi.json")).text()).toBe(readFileSync("openapi.json", "utf8"));
  for (const unknown of ["/nonsense", "/api/nonsense"])
    expect(await (await get(unknown)).text()).toContain("There is no such page.");
});

test("Refuses requests from another origin or under another host name, and accepts them through a forwarded port", async () => {
  const client = createHttpClient(running.url);
  onTestFinished(client.close);
  const statusOf = async (request: string, headers: Record<string, string>) =>
    (await client.send(request, { headers })).status;
  const headers = { ...(await asConsumer()), origin: "http://attacker.example" };
  for (const call of ["POST /api/platform/control/down", "GET /api/credentials.json", "GET /state"])
    expect(await statusOf(call, headers)).toBe(403);
  for (const host of ["attacker.example:7080", "127.0.0.1.nip.io", "localhost.attacker.example"])
    expect(await statusOf("GET /", { host })).toBe(403);
  for (const host of [new URL(running.url).host, "localhost", "localhost:17080", "127.0.0.1:17080"]) {
    expect(await statusOf("GET /", { host })).toBe(200);
    for (const origin of [`http://${host}`, `https://${host}`])
      expect(await statusOf("GET /", { host, origin })).toBe(200);
    for (const origin of ["http://localhost:3000", "http://attacker.example", "null"])
      expect(await statusOf("GET /", { host, origin })).toBe(403);
  }
});

test("Forwards calls as they are, returns responses unchanged, and shows no PIN, token, password or service tag in the console", async () => {
  const headers = { ...(await asConsumer()), "x-correlation-id": "from-the-page" };
  const tag = Buffer.from("https://verify.example.com/very-secret").toString("hex");
  const create = `/room/create?uuiData=${tag};encoding=hex`;
  const created = await get(`/api/gateway${create}`, { method: "POST", headers });
  expect([created.status, created.headers.get("x-correlation-id")]).toEqual([200, "from-the-page"]);
  const { name, guest_pin } = createdSchema.parse(await created.json());
  expect(guest_pin).toMatch(/^\d+$/);
  const action = await get("/actions/gateway/room/list?constrained_attributes=false", { headers });
  const listed = await action.text();
  expect(listed).toContain('"guest_pin":"••••••"');
  const update = { method: "PATCH", headers: { ...headers, "content-type": "application/json" }, body: "{}" };
  expect((await get(`/api/gateway/room/${name}`, update)).status).toBe(202);
  expect((await get("/api/gateway/room/a%2Fb", { headers })).status).toBe(404);
  expect((await get("/api/gateway/room/list")).status).toBe(401);
  const state = async () => (await get("/state")).text();
  await expect.poll(state).toContain(name);
  const shown = await state();
  const pins = running.stack.platform.rooms().map((room) => String("guest_pin" in room && room.guest_pin));
  expect(pins).toContain(guest_pin);
  const { hostPin, platformPassword, clientSecret } = identities;
  const secrets = ["https://verify", hostPin, platformPassword, clientSecret, "eyJ", ...pins];
  expect(secrets.filter((secret) => shown.includes(`"${secret}`))).toEqual([]);
  expect(pins.filter((pin) => listed.includes(`"${pin}"`))).toEqual([]);
  expect((await get(`/api/gateway/room/${name}`, { method: "DELETE", headers })).status).toBe(204);
});

test("The curl lines of each action work in a shell, without anything else", async () => {
  const { platform, issuer } = running.stack;
  const addresses = addressesOf(running.connection);
  const env = { PATH: process.env["PATH"], NO_PROXY: "127.0.0.1" };
  const tag = "https://verify.example.com/é€?it's='1";
  // The last one is "rotate". After "empty", no room could be created for the others.
  for (const action of actions.filter(({ id }) => id !== "empty")) {
    await running.untilPoolHas(1);
    const { name: room } = createdSchema.parse(await (await running.call("POST /room/create")).json());
    const initial = (action.fields ?? []).map((field) => [field.name, String(field.initial)]);
    const values: Record<string, string> = {
      ...Object.fromEntries(initial),
      room,
      ...(action.id === "create" && { tag }),
      ...(action.id === "alarm" && { name: tag }),
    };
    if (action.id === "leave") platform.joinConference({ name: room, participant: values["who"] ?? "" });
    const { stdout } = await promisify(execFile)("sh", ["-c", toCurl(action, values, addresses)], { env });
    expect(`${action.id}: ${stdout}`).toMatch(/^\w+: HTTP\/1\.1 2\d\d /);
    await platform.goUp();
    platform.clearFaults();
    platform.setLatency({ milliseconds: 0 });
    issuer.setDown(false);
  }
  expect(platform.rooms().filter((room) => "tag" in room && room.tag === tag)).toHaveLength(1);
});

test.each<[string, Record<string, string>, string, string]>([
  ["read", { room: "Zürich/é?" }, "GET", "/public/room/Z%C3%BCrich%2F%C3%A9%3F"],
  ["create", { tag: "" }, "POST", "/room/create"],
])("The action %s is the right request", (id, values, method, path) => {
  const action = actions.find((one) => one.id === id);
  expect(action && requestOf(action, values)).toEqual({ method, path, body: undefined });
});
