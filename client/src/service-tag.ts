/** Encodes a service tag for the query parameter of a create. */

import { kindOf } from "./options.ts";

const maxCharacters = 250;
const httpAddress = /^https?:\/\//i;
// A leading dot could lead out of the path of the base URL that the gateway puts in front of the token.
const pathToken = /^[\w\-~][\w\-.~]*$/;

/**
 * Returns the `uuiData` of a service tag: its text in hexadecimal digits, as RFC 7433 describes. Throws a TypeError
 * that does not contain the tag if it is neither an http or https URL without credentials, nor a path token (letters,
 * digits, `-`, `.`, `_`, `~`) for an environment with a base URL, or if it is longer than 250 characters.
 */
export function encodeServiceTag(tag: string): string {
  if (typeof tag !== "string") throw new TypeError(`A service tag must be a string; got ${kindOf(tag)}`);
  if (tag.length > maxCharacters) throw new TypeError("A service tag has at most 250 characters");
  if (!isAddress(tag) && !pathToken.test(tag))
    throw new TypeError("A service tag is an http or https URL without credentials, or a path token");
  const hex = Array.from(new TextEncoder().encode(tag), (octet) => octet.toString(16).padStart(2, "0"));
  return `${hex.join("")};encoding=hex`;
}

function isAddress(tag: string): boolean {
  const hasOddCharacter = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(tag);
  if (!httpAddress.test(tag) || hasOddCharacter || !URL.canParse(tag)) return false;
  const { username, password } = new URL(tag);
  return username === "" && password === "";
}
