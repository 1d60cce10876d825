/**
 * Creates, reads, changes and deletes a room as integration.md describes. Copy this program and openapi.json, then run:
 *   npm install openapi-fetch openapi-typescript typescript@5 && npx openapi-typescript openapi.json -o openapi.d.ts
 *   GATEWAY_URL=https://... TOKEN_URL=https://... CLIENT_ID=... CLIENT_SECRET=... node example.ts
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { paths } from "./openapi.d.ts";

const { GATEWAY_URL = "", TOKEN_URL = "", CLIENT_ID = "", CLIENT_SECRET = "" } = process.env;
const timeoutMilliseconds = 30_000;
const maxRetries = 3;

let token = { value: "", renewAt: 0 };

/** Returns the current token, or a new one if less than five minutes remain. */
async function getToken(): Promise<string> {
  if (Date.now() < token.renewAt) return token.value;
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    scope: `api://${CLIENT_ID}/.default`,
  });
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const response = await fetch(TOKEN_URL, { method: "POST", body, signal });
  if (!response.ok) throw new Error(`The token request failed with status ${response.status}`);
  const { access_token, expires_in } = (await response.json()) as {
    access_token: string;
    expires_in: number;
  };
  token = { value: access_token, renewAt: Date.now() + (expires_in - 300) * 1000 };
  return token.value;
}

/** Sends a request once and waits for the whole response. Throws if the connection fails or the time is up. */
async function sendOnce(request: Request): Promise<Response> {
  const response = await fetch(request.clone(), { signal: AbortSignal.timeout(timeoutMilliseconds) });
  await response.clone().arrayBuffer();
  return response;
}

/** Sends a request and retries it. Every operation is safe to retry, a create because of its key. */
async function send(request: Request): Promise<Response> {
  const statuses: number[] = [];
  for (let retries = 0; ; retries += 1) {
    request.headers.set("authorization", `Bearer ${await getToken()}`);
    const result = await sendOnce(request).catch((error: Error) => error);
    // This response has status 0 and no headers.
    const { status, headers } = result instanceof Error ? Response.error() : result;
    const isTemporary = [0, 429, 503].includes(status) || (status === 404 && headers.has("retry-after"));
    const isRetriedOnce = [401, 500].includes(status) && !statuses.includes(status);
    if (retries === maxRetries || !(isTemporary || isRetriedOnce)) {
      if (result instanceof Error) throw result;
      return result;
    }
    statuses.push(status);
    if (status === 401) token.renewAt = 0;
    const seconds = Number(headers.get("retry-after")) || 2 ** retries;
    await delay(seconds * 1000 * (1 + Math.random() / 4));
  }
}

/** Returns the body of a response. Throws what you should report if the call has failed. */
async function bodyOf<Body>(
  call: Promise<{ data?: Body; error?: unknown; response: Response }>,
): Promise<Body> {
  const { data, error, response } = await call;
  if (response.ok) return data as Body;
  const correlationId = response.headers.get("x-correlation-id");
  throw new Error(`Status ${response.status} (correlation ID ${correlationId}): ${JSON.stringify(error)}`);
}

const gateway = createClient<paths>({ baseUrl: GATEWAY_URL, fetch: send });
const serviceTag = "https://verify.example.com/sessions/4711";
const uuiData = `${Buffer.from(serviceTag).toString("hex")};encoding=hex`;
// Store the key with your session, so that you get the same room after a restart too.
const header = { "idempotency-key": randomUUID() };
const room = await bodyOf(gateway.POST("/room/create", { params: { query: { uuiData }, header } }));
console.log(`Room ${room.name}, guest PIN ${room.guest_pin}`);

const params = { path: { room_name: room.name } };
const { tag } = await bodyOf(gateway.GET("/room/{room_name}", { params }));
console.log(`Service tag ${tag}`);
await bodyOf(gateway.PATCH("/room/{room_name}", { params, body: { participant_limit: 4 } }));
await bodyOf(gateway.DELETE("/room/{room_name}", { params }));
console.log("The room is deleted.");
