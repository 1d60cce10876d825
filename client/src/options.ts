/** Checks the options that callers without TypeScript can get wrong. No message contains a value. */

/**
 * Throws a TypeError if the value is not an object, or has an option that is not known. A misspelt option would
 * otherwise be ignored, so a create could lose its service tag.
 */
export function checkOptions(caller: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TypeError(`${caller}: the options must be an object; got ${kindOf(value)}`);
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new TypeError(`${caller}: ${unknown.join(", ")} is not an option; options are ${known.join(", ")}`);
}

/** Checks the options that every client has, and returns its URL without trailing slashes. */
export function checkClientOptions(
  caller: string,
  options: { readonly baseUrl: unknown; readonly getToken: unknown },
): string {
  checkOptions(caller, options, ["baseUrl", "getToken", "hooks", "fetch"]);
  if (typeof options.getToken !== "function")
    throw new TypeError(`${caller}: getToken must be a function; got ${kindOf(options.getToken)}`);
  return secureUrl(`${caller}: baseUrl`, options.baseUrl);
}

/** Returns a word for the type of a value. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}

/** Returns an option's URL without trailing slashes. Throws a TypeError unless it is https, or http on this computer. */
export function secureUrl(option: string, value: unknown): string {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  if (!url) throw new TypeError(`${option} must be an absolute URL; got ${JSON.stringify(value)}`);
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback))
    throw new TypeError(
      `${option} must begin with https:// (http:// is for this computer only); it begins with ${url.protocol}`,
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new TypeError(`${option} must not contain credentials, a query or a fragment`);
  return String(value).replace(/\/+$/, "");
}
