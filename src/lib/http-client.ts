/** Creates HTTP clients for outbound calls. */
import { lookup as dnsLookup } from "node:dns";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { LookupFunction } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import axios, { type AxiosError, type AxiosInstance, isCancel } from "axios";

// Servers usually close idle connections after 5 s, and a request on one just closed has an unknown outcome.
const idleMilliseconds = 4000;
// A busy gateway also follows a name that moves to another address.
const maxAgeMilliseconds = 60_000;
// For name look-up, TCP and TLS together.
const connectMilliseconds = 5000;
// For each address but the last. A lost SYN is sent again after a second (RFC 6298, 2.1); Node's default is 250 ms.
const attemptMilliseconds = 1500;
const maxResponseBytes = 64 * 1024 * 1024;

/** A request without a response. Unlike axios' errors, it does not contain the request, which has credentials. */
export class NoResponseError extends Error {
  override readonly name = "NoResponseError";
  /**
   * The code of the network layer, and after a timeout how far the request was: `LOOKUP_TIMEOUT` if the look-up of the
   * server's name had not ended, `CONNECT_TIMEOUT` if the connection was not open, otherwise `ETIMEDOUT`.
   */
  readonly code: string;
  /** False if the connection had not opened, TLS included. Then the server has received nothing of the request. */
  readonly isSent: boolean;

  constructor(code: string, isSent: boolean, { message, cause }: Partial<Error> = {}) {
    super(message ?? "no response in time", { cause });
    this.code = code;
    this.isSent = isSent;
  }
}

/** How connections are opened. All have defaults. */
export interface ConnectionOptions {
  /** Which authorities are trusted. With the option `ca` instead, each connection would parse all of them again. */
  readonly secureContext?: SecureContext | undefined;
  readonly lookup?: LookupFunction;
  readonly createConnection?: HttpAgent["createConnection"] | undefined;
}

/**
 * Creates an HTTP client for one server. It keeps connections alive, follows no redirect and uses no proxy. A request
 * returns a response of any status and throws NoResponseError if there is none.
 */
export function createHttpClient(baseURL: string, options?: ConnectionOptions): AxiosInstance {
  const agent = createAgent(baseURL, options);
  const client = axios.create({
    baseURL,
    httpAgent: agent,
    httpsAgent: agent,
    maxRedirects: 0,
    proxy: false,
    maxContentLength: maxResponseBytes,
    validateStatus: null,
  });
  client.interceptors.response.use(undefined, (error: AxiosError) => {
    const timeout = timeoutOf(error.request?.socket);
    throw isCancel(error) ? timeout : new NoResponseError(error.code ?? "", timeout.isSent, error);
  });
  return client;
}

/** When each socket opened, by the process's own time. Nothing of a request is sent before, and TLS is part of it. */
const openedAt = new WeakMap<object, number>();
/** Sockets that have the addresses of their server. */
const connecting = new WeakSet();

/** Returns the failure of a request on this socket that ends now. */
function timeoutOf(socket?: object | null): NoResponseError {
  if (!socket || !connecting.has(socket)) return new NoResponseError("LOOKUP_TIMEOUT", false);
  const isSent = openedAt.has(socket);
  return new NoResponseError(isSent ? "ETIMEDOUT" : "CONNECT_TIMEOUT", isSent);
}

/** Creates an agent for one server. It ends connections that do not open in time, are idle or are old. */
export function createAgent(url: string, options: ConnectionOptions = {}): HttpAgent {
  const { secureContext } = options;
  const Agent = url.startsWith("https:") ? HttpsAgent : HttpAgent;
  const agent = new Agent({
    keepAlive: true,
    timeout: idleMilliseconds,
    autoSelectFamilyAttemptTimeout: attemptMilliseconds,
    lookup: shareLookups(options.lookup),
    ...(secureContext && { secureContext }),
  });
  const connect = options.createConnection ?? agent.createConnection.bind(agent);
  agent.createConnection = (given, callback) => {
    const socket = connect(given, callback);
    if (!socket) return socket;
    const timer = setTimeout(() => socket.destroy(timeoutOf(socket)), connectMilliseconds);
    const stop = () => clearTimeout(timer);
    socket.once("connectionAttempt", () => connecting.add(socket));
    socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => {
      openedAt.set(socket, performance.now());
      stop();
    });
    return socket.once("close", stop);
  };
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) =>
    performance.now() - (openedAt.get(socket) ?? 0) < maxAgeMilliseconds && keep(socket);
  return agent;
}

/**
 * Shares each look-up of the server's name among its callers: it holds a thread until it ends, even if they give up.
 */
function shareLookups(lookup: LookupFunction = dnsLookup): LookupFunction {
  let callbacks: Parameters<LookupFunction>[2][] = [];
  return (name, options, callback) => {
    if (callbacks.push(callback) > 1) return;
    lookup(name, options, (...result) => {
      const waiting = callbacks;
      callbacks = [];
      for (const callEach of waiting) callEach(...result);
    });
  };
}
