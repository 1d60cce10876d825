/** What the network does to a change on the platform: what may have happened there, and what the caller gets. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, createServer, isIPv6, type LookupFunction, Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { generate } from "selfsigned";
import { describe, expect, test } from "vitest";
import { failures } from "../../src/lib/errors.ts";
import { PlatformError } from "../../src/lib/platform/errors.ts";
import { listen } from "../../tools/simulators/services/listen.ts";
import { newPlatformClient } from "../support/use-platform.ts";

const host = "platform.example.com";
const { cert, private: key } = await generate([{ name: "commonName", value: host }], {
  keyType: "ec",
  extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: host }] }],
});

/** What happens to a call from its beginning to its end. Everything else works. */
interface Fault {
  readonly isTls?: boolean;
  /** Whether a call before this one has opened the connection. */
  readonly isReused?: boolean;
  /** The code that the look-up fails with. `silence`: the look-up does not end. */
  readonly lookup?: string;
  readonly addresses?: readonly string[];
  /** Replaces the connection, because no computer fails in this way with certainty. */
  readonly connect?: () => Socket;
  /** What the server does with a connection, instead of reading a request. */
  readonly accept?: (socket: Socket) => void;
  /** What the server does with the connection of a request, instead of responding. */
  readonly respond?: (socket: Socket) => void;
  /** The call's own timeout. */
  readonly timeoutSeconds?: number;
}

const silence = () => undefined;
const close = (socket: Socket) => void socket.destroy();
const reset = (socket: Socket) => void socket.resetAndDestroy();
const onHello = (then: (socket: Socket) => void) => ({
  isTls: true,
  accept: (socket: Socket) => void socket.once("data", () => then(socket)),
});
const failedConnect = (code: string) => ({
  connect: () => new Socket().destroy(Object.assign(new Error(code), { code })),
});
const lostSyn = {
  connect() {
    const socket = connect({ host, port: 1, lookup: silence });
    setImmediate(() => socket.emit("connectionAttempt"));
    return socket;
  },
};
// The head of a record, and the beginning of its ServerHello.
const halfHello = Buffer.from([22, 3, 3, 0, 122, 2, 0, 0, 118]);
const half202 = "HTTP/1.1 202 Accepted\r\nContent-Length: 9\r\n\r\n{";

type Row = [situation: string, fault: Fault, networkCode: string];

describe.concurrent.each([
  ["With one address", ["127.0.0.1"]],
  ["With two addresses, of which the first refuses connections", ["::1", "127.0.0.1"]],
])("%s,", (_, addresses) => {
  test.each<Row>([
    ["an unknown name", { lookup: "ENOTFOUND" }, "ENOTFOUND"],
    ["no free descriptor for the look-up", { lookup: "EMFILE" }, "EMFILE"],
    ["no free descriptor for the connection", failedConnect("EMFILE"), "EMFILE"],
    ["no free port", failedConnect("EADDRNOTAVAIL"), "EADDRNOTAVAIL"],
    ["no route", failedConnect("EHOSTUNREACH"), "EHOSTUNREACH"],
    ["a refused connection", { addresses: ["::1"] }, "ECONNREFUSED|EADDRNOTAVAIL"],
    ["a connection closed on ClientHello", onHello(close), "ECONNRESET"],
    ["a connection reset on ClientHello", onHello(reset), "ECONNRESET"],
    ["TLS cut half-way", onHello((socket) => void socket.end(halfHello)), "ECONNRESET"],
    ["HTTP instead of TLS", onHello((socket) => void socket.end(half202)), "EPROTO|ERR_SSL_.*"],
  ])("a call is not sent after %s, and the next one is served", async (_, fault, networkCode) => {
    const expected = { outcome: "not-sent", code: "platform-unavailable", networkCode };
    await expectFailure({ fault, addresses }, expected);
  });

  test.each<Row>([
    ["a silent name server", { lookup: "silence" }, "LOOKUP_TIMEOUT"],
    ["its own timeout during the look-up", { lookup: "silence", timeoutSeconds: 0.05 }, "LOOKUP_TIMEOUT"],
    ["a lost SYN", lostSyn, "CONNECT_TIMEOUT"],
    ["its own timeout while it connects", { ...lostSyn, timeoutSeconds: 0.05 }, "CONNECT_TIMEOUT"],
    ["lost SYNs to all addresses", failedConnect("ETIMEDOUT"), "ETIMEDOUT"],
    ["silence instead of TLS", { isTls: true, accept: silence }, "CONNECT_TIMEOUT"],
  ])("a call is not sent in time after %s, and the next one is served", async (_, fault, networkCode) => {
    const expected = { outcome: "not-sent", code: "platform-timeout", networkCode };
    await expectFailure({ fault, addresses }, expected);
  });

  describe.each([
    ["an open connection", { isReused: true }],
    ["a new connection", {}],
  ])("on %s,", (_, connection) => {
    test.each<Row>([
      ["a reset after the request", { respond: reset }, "ECONNRESET"],
      ["a reset after the request over TLS", { isTls: true, respond: close }, "ECONNRESET"],
      [
        "a reset in the body of a 202",
        { respond: (socket) => void socket.write(half202, () => reset(socket)) },
        "ECONNRESET",
      ],
      [
        "the end of the connection in the body of a 202",
        { respond: (socket) => void socket.end(half202) },
        "ERR_BAD_RESPONSE",
      ],
    ])(
      "a call may have been carried out after %s, and the next one is served",
      async (_, fault, networkCode) => {
        const expected = { outcome: "unknown", code: "platform-unavailable", networkCode };
        await expectFailure({ fault: { ...fault, ...connection }, addresses }, expected);
      },
    );
  });

  test("a call may have been carried out after silence, and the next one is served", async () => {
    const fault = { isReused: true, respond: silence, timeoutSeconds: 0.05 };
    const expected = { outcome: "unknown", code: "platform-timeout", networkCode: "ETIMEDOUT" };
    await expectFailure({ fault, addresses }, expected);
  });
});

/** Expects that a change fails in this way, and that the next one succeeds. */
async function expectFailure(
  network: { readonly fault: Fault; readonly addresses: readonly string[] },
  { outcome, code, networkCode }: { outcome: string; code: string; networkCode: string },
) {
  const { fault } = network;
  await using platform = await startPlatform(network);
  if (fault.isReused) await platform.patch();
  platform.setFaulty(true);
  const error: unknown = await platform.patch(fault.timeoutSeconds).catch((cause: unknown) => cause);
  if (!(error instanceof PlatformError)) throw new Error("the call has not failed", { cause: error });
  expect(error).toMatchObject({ outcome, code });
  expect(error.details.failedCall?.platformError).toMatch(new RegExp(`^(?:${networkCode})$`));
  expect(failures[error.code].status).toBe(503);
  platform.setFaulty(false);
  await platform.patch();
}

/** Starts a platform that accepts changes, and a client for it. The network between them has the fault while it is set. */
async function startPlatform({ fault, addresses }: Parameters<typeof expectFailure>[0]) {
  let isFaulty = false;
  let endLookup = (): void => undefined;
  const sockets = new Set<Socket>();
  const respond = ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (isFaulty && fault.respond) fault.respond(socket);
    else response.writeHead(202).end();
  };
  const web = fault.isTls ? createHttpsServer({ key, cert }, respond) : createHttpServer(respond);
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    if (isFaulty && fault.accept) fault.accept(socket);
    else web.emit("connection", socket);
  });
  const { port } = new URL(await listen(server));

  const lookup: LookupFunction = (_, __, callback) => {
    const found = (isFaulty && fault.addresses) || addresses;
    const succeed = () =>
      callback(
        null,
        found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
      );
    if (!isFaulty || fault.lookup === undefined) setImmediate(succeed);
    else if (fault.lookup === "silence") endLookup = succeed;
    else callback(Object.assign(new Error(fault.lookup), { code: fault.lookup }), []);
  };
  const createConnection =
    fault.connect &&
    (() => (isFaulty && fault.connect ? fault.connect() : connect({ host, port: Number(port), lookup })));
  const client = newPlatformClient(`${fault.isTls ? "https" : "http"}://${host}:${port}`, {
    connection: {
      secureContext: createSecureContext({ ca: cert }),
      lookup,
      createConnection,
      connectMilliseconds: 1500,
    },
  });
  return {
    patch: async (timeoutSeconds = 20) =>
      client.call({ method: "PATCH", path: "/", body: {}, timeoutSeconds }),
    setFaulty(value: boolean) {
      isFaulty = value;
      endLookup();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
