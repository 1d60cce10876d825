/** Decodes and re-encodes the target of a request the way the real host does. */

export interface RequestTarget {
  /** Decoded once, except that an encoded slash stays encoded; dot segments are resolved. */
  readonly path: string;
  /** As it was sent: empty, or the text from the question mark on. */
  readonly query: string;
}

const encodedCharacter =
  /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi;
const notAllowedInPath = /%(?![0-9a-f]{2})|[^a-z0-9\-._~!$&'()*+,;=:@/%]+/gi;

/** Parses the target of a request line. Returns undefined if it must be refused with 400. */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  const originForm = target.replace(/^https?:\/\/[^/?]*/i, "");
  const question = originForm.indexOf("?");
  const rawPath = (question === -1 ? originForm : originForm.slice(0, question)) || "/";
  const query = question === -1 ? "" : originForm.slice(question);
  if (!rawPath.startsWith("/") || /[^\x21-\x7e]/.test(target) || rawPath.includes("%00")) return undefined;
  const decoded = decode(rawPath, (character) => character === "/");
  return { path: removeDotSegments(decoded), query };
}

/** Encodes a decoded path for a URL, except text that looks like an encoded character. */
export function encodePath(path: string): string {
  return path.replace(notAllowedInPath, (text) => encodeURIComponent(text));
}

/**
 * Parses a query to one value per name. Repeated values are joined by commas; names are case-insensitive, and the last
 * spelling is kept.
 */
export function flattenQuery(query: string): Map<string, string> {
  const merged = new Map<string, { name: string; value: string }>();
  for (const pair of query.slice(1).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decodeFormText(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? "" : decodeFormText(pair.slice(equals + 1));
    const before = merged.get(name.toLowerCase());
    merged.set(name.toLowerCase(), { name, value: before ? `${before.value},${value}` : value });
  }
  return new Map([...merged.values()].map(({ name, value }) => [name, value]));
}

function decodeFormText(text: string): string {
  return decode(text.replaceAll("+", " "), () => false);
}

function decode(text: string, staysEncoded: (character: string) => boolean): string {
  return text.includes("%")
    ? text.replace(encodedCharacter, (encoded) => {
        const character = decodeCharacter(encoded);
        return staysEncoded(character) ? encoded : character;
      })
    : text;
}

// Overlong and reserved forms match the pattern but are not characters: they stay encoded.
function decodeCharacter(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function removeDotSegments(path: string): string {
  if (!/\/\.\.?(\/|$)/.test(path)) return path;
  const kept: string[] = [];
  const segments = path.slice(1).split("/");
  for (const [index, segment] of segments.entries()) {
    if (segment === "..") {
      kept.pop();
    } else if (segment !== ".") {
      kept.push(segment);
    }
    const isLast = index === segments.length - 1;
    if (isLast && (segment === "." || segment === "..")) {
      kept.push("");
    }
  }
  return `/${kept.join("/")}`;
}
