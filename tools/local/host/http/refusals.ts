/** The requests that the real host's web server refuses before routing. */
import type { IncomingMessage } from "node:http";

const requestLineLimitBytes = 8 * 1024;
const headersLimitBytes = 32 * 1024;
const headersLimitCount = 100;
const hostPattern = /^(\[[\da-f:.]+\]|[\w\-.~!$&'()*+,;=%]*)(:\d*)?$/i;

/** A head beyond this limit never becomes a request. */
export const maxHeadBytes = requestLineLimitBytes + headersLimitBytes;

/** Returns the status of a refused request; undefined if the request may pass. */
export function refusalOf(request: IncomingMessage): number | undefined {
  const { method = "", url = "", httpVersion, rawHeaders } = request;
  if (method.length + url.length + httpVersion.length + " HTTP/ \r\n".length > requestLineLimitBytes)
    return 414;
  const bytesAroundName = ": \r\n".length / 2;
  const headerBytes = rawHeaders.reduce((total, text) => total + text.length + bytesAroundName, 0);
  if (headerBytes > headersLimitBytes || rawHeaders.length / 2 > headersLimitCount) return 431;
  return lengthRefusal(request) ?? hostRefusal(request);
}

function lengthRefusal({ method = "", httpVersion, headers }: IncomingMessage): number | undefined {
  const isFramed = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return httpVersion === "1.0" && ["POST", "PUT"].includes(method) && !isFramed ? 400 : undefined;
}

/** HTTP/1.0 may leave the Host header out; the real host then fails to build the request's URL. */
function hostRefusal({ httpVersion, headersDistinct }: IncomingMessage): number | undefined {
  const hosts = headersDistinct["host"] ?? [];
  if (hosts.length === 0) return httpVersion === "1.0" ? 500 : 400;
  return hosts.length === 1 && hostPattern.test(hosts[0] ?? "") ? undefined : 400;
}
