/** Encodes a service tag as the contact centre sends it. */

/** Returns `uuiData` for a tag: its UTF-8 octets as hexadecimal digits. */
export function encodeServiceTag(tag: string): string {
  return `${Buffer.from(tag, "utf8").toString("hex")};encoding=hex`;
}
