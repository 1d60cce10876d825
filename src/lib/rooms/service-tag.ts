/** Decodes the service tag in `uuiData`. */
import type { GatewayError } from "../errors.ts";
import { faultWithInput, invalidRequest, valueFault } from "../http/validation.ts";

/** The platform's limit of a service tag. */
export const maxTagCharacters = 250;
export const maxUuiDataCharacters = 4096;

/** Returns the error of a `uuiData` that breaks a rule. */
export function invalidUuiData(uuiData: string | undefined, reason: string, cause?: unknown): GatewayError {
  return invalidRequest(faultWithInput(valueFault(["query", "uuiData"], reason), uuiData), cause);
}

/**
 * Returns the service tag in `uuiData`: an absolute http or https URL unchanged, or a path token appended to `baseUrl`.
 * Throws `invalid-request` with the violated rule for any other text.
 */
export function decodeServiceTag(uuiData: string, baseUrl: string | undefined): string {
  const reject = (reason: string): never => {
    throw invalidUuiData(uuiData, reason);
  };
  if (uuiData.length > maxUuiDataCharacters) return reject("uuiData is too long");
  const [hex = "", ...parameters] = uuiData.split(";").map((part) => part.trim());
  if (!parameters.every(allowsHex)) return reject("the encoding must be hex");
  if (!/^(?:[0-9a-f]{2})+$/i.test(hex))
    return reject("uuiData must be pairs of hexadecimal digits, percent-encoded only once");
  const tag = toUrl(decodeText(hex) ?? reject("uuiData must be UTF-8 without control characters"), baseUrl);
  if (tag === undefined) {
    return reject("uuiData must contain an http or https URL without credentials, or a path token");
  }
  return Array.from(tag).length > maxTagCharacters
    ? reject("the service tag must have at most 250 characters")
    : tag;
}

/** Whether a parameter is not an encoding, or is `encoding=hex`. */
function allowsHex(parameter: string): boolean {
  const text = parameter.replaceAll(/\s/g, "").toLowerCase();
  return !text.startsWith("encoding=") || text === "encoding=hex" || text === 'encoding="hex"';
}

/** Returns the text without a leading protocol discriminator (octet 00 or 04), or undefined if it is not plain text. */
function decodeText(hex: string): string | undefined {
  const octets = Buffer.from(hex, "hex");
  const start = octets[0] === 0x00 || octets[0] === 0x04 ? 1 : 0;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets.subarray(start));
    return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

// A base64url token may begin with - or _. A leading dot could lead out of the base URL's path.
const pathToken = /^[\w\-~][\w\-.~]*$/;

function toUrl(text: string, baseUrl: string | undefined): string | undefined {
  if (/^https?:\/\//i.test(text)) {
    const url = URL.canParse(text) && !/\s/.test(text) ? new URL(text) : undefined;
    return url && url.username === "" && url.password === "" ? text : undefined;
  }
  return baseUrl !== undefined && pathToken.test(text) ? `${baseUrl}/${text}` : undefined;
}
