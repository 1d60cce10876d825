/** Writes the app's response exactly as the real host's web server does. */
import type { ServerResponse } from "node:http";
import { stringifySetCookie } from "cookie";
import type { CookieData, HttpResponseData } from "../worker/messages.ts";

// The library returns all names in lower case. The real host sends these in their usual spelling.
const knownNames = new Map(
  [
    "Accept-Ranges",
    "Access-Control-Allow-Credentials",
    "Access-Control-Allow-Headers",
    "Access-Control-Allow-Methods",
    "Access-Control-Allow-Origin",
    "Access-Control-Expose-Headers",
    "Access-Control-Max-Age",
    "Age",
    "Allow",
    "Alt-Svc",
    "Cache-Control",
    "Connection",
    "Content-Disposition",
    "Content-Encoding",
    "Content-Language",
    "Content-Length",
    "Content-Location",
    "Content-MD5",
    "Content-Range",
    "Content-Type",
    "Date",
    "ETag",
    "Expires",
    "Last-Modified",
    "Location",
    "Pragma",
    "Proxy-Authenticate",
    "Retry-After",
    "Server",
    "Set-Cookie",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "Vary",
    "Via",
    "Warning",
    "WWW-Authenticate",
  ].map((name) => [name.toLowerCase(), name]),
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
  for (const cookie of data.cookies) {
    response.appendHeader("Set-Cookie", formatCookie(cookie));
  }
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

function formatCookie(cookie: CookieData): string {
  const { domain, expires, maxAge, sameSite } = cookie;
  const text = stringifySetCookie({
    name: cookie.name,
    value: cookie.value,
    path: cookie.path?.value ?? "/",
    ...(domain ? { domain: domain.value } : {}),
    ...(expires ? { expires: new Date(expires.value.seconds * 1000) } : {}),
    ...(maxAge ? { maxAge: maxAge.value } : {}),
    secure: cookie.secure?.value ?? false,
    httpOnly: cookie.httpOnly?.value ?? false,
    ...(sameSite === "lax" || sameSite === "strict" ? { sameSite } : {}),
    ...(sameSite === "explicitNone" ? { sameSite: "none" as const } : {}),
  });
  return text.replace(/; [A-Za-z-]+/g, (attribute) => attribute.toLowerCase());
}
