/** Requests made from the API document: valid, nearly valid and absurd. */
import fc from "fast-check";
import { identities } from "../../local/gateway/identities.ts";
import { anyText, knownRooms, oneOf, weighted } from "./arbitraries.ts";
import { asAgent, asEventSink } from "./credentials.ts";
import type { Sent } from "./http-client.ts";
import { type Operation, operations } from "./openapi-answers.ts";
import { body } from "./openapi-bodies.ts";

export interface GeneratedRequest {
  readonly method: string;
  readonly target: string;
  readonly sent: Sent;
}

const wireText = fc
  .string({ unit: "grapheme-ascii", maxLength: 20 })
  .map((text) => text.replaceAll(/[\s#?/]/g, ""));
const absurdSegments = [
  "%",
  "%zz",
  "%00",
  "..",
  ".",
  "%2F",
  "%2e%2e",
  "%C3%28",
  "%FF",
  "x".repeat(300),
  "list",
  "Bulk",
  "",
  "a;b",
  "~",
];

const roomSegment = weighted(
  [6, oneOf(...knownRooms).map(encodeURIComponent)],
  [2, anyText.map(encodeURIComponent)],
  [1, wireText],
  [1, oneOf(...absurdSegments)],
);

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const queryValues: Readonly<Record<string, fc.Arbitrary<string>>> = {
  constrained_attributes: weighted(
    [4, oneOf("true", "false", "1", "0", "on", "No")],
    [1, oneOf("", "2", "maybe", "true,false")],
    [1, anyText],
  ),
  // Not up to the largest allowed: rooms would be made.
  max_vmr: weighted(
    [3, oneOf("0", "1", "5", "8.0")],
    [2, oneOf("-1", "10001", "1e3", "abc", "", "9".repeat(30))],
    [1, anyText],
  ),
  uuiData: weighted(
    [3, oneOf("https://verify.example.com/1", "token-1").map((tag) => `${hex(tag)};encoding=hex`)],
    [2, oneOf("0", "zz", "", ";encoding=hex", "c328", "00", "61;encoding=ascii", "61".repeat(3000))],
    [1, anyText],
  ),
};

const query = ({ query: names }: Operation) =>
  weighted(
    [
      6,
      fc.tuple(
        ...names.map((name) =>
          fc.option((queryValues[name] ?? anyText).map((value) => `${name}=${encodeURIComponent(value)}`)),
        ),
      ),
    ],
    [
      1,
      fc.array(
        fc
          .tuple(oneOf(...names, "unknown", "__proto__", ""), anyText)
          .map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
        { maxLength: 4 },
      ),
    ],
    [1, fc.array(wireText, { maxLength: 3 })],
  ).map((pairs) => {
    const text = pairs.filter((pair) => pair !== null).join("&");
    return text === "" ? "" : `?${text}`;
  });

const target = (operation: Operation) =>
  fc
    .tuple(roomSegment, oneOf("", "", "", "", "/", "/", "//"), query(operation))
    .map(([room, slash, search]) => {
      const path = operation.path.replace(/\/$/, "").replace("{room_name}", () => room);
      return `${path}${slash}${search}`;
    });

const credentials = (token: string, { path }: Operation) => {
  const asApplication = { authorization: `Bearer ${token}` };
  const right = path.startsWith("/public/room")
    ? asAgent
    : path.startsWith("/public")
      ? asEventSink()
      : asApplication;
  const wrong = [
    asApplication,
    asAgent,
    asEventSink(),
    asEventSink("x", "y"),
    { "x-auth-token": identities.otherAgentToken },
  ];
  return weighted<Record<string, string>>(
    [12, fc.constant(right)],
    [1, oneOf(...wrong)],
    [
      1,
      oneOf(
        {},
        { authorization: "Bearer" },
        { authorization: `Bearer ${token.slice(0, 99)}` },
        { "x-auth-token": "ö" },
      ),
    ],
  );
};

const isBulk = ({ path }: Operation) => path.startsWith("/room/bulk");

/** `token` is the bearer token of those requests that may succeed. */
export function generatedRequests(token: string): fc.Arbitrary<GeneratedRequest> {
  // Bulk operations cost a hundred times as much as the others.
  const operation = weighted(
    [30, oneOf(...operations.filter((entry) => !isBulk(entry)))],
    [1, oneOf(...operations.filter(isBulk))],
  );
  return operation.chain((chosen) =>
    fc
      .tuple(
        weighted(
          [14, fc.constant(chosen.method)],
          [1, oneOf("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")],
        ),
        target(chosen),
        credentials(token, chosen),
        body(chosen),
      )
      .map(([method, path, headers, sent]) => ({
        method,
        target: path,
        sent: { ...sent, headers: { ...headers, ...sent.headers } },
      })),
  );
}
