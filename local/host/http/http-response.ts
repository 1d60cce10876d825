/** Writes the app's answer the way the real host's web server does, down to its odd corners. */
import type { ServerResponse } from "node:http";
import { stringifySetCookie } from "cookie";
import type { CookieData, HttpResponseData } from "../worker/messages.ts";

// These go out in their usual spelling; the library gives all names in lower case, and others stay so.
const knownNames = new Map(
  (
    "Accept-Ranges Access-Control-Allow-Credentials Access-Control-Allow-Headers Access-Control-Allow-Methods " +
    "Access-Control-Allow-Origin Access-Control-Expose-Headers Access-Control-Max-Age Age Allow Alt-Svc " +
    "Cache-Control Connection Content-Disposition Content-Encoding Content-Language Content-Length " +
    "Content-Location Content-MD5 Content-Range Content-Type Date ETag Expires Last-Modified Location Pragma " +
    "Proxy-Authenticate Retry-After Server Set-Cookie Trailer Transfer-Encoding Upgrade Vary Via Warning " +
    "WWW-Authenticate"
  )
    .split(" ")
    .map((name) => [name.toLowerCase(), name]),
);

/** Answers without a body. */
export function writeEmpty(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}

/** Writes what the function returned; no answer at all becomes 204, one that cannot be sent an empty 500. */
export function writeResponse(response: ServerResponse, data: HttpResponseData | undefined): void {
  if (!data) return writeEmpty(response, 204);
  const body = data.body?.bytes ?? new Uint8Array();
  for (const [name, value] of Object.entries(data.headers)) {
    // The web server refuses such a value when it is set; the headers before it have been set by then.
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
    // The web server takes it that the app has framed the body itself, and sends it as it is.
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
