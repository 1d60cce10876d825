/** Creates HTTP clients for outbound calls. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { type SecureContext, TLSSocket } from "node:tls";
import axios, { type AxiosError, type AxiosInstance, isCancel } from "axios";

// Servers usually close idle connections after 5 s, and a request on one just closed has an unknown outcome.
const idleMilliseconds = 4000;
const connectMilliseconds = 5000;
const maxResponseBytes = 64 * 1024 * 1024;

/** A request without a response. Unlike axios' errors, it does not contain the request, which has credentials. */
export class NoResponseError extends Error {
  override readonly name = "NoResponseError";
  /** The code of the network layer: `ETIMEDOUT` if the request was aborted, `CONNECT_TIMEOUT` if it was not sent. */
  readonly code: string;

  constructor(code: string, cause?: Error) {
    super(cause?.message ?? "no response in time", { cause });
    this.code = code;
  }
}

/**
 * Creates an HTTP client for one server. It keeps connections alive, follows no redirect and uses no proxy. A request
 * returns a response of any status and throws NoResponseError if there is none. `secureContext` says which authorities
 * are trusted: with the option `ca` instead, each connection would parse all of them again.
 */
export function createHttpClient(baseURL: string, secureContext?: SecureContext): AxiosInstance {
  const Agent = baseURL.startsWith("https:") ? HttpsAgent : HttpAgent;
  const agent = new Agent({
    keepAlive: true,
    timeout: idleMilliseconds,
    ...(secureContext && { secureContext }),
  });
  limitConnecting(agent);
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
    throw isCancel(error)
      ? new NoResponseError("ETIMEDOUT")
      : new NoResponseError(error.code ?? "", error.cause);
  });
  return client;
}

/** Ends connections that do not open in time, TLS included: their requests are known not to have been sent. */
function limitConnecting(agent: HttpAgent): void {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback);
    const timeout = new NoResponseError("CONNECT_TIMEOUT");
    const timer = setTimeout(() => socket?.destroy(timeout), connectMilliseconds);
    const stop = () => clearTimeout(timer);
    socket?.once(socket instanceof TLSSocket ? "secureConnect" : "connect", stop).once("close", stop);
    return socket;
  };
}
