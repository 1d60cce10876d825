/** HTTP exchanges with the platform: connections, large and slow responses, and certificates. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { generate } from "selfsigned";
import { afterEach, describe, expect, test } from "vitest";
import { createOutboundCalls, withOutboundCalls } from "../../../src/lib/outbound-calls.ts";
import { transportFailure } from "../../../src/lib/platform/exchange.ts";
import { systemClock } from "../../../src/lib/ports.ts";
import { newPlatformClient } from "../../support/use-platform.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Starts a server that keeps idle connections for a minute, and a client for it. */
async function start(handle: RequestListener) {
  const started = createServer({ keepAliveTimeout: 60_000 }, handle);
  server = started;
  const counts = { opened: 0, closed: 0 };
  started.on("connection", (socket) => {
    counts.opened += 1;
    socket.on("close", () => void (counts.closed += 1));
  });
  started.listen(0, "127.0.0.1");
  await once(started, "listening");
  const address = started.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { client: newPlatformClient(`http://127.0.0.1:${port}`, { clock: systemClock }), counts };
}

test("consecutive calls share one connection, which is closed when it is idle", async () => {
  const { client, counts } = await start((_, response) => response.end("{}"));
  for (let count = 0; count < 5; count++) await client.call({ method: "GET", path: "/" });
  expect(counts).toEqual({ opened: 1, closed: 0 });
  // After 4 s: servers usually close idle connections after 5 s, which would break a call.
  await expect.poll(() => counts.closed, { timeout: 20_000 }).toBe(1);
});

test("every exchange is counted as a call to the platform, with the time that it took", async () => {
  const { client } = await start((_, response) => void setTimeout(() => response.end("{}"), 30));
  const totals = createOutboundCalls();
  await withOutboundCalls(totals, async () => {
    for (let count = 0; count < 2; count++) await client.call({ method: "GET", path: "/" });
  });
  expect([totals.platform.calls, totals.storage.calls]).toEqual([2, 0]);
  expect(totals.platform.milliseconds).toBeGreaterThanOrEqual(58);
});

test("a call accepts JSON, and names the type of its body if it has one", async () => {
  const { client } = await start(({ headers }, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(headers));
  });
  const { body: withoutBody } = await client.call({ method: "GET", path: "/" });
  expect(withoutBody).toMatchObject({ accept: "application/json" });
  expect(withoutBody).not.toHaveProperty("content-type");
  const { body: withBody } = await client.call({ method: "PATCH", path: "/", body: { tag: "x" } });
  expect(withBody).toMatchObject({ accept: "application/json", "content-type": "application/json" });
});

test("a response of several megabytes is read completely", async () => {
  const text = "x".repeat(8 * 1024 * 1024);
  const { client } = await start((_, response) => response.end(JSON.stringify({ text })));
  expect((await client.call({ method: "GET", path: "/" })).body).toEqual({ text });
});

test("a response that arrives slowly is cut off at the timeout", async () => {
  const drip = async (response: ServerResponse) => {
    for (let count = 0; count < 100 && !response.destroyed; count++) {
      response.write(" ");
      await wait(50);
    }
    response.end("{}");
  };
  const { client } = await start((_, response) => void drip(response));
  await expect(client.call({ method: "GET", path: "/", timeoutSeconds: 0.3 })).rejects.toMatchObject({
    outcome: "unknown",
    code: "platform-timeout",
  });
});

test.each([
  ["UND_ERR_CONNECT_TIMEOUT", "not-sent", "platform-timeout"],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "not-sent", "platform-unavailable"],
  ["ENOTFOUND", "not-sent", "platform-unavailable"],
  ["ETIMEDOUT", "unknown", "platform-timeout"],
  ["UND_ERR_SOCKET", "unknown", "platform-unavailable"],
  ["ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC", "unknown", "platform-unavailable"],
])("The network error %s has the outcome `%s`", (networkCode, outcome, code) => {
  const cause = Object.assign(new Error("network"), { code: networkCode });
  const failure = transportFailure({ method: "POST", path: "/rooms/" }, cause);
  expect(failure).toMatchObject({ outcome, code, message: `POST /rooms/: ${networkCode}` });
});

const trustedBefore = getCACertificates("default");
afterEach(() => setDefaultCACertificates(trustedBefore));

interface Certificate {
  readonly isTrusted?: boolean;
  /** Signed by a separate authority instead of self-signed. */
  readonly hasAuthority?: boolean;
  readonly address?: string;
  readonly validFromYear?: number;
  readonly validToYear?: number;
}

/** Sends one POST to a server with this certificate, and returns the methods of the requests that arrived. */
async function post(certificate: Certificate) {
  const { address = "127.0.0.1", validFromYear = 2020, validToYear = 2120 } = certificate;
  const authority = await generate([{ name: "commonName", value: "authority" }], { keyType: "ec" });
  const { cert, private: key } = await generate([{ name: "commonName", value: address }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.UTC(validFromYear, 0)),
    notAfterDate: new Date(Date.UTC(validToYear, 0)),
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: address }] }],
    ...(certificate.hasAuthority && { ca: { key: authority.private, cert: authority.cert } }),
  });
  if (certificate.isTrusted ?? true) setDefaultCACertificates([...trustedBefore, cert]);

  const arrived: (string | undefined)[] = [];
  const server = createHttpsServer({ cert, key }, (request, response) => {
    arrived.push(request.method);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server has no port");
  const client = newPlatformClient(`https://127.0.0.1:${bound.port}`);
  const outcome = await client.call({ method: "POST", path: "/rooms/", body: {} }).catch((e: unknown) => e);
  server.close();
  server.closeAllConnections();
  return { outcome, arrived };
}

test("a call reaches a server with a trusted certificate", async () => {
  expect(await post({})).toEqual({ outcome: { body: {} }, arrived: ["POST"] });
});

describe("a call is not sent to a server with a certificate", () => {
  test.each<[string, Certificate, string]>([
    ["that is self-signed", { isTrusted: false }, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["of an unknown authority", { isTrusted: false, hasAuthority: true }, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["that has expired", { validToYear: 2021 }, "CERT_HAS_EXPIRED"],
    ["that is not valid yet", { validFromYear: 2110 }, "CERT_NOT_YET_VALID"],
    ["of another address", { address: "192.0.2.1" }, "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("%s", async (_, certificate, reason) => {
    expect(await post(certificate)).toMatchObject({
      outcome: { outcome: "not-sent", code: "platform-unavailable", message: `POST /rooms/: ${reason}` },
      arrived: [],
    });
  });
});
