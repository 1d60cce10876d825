/** The client's encoding of service tags, beside the gateway's own decoding. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeServiceTag } from "../../src/lib/rooms/service-tag.ts";
import { encodeServiceTag } from "../src/service-tag.ts";

const invalidRequest: unknown = expect.objectContaining({ code: "invalid-request" });
const base = "https://t.example";

test("A tag is encoded as the hexadecimal digits of its UTF-8 octets", () => {
  expect(encodeServiceTag("https://a.example/é")).toBe(
    "68747470733a2f2f612e6578616d706c652fc3a9;encoding=hex",
  );
});

const texts = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ unit: "binary" }),
  fc.stringMatching(/^[\w\-.~]{1,20}$/),
  fc.string({ unit: "binary" }).map((text) => `https://example.com/${text}`),
  fc.constantFrom(
    "https://name@example.com/",
    "https://:word@example.com/",
    "https://",
    "HTTPS://example.com/a",
    "https://example.com/\u202e",
    "https://example.com/a b",
    "javascript:alert(1)",
    "-a",
    ".a",
  ),
);

/** Returns the result, or the error. */
function outcomeOf(run: () => string): string | Error {
  try {
    return run();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

test("The gateway decodes what the client encodes, and would reject what the client refuses", () => {
  let refused = 0;
  fc.assert(
    fc.property(texts, (text) => {
      // The gateway drops one leading protocol discriminator, which is not part of a tag.
      fc.pre(!/^[\0\u0004]/.test(text) && text.isWellFormed());
      const encoded = outcomeOf(() => encodeServiceTag(text));
      const isRefused = encoded instanceof TypeError;
      refused += isRefused ? 1 : 0;
      const uuiData = isRefused ? `${Buffer.from(text).toString("hex")};encoding=hex` : String(encoded);
      const decoded = outcomeOf(() => decodeServiceTag(uuiData, base));
      const expected = isRefused ? [invalidRequest] : [text, `${base}/${text}`];
      expect(expected).toContainEqual(decoded);
    }),
    { numRuns: 2000 },
  );
  expect(refused).toBeGreaterThan(100);
});

test.each(["\u0004https://example.com", "https://example.com/\ud800"])("The text %j is refused", (text) => {
  expect(() => encodeServiceTag(text)).toThrow(TypeError);
});

test("A tag has at most 250 characters, and the message of a refusal does not contain it", () => {
  const tag = `${base}/${"x".repeat(250 - base.length - 1)}`;
  expect(encodeServiceTag(tag)).toHaveLength(500 + ";encoding=hex".length);
  expect(() => encodeServiceTag(`${tag}x`)).toThrow(
    new TypeError("A service tag has at most 250 characters"),
  );
  expect(() => encodeServiceTag("secret text")).toThrow(
    new TypeError("A service tag is an http or https URL without credentials, or a path token"),
  );
});
