/** Converts `uuiData` to a service tag: User-to-User Information in hex (RFC 7433). */
import { GatewayError } from "../errors.ts";
import { faultWithInput, valueFault } from "../http/validation.ts";

/** The platform's limit. */
export const maxTagCharacters = 250;
export const maxInputCharacters = 4096;

/**
 * Returns the service tag in `uuiData`: an absolute http or https URL unchanged, or a path token appended to `baseUrl`.
 * Throws `invalid-request` with the violated rule for any other text.
 */
export function decodeServiceTag(uuiData: string, baseUrl: string | undefined): string {
  const refuse = (reason: string): never => {
    const { loc, ...fault } = valueFault(["query", "uuiData"], reason);
    throw new GatewayError("invalid-request", { faults: [faultWithInput({ loc, ...fault }, uuiData)] });
  };
  if (uuiData.length > maxInputCharacters) return refuse("uuiData is too long");
  const [hex = "", ...parameters] = uuiData.split(";").map((part) => part.trim());
  if (!parameters.every(allowsHex)) return refuse("the encoding must be hex");
  if (!/^(?:[0-9a-f]{2})+$/i.test(hex)) return refuse("uuiData must be pairs of hexadecimal digits");
  const tag = toUrl(decodeText(hex) ?? refuse("uuiData must be UTF-8 without control characters"), baseUrl);
  if (tag === undefined) {
    return refuse("uuiData must contain an http or https URL without credentials, or a path token");
  }
  return tag.length > maxTagCharacters ? refuse("the service tag must have at most 250 characters") : tag;
}

/** Whether a parameter is not an encoding, or is `encoding=hex`. */
function allowsHex(parameter: string): boolean {
  const encoding = /^encoding\s*=\s*"?([^"]*?)"?$/i.exec(parameter)?.[1];
  return encoding === undefined || encoding.toLowerCase() === "hex";
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

// A base64url token may begin with - or _. A leading dot could lead out of the base address.
const pathToken = /^[\w\-~][\w\-.~]*$/;

function toUrl(text: string, baseUrl: string | undefined): string | undefined {
  if (/^https?:\/\//i.test(text)) {
    const url = URL.canParse(text) && !/\s/.test(text) ? new URL(text) : undefined;
    return url && url.username === "" && url.password === "" ? text : undefined;
  }
  return baseUrl !== undefined && pathToken.test(text) ? `${baseUrl}/${text}` : undefined;
}
