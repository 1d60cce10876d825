/** The service tag in `uuiData`: accepted and rejected forms. */
import { expect, test } from "vitest";
import { decodeServiceTag } from "../../../src/lib/rooms/service-tag.ts";

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const base = "https://tags.example.com/session";
const url = "https://verification.example.com/session/1";

test.each([
  ["the documented form", `${hex(url)};encoding=hex`],
  ["hex digits without an encoding", hex(url)],
  ["parameters in other order and case", `${hex(url).toUpperCase()};Purpose=x;ENCODING=HEX;Content=isdn-uui`],
  ["a quoted encoding and spaces", ` ${hex(url)} ; encoding = "hex" `],
  ["a protocol discriminator 00", `00${hex(url)};encoding=hex`],
  ["a protocol discriminator 04", `04${hex(url)};encoding=hex`],
  ["a parameter whose name only ends in encoding", `${hex(url)};x-encoding=base64`],
])("The hex text of %s is decoded to the URL", (_, uuiData) => {
  expect(decodeServiceTag(uuiData, undefined)).toBe(url);
});

test.each([
  ...["a1B2.c-d_e~f", "-a1B2", "_a1B2", "~a1B2"].map((token): [string, string] => [
    token,
    `${base}/${token}`,
  ]),
  ...[url, "HTTP://example.com/a", url + "🏠".repeat(250 - url.length)].map((text): [string, string] => [
    text,
    text,
  ]),
])("A path token is appended to the base URL, and a URL is used unchanged: %s", (text, tag) => {
  expect(decodeServiceTag(hex(text), base)).toBe(tag);
});

test("A path token is rejected without a base URL", () => {
  expect(() => decodeServiceTag(hex("a1B2"), undefined)).toThrow("invalid-request");
});

const notHex = "uuiData must be pairs of hexadecimal digits, percent-encoded only once";
const otherEncoding = "the encoding must be hex";
const notText = "uuiData must be UTF-8 without control characters";
const notUrl = "uuiData must contain an http or https URL without credentials, or a path token";
const tooLong = "the service tag must have at most 250 characters";
test.each([
  ["nothing", "", notHex],
  ["an odd number of digits", "687", notHex],
  ["other characters", "zz", notHex],
  ["the parameter encoded twice", `${hex(url)}%3Bencoding%3Dhex`, notHex],
  ["two encodings, one not hex", `${hex(url)};encoding=hex;encoding=base64`, otherEncoding],
  ["another encoding after a space", `${hex(url)};encoding = base64`, otherEncoding],
  ["an empty encoding", `${hex(url)};encoding=`, otherEncoding],
  ["text that is not UTF-8", "c328", notText],
  ["a line break inside", hex(`${url}\r\nX: 1`), notText],
  ["a text direction mark", hex(`${url}\u202e`), notText],
  ["a line separator", hex(`${url}\u2028`), notText],
  ["a byte order mark", hex(`\ufeff${url}`), notText],
  ["two protocol discriminators", `0004${hex(url)}`, notText],
  ["only a discriminator", "04", notUrl],
  ["another scheme", hex("javascript:alert(1)"), notUrl],
  ["a scheme that ends in http", hex("xhttp://example.com/"), notUrl],
  ["a URL with a name", hex("https://name@example.com/"), notUrl],
  ["a URL with a password", hex("https://:word@example.com/"), notUrl],
  ["a URL without a host", hex("https://"), notUrl],
  ["a URL with a space", hex("https://example.com/a b"), notUrl],
  ["a token that begins with a dot", hex("..x"), notUrl],
  ["a token with a slash", hex("a/b"), notUrl],
  ["251 characters", hex(url.padEnd(251, "x")), tooLong],
  ["4,096 characters", "61".repeat(2048), tooLong],
  ["more than 4,096 characters", "61".repeat(2049), "uuiData is too long"],
])("A service tag with %s is rejected with 422 and the violated rule", (_, uuiData, reason) => {
  const fault = { type: "value_error", loc: ["query", "uuiData"], msg: `Value error, ${reason}` };
  const details = expect.objectContaining({ faults: [expect.objectContaining(fault)] });
  const error = expect.objectContaining({ code: "invalid-request", details });
  expect(() => decodeServiceTag(uuiData, base)).toThrow(error);
});
