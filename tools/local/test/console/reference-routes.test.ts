/** The API reference's part of the console's server: what it serves to whom, and how it forwards calls. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { useStarted } from "../../../../test/support/use-started.ts";
import { poll } from "../../process/poll.ts";
import { identities } from "../../stack/identities.ts";
import { startRunningConsole } from "../running-console.ts";

const running = useStarted(async () => startRunningConsole());
const Credentials = z.object({ gateway: z.string(), token: z.string(), agentToken: z.string() });
const Created = z.object({ name: z.string() });

const get = async (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${running.url}${path}`, init);

async function asConsumer(): Promise<Record<string, string>> {
  const { token } = Credentials.parse(await (await get("/api/credentials.json")).json());
  return { authorization: `Bearer ${token}` };
}

test("Serves the page with a strict policy below /api/, and openapi.json as it is", async () => {
  const redirected = await get("/api", { redirect: "manual" });
  expect([redirected.status, redirected.headers.get("location")]).toEqual([308, "/api/"]);
  for (const name of ["", "reference.js", "reference.css", "icon.svg"]) {
    const response = await get(`/api/${name}`);
    expect(response.status).toBe(200);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain("unsafe");
  }
  expect(await (await get("/api/openapi.json")).text()).toBe(readFileSync("openapi.json", "utf8"));
  expect((await get("/api/nonsense")).status).toBe(404);
});

test("Gives credentials to its own page only, and forwards no calls of other origins", async () => {
  const credentials = Credentials.parse(await (await get("/api/credentials.json")).json());
  expect(credentials).toMatchObject({
    gateway: running.connection.gatewayUrl,
    agentToken: identities.agentToken,
  });
  const headers = { ...(await asConsumer()), origin: "http://attacker.example" };
  expect((await get("/api/credentials.json", { headers })).status).toBe(403);
  expect((await get("/api/gateway/room/create", { method: "POST", headers })).status).toBe(403);
});

test("Forwards method, path, query, headers and body, and returns the gateway's response unchanged", async () => {
  const headers = await asConsumer();
  const tag = Buffer.from("https://verify.example.com/1").toString("hex");
  const created = await get(`/api/gateway/room/create?uuiData=${tag}`, {
    method: "POST",
    headers: { ...headers, "x-correlation-id": "from-the-page" },
  });
  expect(created.status).toBe(200);
  expect(created.headers.get("x-correlation-id")).toBe("from-the-page");
  const { name } = Created.parse(await created.json());
  const patched = await get(`/api/gateway/room/${name}`, {
    method: "PATCH",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ participant_limit: 3 }),
  });
  expect([patched.status, await patched.text()]).toEqual([202, ""]);
  const room = running.stack.platform.rooms().find((one) => one.name === name);
  expect(room).toMatchObject({ participant_limit: 3, tag: "https://verify.example.com/1" });
  expect((await get(`/api/gateway/room/${name}`, { method: "DELETE", headers })).status).toBe(204);
  expect((await get("/api/gateway/room/a%2Fb", { headers })).status).toBe(404);
  expect((await get("/api/gateway/room/list")).status).toBe(401);
});

test("Shows forwarded calls in the timeline with their path", async () => {
  await get("/api/gateway/room/create", { method: "POST", headers: await asConsumer() });
  const greeting = async () => {
    const aborting = new AbortController();
    const { body } = await get("/events", { signal: aborting.signal });
    const { value } = (await body?.getReader().read()) ?? {};
    aborting.abort();
    return new TextDecoder().decode(value).includes("POST /room/create") ? true : undefined;
  };
  expect(await poll(greeting, { description: "the call in the timeline", timeoutSeconds: 20 })).toBe(true);
});
