/**
 * What integrators copy: the requests in docs/integration.md, and docs/example.ts between faults and a running gateway.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { identities } from "../../tools/simulators/identities.ts";
import {
  type Answer,
  type Reply,
  startLoopbackServer,
} from "../../tools/simulators/services/loopback-server.ts";
import { useRunningGateway } from "../support/running-gateway.ts";
import { projectFolder, runScriptIn } from "../support/script-process.ts";

const gateway = useRunningGateway();
beforeEach(async () => {
  await gateway.empty();
  await gateway.fillPool(1);
});

const tag = "https://verify.example.com/sessions/4711";
const credentials = { CLIENT_ID: identities.clientId, CLIENT_SECRET: identities.clientSecret };
const nameOf = (text: string) => z.object({ name: z.string() }).safeParse(JSON.parse(text)).data?.name;

test("The two requests in the guide get a token and create a room", async () => {
  const guide = readFileSync(join(projectFolder, "docs/integration.md"), "utf8");
  const values: Record<string, string> = {
    ...credentials,
    GATEWAY_URL: gateway.url,
    TOKEN_URL: gateway.stack.issuer.tokenUrl,
    HEXADECIMAL_TAG: Buffer.from(tag).toString("hex"),
    KEY: randomUUID(),
  };
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `no ${name}`);
  for (const [, url = "", rest = ""] of guide.matchAll(/```http\nPOST (.*)\n([\s\S]*?)```/g)) {
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

/** A response instead of the gateway's, or the loss of the gateway's response. */
type Fault = Reply | "response lost";

/** Runs the program, whose first requests to the gateway meet these faults. */
async function runExample(faults: readonly Fault[], tokenSeconds = 3599) {
  const calls: string[] = [];
  const keys = new Set<unknown>();
  const rooms: (string | undefined)[] = [];
  const times: number[] = [];
  let tokens = 0;
  let deleted: unknown;
  const server = await startLoopbackServer(async ({ method, url, headers, body }): Promise<Answer> => {
    if (url.pathname === "/token") {
      tokens += 1;
      const init = { method, headers: { "content-type": String(headers["content-type"]) } };
      const issued = await fetch(gateway.stack.issuer.tokenUrl, { ...init, body: new Uint8Array(body) });
      const grant = z.record(z.string(), z.unknown()).parse(await issued.json());
      return { status: issued.status, body: { ...grant, expires_in: tokenSeconds } };
    }
    const fault = faults[calls.length];
    const call = `${method} ${url.pathname}${url.search}`;
    calls.push(method === "POST" ? "POST" : call.replace(/(?<=\/)[^/]+$/, "room"));
    times.push(performance.now());
    if (method === "POST") keys.add(headers["idempotency-key"]);
    if (fault && fault !== "response lost") return fault;
    if (method === "DELETE") deleted = gateway.room(url.pathname.replace("/room/", ""));
    const { host: _, connection: __, ...sent } = headers;
    const text = body.length > 0 ? body.toString() : undefined;
    const response = await gateway.send(call, {
      headers: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, String(value)])),
      ...(text !== undefined && { text }),
    });
    if (method === "POST") rooms.push(nameOf(response.text));
    return fault ? "reset" : { status: response.status, body: response.text };
  });
  onTestFinished(server.stop);
  const variables = { ...credentials, GATEWAY_URL: server.url, TOKEN_URL: `${server.url}/token` };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const program = runScriptIn(projectFolder, "docs/example.ts");
  const exitCode = await program.exited;
  return { exitCode, calls, keys, rooms, times, tokens, deleted, program };
}

const afterCreate = ["GET /room/room", "PATCH /room/room", "DELETE /room/room"];

test("The example gets one room although a create is refused and a response is lost, and changes and deletes it", async () => {
  const refused = { status: 503, headers: { "retry-after": "2" }, body: { detail: "busy" } };
  const run = await runExample([refused, "response lost"]);
  const { calls, keys, rooms, times, tokens, deleted, program } = run;
  expect([program.errors(), calls]).toEqual(["", ["POST", "POST", "POST", ...afterCreate]]);
  expect([keys.size, [...keys][0]]).toEqual([1, expect.stringMatching(/^[\da-f-]{36}$/)]);
  const [name = "none"] = rooms;
  expect(rooms).toEqual([name, name]);
  expect(program.output()).toMatch(new RegExp(`^Room ${name}, guest PIN \\d+\nService tag ${tag}\n`));
  expect(deleted).toMatchObject({ name, tag, participant_limit: 4 });
  expect(gateway.room(name)).toBeUndefined();
  const [first = 0, second = 0] = times;
  expect(second - first).toBeGreaterThanOrEqual(2000);
  expect(tokens).toBe(1);
});

const soon = { "retry-after": "0.01" };
interface Failure {
  readonly after: string;
  /** What the first creates get. */
  readonly responses: readonly Reply[];
  readonly creates: number;
  /** What the program reports; without it, the program succeeds. */
  readonly report?: string;
}

const repeat = (count: number, response: Reply) => Array<Reply>(count).fill(response);
const failures: Failure[] = [
  { after: "429 three times", responses: repeat(3, { status: 429, headers: soon }), creates: 4 },
  {
    after: "503 four times",
    responses: repeat(4, { status: 503, headers: soon }),
    creates: 4,
    report: "Status 503",
  },
  { after: "404 for an empty pool", responses: [{ status: 404, headers: soon }], creates: 2 },
  { after: "404 for a deleted room", responses: [{ status: 404 }], creates: 1, report: "Status 404" },
  { after: "500 once", responses: [{ status: 500, headers: soon }], creates: 2 },
  {
    after: "500 twice",
    responses: repeat(2, { status: 500, headers: { ...soon, "x-correlation-id": "failure-1" } }),
    creates: 2,
    report: "Status 500 (correlation ID failure-1)",
  },
  {
    after: "502",
    responses: [{ status: 502, body: { detail: "rejected" } }],
    creates: 1,
    report: '{"detail":"rejected"}',
  },
];

test.each(failures)("The example reacts to $after as the guide says", async (failure) => {
  const { responses, creates, report } = failure;
  const { calls, exitCode, program } = await runExample(responses);
  const posts = Array<string>(creates).fill("POST");
  expect([calls, exitCode]).toEqual(report === undefined ? [[...posts, ...afterCreate], 0] : [posts, 1]);
  expect(program.errors()).toContain(report ?? "");
});

test("The example requests a new token after a 401, and when less than five minutes remain", async () => {
  const refused = await runExample([{ status: 401, headers: soon }]);
  expect([refused.exitCode, refused.tokens]).toEqual([0, 2]);
  await gateway.fillPool(1);
  const expiring = await runExample([], 300);
  expect([expiring.exitCode, expiring.tokens]).toEqual([0, 4]);
});
