/** Writes the app's response exactly as the real host's web server does. */
import type { ServerResponse } from "node:http";
import type { HttpResponseData } from "../worker/messages.ts";

// The library returns all names in lower case. The real host sends the registered ones in their usual spelling.
const knownNames = new Map(
  [
    ["Allow", "Cache-Control", "Connection", "Content-Disposition", "Content-Language", "Content-Length"],
    ["Content-Type", "Date", "ETag", "Expires", "Last-Modified", "Location", "Retry-After", "Server"],
    ["Set-Cookie", "Transfer-Encoding", "Vary", "WWW-Authenticate"],
  ]
    .flat()
    .map((name) => [name.toLowerCase(), name]),
);

/** Sends a response without a body. */
export function writeEmpty(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}

/** Writes the function's result: 204 if there is none, an empty 500 if it cannot be sent. */
export function writeResponse(response: ServerResponse, data: HttpResponseData | undefined): void {
  if (!data) return writeEmpty(response, 204);
  const body = data.body?.bytes ?? new Uint8Array();
  for (const [name, value] of Object.entries(data.headers)) {
    // The web server refuses such a value after it has set the headers before it.
    if (/[^\t\x20-\x7e]/.test(value)) return writeEmpty(response, 500);
    response.setHeader(knownNames.get(name) ?? name, value);
  }
  if (data.cookies.length > 0) throw new Error("This host sends no cookies.");
  response.statusCode = Number(data.statusCode);

  const isHead = response.req.method === "HEAD";
  const declared = response.getHeader("Content-Length");
  if (declared !== undefined && !isHead && Number(declared) !== body.length) {
    for (const name of response.getHeaderNames()) {
      response.removeHeader(name);
    }
    response.setHeader("Server", "Kestrel");
    response.setHeader("Content-Length", 0);
    return writeEmpty(response, 500);
  }
  if (body.length === 0 || isHead) {
    response.end();
  } else if (response.hasHeader("Transfer-Encoding")) {
    // The web server assumes that the app has framed the body, and sends it unchanged.
    response.shouldKeepAlive = false;
    response.flushHeaders();
    response.chunkedEncoding = false;
    response.end(body);
  } else if (declared !== undefined) {
    response.end(body);
  } else {
    response.write(body);
    response.end();
  }
}
