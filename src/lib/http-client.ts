/** Creates HTTP clients for outbound calls. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { LookupFunction } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import axios, { type AxiosError, type AxiosInstance, isCancel } from "axios";

// Servers usually close idle connections after 5 s, and a request on one just closed has an unknown outcome.
const idleMilliseconds = 4000;
const defaultConnectMilliseconds = 5000;
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

  constructor(code: string, { isSent, cause }: { readonly isSent: boolean; readonly cause?: unknown }) {
    super(cause instanceof Error ? cause.message : "no response in time", { cause });
    this.code = code;
    this.isSent = isSent;
  }
}

/** How connections are opened. All have defaults. */
export interface ConnectionOptions {
  /** Which authorities are trusted. With the option `ca` instead, each connection would parse all of them again. */
  readonly secureContext?: SecureContext | undefined;
  readonly lookup?: LookupFunction | undefined;
  readonly createConnection?: HttpAgent["createConnection"] | undefined;
  /** The limit for name look-up, TCP and TLS together. */
  readonly connectMilliseconds?: number;
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
    const { socket }: { readonly socket?: object | null } = error.request ?? {};
    const timeoutCode = socket ? openingSockets.get(socket) : "CONNECT_TIMEOUT";
    const isSent = timeoutCode === undefined;
    throw isCancel(error)
      ? new NoResponseError(timeoutCode ?? "ETIMEDOUT", { isSent })
      : new NoResponseError(error.code ?? "", { isSent, cause: error.cause });
  });
  return client;
}

/** Sockets that are not open yet, TLS included, with the code of a timeout at present. */
const openingSockets = new WeakMap<object, "LOOKUP_TIMEOUT" | "CONNECT_TIMEOUT">();

/** Creates an agent that ends connections that do not open in time. */
function createAgent(
  url: string,
  {
    secureContext,
    lookup,
    createConnection,
    connectMilliseconds = defaultConnectMilliseconds,
  }: ConnectionOptions = {},
): HttpAgent {
  const Agent = url.startsWith("https:") ? HttpsAgent : HttpAgent;
  const agent = new Agent({
    keepAlive: true,
    timeout: idleMilliseconds,
    ...(lookup && { lookup }),
    ...(secureContext && { secureContext }),
  });
  const connect = createConnection ?? agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback);
    if (!socket) return socket;
    openingSockets.set(socket, "LOOKUP_TIMEOUT");
    const timer = setTimeout(() => {
      socket.destroy(new NoResponseError(openingSockets.get(socket) ?? "", { isSent: false }));
    }, connectMilliseconds);
    socket.once("connectionAttempt", () => openingSockets.set(socket, "CONNECT_TIMEOUT"));
    socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => {
      openingSockets.delete(socket);
      clearTimeout(timer);
    });
    socket.once("close", () => clearTimeout(timer));
    return socket;
  };
  return agent;
}
