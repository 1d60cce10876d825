/** The examples of 422 bodies in the API document are what the gateway returns. */
import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { type Body, operations } from "../support/api-document.ts";
import { operations as checkable, validRequest } from "../support/api-operations.ts";
import type { Sent } from "../support/exchange.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway();
beforeEach(async () => gateway.empty());

interface Provoked {
  readonly query?: string;
  readonly sent?: Sent;
}

const key = { headers: { "idempotency-key": "a-key" } };

/** How to provoke the fault of each example, by its name or, if it has none, by the parameter. */
const requests: Readonly<Record<string, Provoked>> = {
  "not-hex": { query: "?uuiData=xyz%3Bencoding%3Dhex" },
  "not-a-url": { query: "?uuiData=6e6f742061206c696e6b%3Bencoding%3Dhex" },
  "key-reused": { query: "?uuiData=68747470733a2f2f6578616d706c652e636f6d", sent: key },
  constrained_attributes: { query: "?constrained_attributes=maybe" },
  max_vmr: { query: "?max_vmr=many" },
  "fixed-field": { sent: { json: { name: "another-name" } } },
  "refused-by-platform": { sent: { json: { participant_limit: -1 } } },
  "body-missing": { sent: {} },
  "not-an-object": { sent: { json: [] } },
};

const SingleFault = z.object({ detail: z.tuple([z.object({ loc: z.array(z.string()) })]) });

/** The examples of a body with their names. A single one has none. */
function namedExamples({ example, examples }: Body): [name: string, value: unknown][] {
  if (examples) return Object.entries(examples).map(([name, { value }]) => [name, value]);
  return [[SingleFault.parse(example).detail[0].loc.at(-1) ?? "", example]];
}

const documented = operations.flatMap(({ method, path, responses }) => {
  const body = responses["422"]?.content?.["application/json"];
  const named = body ? namedExamples(body) : [];
  return named.map(([name, value]) => ({ method: method.toUpperCase(), path, name, value }));
});

test.each(documented)(
  "$method $path returns the documented 422 for $name",
  async ({ method, path, name, value }) => {
    const operation = checkable.find((one) => one.method === method && one.path === path);
    const provoked = requests[name];
    if (!operation || !provoked) throw new Error(`add the request that provokes "${name}" to this file`);
    await gateway.poolRoom("a-room");
    const valid = validRequest(operation, gateway.bearerToken());
    const headers = { ...valid.sent.headers, ...provoked.sent?.headers };
    const send = async (query = "") =>
      gateway.send(`${valid.method} ${valid.path}${query}`, { ...provoked.sent, headers });
    // This fault needs an earlier request with the key.
    if (name === "key-reused") await send();
    expect(await send(provoked.query)).toMatchObject({ status: 422, json: value });
  },
);

test("The document has examples of more than ten kinds of faults", () => {
  expect(documented.length).toBeGreaterThan(10);
});
