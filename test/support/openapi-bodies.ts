/** Bodies made for an operation of the API document: valid, nearly valid and absurd. */
import fc from "fast-check";
import { anyText, knownRooms, oneOf, weighted } from "./arbitraries.ts";
import type { Sent } from "./http-client.ts";
import type { Operation } from "./openapi-answers.ts";

const fields = [
  "name",
  "aliases",
  "pin",
  "guest_pin",
  "allow_guests",
  "description",
  "participant_limit",
  "ivr_theme",
  "automatic_participants",
  "creation_time",
  "id",
  "call_type",
  "tag",
  "host_view",
  "an_unknown_field",
  "__proto__",
];
const fieldValue = weighted<unknown>(
  [
    4,
    oneOf<unknown>(
      null,
      true,
      "yes",
      "true",
      5,
      "5",
      2.5,
      -1,
      "",
      "135791",
      "2026-01-01T00:00:00",
      "room-1",
      [],
      {},
    ),
  ],
  [1, fc.jsonValue({ maxDepth: 2 })],
  [
    1,
    oneOf<unknown>(
      [{ alias: "room-1" }],
      [{ id: 1 }],
      [{ resource_uri: "/api/admin/configuration/v1/ivr_theme/1/" }],
      ["x"],
      [null],
    ),
  ],
);
const roomBody = fc.dictionary(oneOf(...fields), fieldValue, { maxKeys: 5 });
const eventBody = fc.record({
  event: oneOf<unknown>("conference_ended", "conference_started", "eventsink_bulk", "x", 5, null),
  data: weighted<unknown>(
    [
      3,
      fc.record({
        name: weighted<unknown>(
          [3, oneOf(...knownRooms)],
          [1, anyText],
          [1, oneOf<unknown>(null, 5, "", "x".repeat(251))],
        ),
      }),
    ],
    [
      2,
      fc.array(
        fc.record({ event: oneOf("conference_ended", "x"), data: fc.record({ conference: anyText }) }),
        { maxLength: 4 },
      ),
    ],
    [1, fc.jsonValue({ maxDepth: 3 })],
  ),
});

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const absurdBodies = [
  "",
  " ",
  "{",
  "[]",
  "5",
  "null",
  '"x"',
  "{}{}",
  "\ufeff{}",
  "\u0000",
  nested(150),
  nested(5000),
  '{"pin":1e999}',
];
const contentTypes = [
  "application/json; charset=utf-8",
  "text/plain",
  "application/x-www-form-urlencoded",
  "",
  "application/json,text/plain",
];

/** What an operation is sent as its body, with the headers that belong to it. */
export const body = ({ hasBody, path }: Operation): fc.Arbitrary<Sent> => {
  if (!hasBody)
    return weighted<Sent>([6, fc.constant({})], [1, oneOf(...absurdBodies).map((text) => ({ text }))]);
  return weighted<Sent>(
    [6, (path.includes("event_sink") ? eventBody : roomBody).map((json) => ({ json }))],
    [1, fc.jsonValue().map((json) => ({ json }))],
    [
      2,
      fc
        .tuple(oneOf(...absurdBodies), oneOf("application/json", ...contentTypes))
        .map(([text, type]) => ({ text, headers: { "content-type": type } })),
    ],
    [
      1,
      fc
        .tuple(roomBody, oneOf(...contentTypes))
        .map(([json, type]) => ({ json, headers: { "content-type": type } })),
    ],
    [
      1,
      fc.constant({
        text: "{}",
        headers: { "transfer-encoding": "chunked", "content-type": "application/json" },
      }),
    ],
    [1, fc.constant({})],
  );
};
