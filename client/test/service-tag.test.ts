/** The client's encoding of service tags, beside the gateway's own decoding. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeServiceTag } from "../../src/lib/rooms/service-tag.ts";
import { encodeServiceTag } from "../src/service-tag.ts";

const invalidRequest: unknown = expect.objectContaining({ code: "invalid-request" });
const base = "https://t.example";

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
function outcomeOf(run: () => string): unknown {
  try {
    return run();
  } catch (error) {
    return error;
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
      expect(isRefused ? [invalidRequest] : [text, `${base}/${text}`]).toContainEqual(decoded);
    }),
    { numRuns: 2000 },
  );
  expect(refused).toBeGreaterThan(100);
});

test("A tag is encoded as the hexadecimal digits of its UTF-8 octets, and has at most 250 characters", () => {
  const digits = "68747470733a2f2f612e6578616d706c652fc3a9";
  expect(encodeServiceTag("https://a.example/é")).toBe(`${digits};encoding=hex`);
  expect(encodeServiceTag("x".repeat(250))).toHaveLength(500 + ";encoding=hex".length);
});

const otherTag = "A service tag is an http or https URL without credentials, or a path token";
test.each([
  ["\u0004https://example.com", otherTag],
  ["https://example.com/\ud800", otherTag],
  ["secret text", otherTag],
  ["x".repeat(251), "A service tag has at most 250 characters"],
])("The tag %j is refused by a message without it: %s", (tag, message) => {
  expect(() => encodeServiceTag(tag)).toThrow(new TypeError(message));
});
