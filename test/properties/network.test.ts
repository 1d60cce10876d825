/** What the network does to a change on the platform: what may have happened there, and what the caller gets. */
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, createServer, type LookupFunction, Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { describe, expect, test } from "vitest";
import type { FailureCode } from "../../src/lib/errors.ts";
import { PlatformError } from "../../src/lib/platform/errors.ts";
import { createManualClock } from "../../tools/simulators/memory/clock.ts";
import { listen } from "../../tools/simulators/services/listen.ts";
import { createAuthority } from "../support/tls-front.ts";
import { newPlatformClient } from "../support/use-platform.ts";

const host = "platform.example.com";
const { cert, key } = await createAuthority(host);

/** What happens to a call from its beginning to its end. Everything else works. */
interface Fault {
  readonly isTls?: boolean;
  /** Whether a call before this one has opened the connection. */
  readonly isReused?: boolean;
  /** The code that the look-up fails with. `silence`: the look-up does not end. */
  readonly lookup?: string;
  readonly addresses?: LookupAddress[];
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
const cutHello = (socket: Socket) => void socket.end(halfHello);
const half202 = "HTTP/1.1 202 Accepted\r\nContent-Length: 9\r\n\r\n{";
const cutBody = (socket: Socket) => void socket.end(half202);
const resetBody = (socket: Socket) => void socket.write(half202, () => reset(socket));
const soon = { timeoutSeconds: 0.05 };

const refusing = { address: "::1", family: 6 };
const working = { address: "127.0.0.1", family: 4 };
const unavailable = "platform-unavailable";
const timeout = "platform-timeout";
type Row = [situation: string, fault: Fault, code: FailureCode, networkCode: unknown];

describe.concurrent.each([
  ["With one address", [working]],
  ["With two addresses, of which the first refuses connections", [refusing, working]],
])("%s,", (_, addresses) => {
  test.each<Row>([
    ["an unknown name", { lookup: "ENOTFOUND" }, unavailable, "ENOTFOUND"],
    ["a silent name server", { lookup: "silence" }, timeout, "LOOKUP_TIMEOUT"],
    ["its own timeout during the look-up", { lookup: "silence", ...soon }, timeout, "LOOKUP_TIMEOUT"],
    ["no free descriptor for the look-up", { lookup: "EMFILE" }, unavailable, "EMFILE"],
    ["no free descriptor for the connection", failedConnect("EMFILE"), unavailable, "EMFILE"],
    ["no free port", failedConnect("EADDRNOTAVAIL"), unavailable, "EADDRNOTAVAIL"],
    ["no route", failedConnect("EHOSTUNREACH"), unavailable, "EHOSTUNREACH"],
    [
      "a refused connection",
      { addresses: [refusing] },
      unavailable,
      expect.stringMatching(/^(?:ECONNREFUSED|EADDRNOTAVAIL)$/),
    ],
    ["a lost SYN", lostSyn, timeout, "CONNECT_TIMEOUT"],
    ["its own timeout while it connects", { ...lostSyn, ...soon }, timeout, "CONNECT_TIMEOUT"],
    ["lost SYNs to all addresses", failedConnect("ETIMEDOUT"), timeout, "ETIMEDOUT"],
    ["silence instead of TLS", { isTls: true, accept: silence }, timeout, "CONNECT_TIMEOUT"],
    ["a connection closed on ClientHello", onHello(close), unavailable, "ECONNRESET"],
    ["a connection reset on ClientHello", onHello(reset), unavailable, "ECONNRESET"],
    ["TLS cut half-way", onHello(cutHello), unavailable, "ECONNRESET"],
    ["HTTP instead of TLS", onHello(cutBody), unavailable, expect.stringMatching(/^(?:EPROTO|ERR_SSL_)/)],
  ])("a call is not sent after %s, and the next one is served", async (_, fault, code, networkCode) => {
    const retries = code === unavailable ? 2 : 0;
    const expected = { outcome: "not-sent", code, status: 503, retries };
    expect(await failureOf(fault, addresses)).toEqual({ ...expected, networkCode });
  });

  test.each<Row>([
    ["a reset after the request", { respond: reset }, unavailable, "ECONNRESET"],
    ["a reset after the request over TLS", { isTls: true, respond: close }, unavailable, "ECONNRESET"],
    ["a reset of a reused connection", { isReused: true, respond: reset }, unavailable, "ECONNRESET"],
    ["a reset in the body of a 202", { respond: resetBody }, unavailable, "ECONNRESET"],
    ["a cut in the body of a 202", { respond: cutBody }, unavailable, "ERR_BAD_RESPONSE"],
    ["silence", { isReused: true, respond: silence, ...soon }, timeout, "ETIMEDOUT"],
  ])(
    "a call has an unknown outcome after %s, and the next one is served",
    async (_, fault, code, networkCode) => {
      const expected = { outcome: "unknown", code, status: 503, retries: 0 };
      expect(await failureOf(fault, addresses)).toEqual({ ...expected, networkCode });
    },
  );

  test("a call is served after the server has closed the idle connection", async () => {
    await using platform = await startPlatform({}, addresses);
    await platform.patch();
    await platform.closeConnections();
    await expect(platform.patch()).resolves.toBeDefined();
  });
});

/** Makes a change fail, and returns how. Rejects if the next change fails, too. */
async function failureOf(fault: Fault, addresses: LookupAddress[]) {
  await using platform = await startPlatform(fault, addresses);
  if (fault.isReused) await platform.patch();
  platform.setFaulty(true);
  const error: unknown = await platform.patch(fault.timeoutSeconds).catch((cause: unknown) => cause);
  if (!(error instanceof PlatformError)) throw new Error("the call has not failed", { cause: error });
  const { outcome, code, status, details } = error;
  const retries = platform.clock.sleeps.length;
  platform.setFaulty(false);
  await platform.patch();
  return { outcome, code, status, retries, networkCode: details.failedCall?.platformError };
}

/**
 * Starts a platform that accepts changes, and a client for it. The network between them has the fault while it is set.
 */
async function startPlatform(fault: Fault, addresses: LookupAddress[]) {
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
    const succeed = () => callback(null, (isFaulty && fault.addresses) || addresses);
    if (!isFaulty || fault.lookup === undefined) setImmediate(succeed);
    else if (fault.lookup === "silence") endLookup = succeed;
    else callback(Object.assign(new Error(fault.lookup), { code: fault.lookup }), []);
  };
  const createConnection =
    fault.connect &&
    (() => (isFaulty && fault.connect ? fault.connect() : connect({ host, port: Number(port), lookup })));
  const clock = createManualClock();
  const client = newPlatformClient(`${fault.isTls ? "https" : "http"}://${host}:${port}`, {
    clock,
    connection: { secureContext: createSecureContext({ ca: cert }), lookup, createConnection },
  });
  return {
    clock,
    patch: async (timeoutSeconds = 20) =>
      client.call({ method: "PATCH", path: "/", body: {}, timeoutSeconds }),
    setFaulty(value: boolean) {
      isFaulty = value;
      endLookup();
    },
    async closeConnections() {
      for (const socket of sockets) await once(socket.end(), "close");
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
