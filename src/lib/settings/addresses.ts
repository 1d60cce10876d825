/** Settings that are addresses. Messages never contain the value. */
import * as z from "zod";

const loopbackHosts = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Returns whether an address points to this machine, where plain `http:` is accepted. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && loopbackHosts.has(new URL(url).hostname);
}

/** Returns whether a text is an absolute https address, or http on loopback, without credentials. */
export function isSafeAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(text));
  return isSafe && url.username === "" && url.password === "";
}

/** An absolute https address, or http on loopback, without credentials, query or fragment. Trailing slashes are removed. */
export const address = z.string().transform((text, context) => {
  const url = isSafeAddress(text) ? new URL(text) : undefined;
  if (!url || url.search || url.hash) {
    context.addIssue(
      "must be an absolute https address (http on loopback only) without credentials or query",
    );
    return z.NEVER;
  }
  return url.href.replace(/\/+$/, "");
});

/** An address without a path, because the platform's own links start at its root. */
export const origin = address.refine(
  (url) => new URL(url).pathname === "/",
  "must be an address without a path",
);

const maxTagBaseCharacters = 180;

/** The beginning of every service tag. It leaves enough of the platform's 250 characters for the rest. */
export const serviceTagBase = address.refine(
  (url) => url.length <= maxTagBaseCharacters,
  `must have at most ${maxTagBaseCharacters} characters`,
);

// The published regions: https://developer.genesys.cloud/platform/api/
const contactCentreHosts = new Set([
  "api.mypurecloud.com",
  "api.mypurecloud.ie",
  "api.mypurecloud.com.au",
  "api.mypurecloud.jp",
  "api.mypurecloud.de",
  "api.usw2.pure.cloud",
  "api.cac1.pure.cloud",
  "api.apne2.pure.cloud",
  "api.euw2.pure.cloud",
  "api.aps1.pure.cloud",
  "api.use2.us-gov-pure.cloud",
  "api.sae1.pure.cloud",
  "api.mec1.pure.cloud",
  "api.apne3.pure.cloud",
  "api.euc2.pure.cloud",
  "api.mxc1.pure.cloud",
  "api.apse1.pure.cloud",
  "api.edee1.eusc-pure.cloud",
]);

/** The API address of a published contact-centre region. Agents' tokens are sent nowhere else. */
export const contactCentreAddress = address.refine(
  (url) => isLoopback(url) || contactCentreHosts.has(new URL(url).host),
  "must be the API address of a published region",
);
