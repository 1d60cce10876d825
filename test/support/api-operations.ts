/** The operations of the API document, requests that succeed, and a check of responses against the document. */
import { Ajv } from "ajv";
import formats from "ajv-formats";
import type { Received, Sent } from "../../tools/simulators/exchange.ts";
import { document, operations as documented } from "./api-document.ts";
import { asAgent, asEventSink } from "./credentials.ts";

const ajv = new Ajv({ strict: false });
formats.default(ajv);
ajv.addSchema({ components: document.components }, "api");

export const operations = documented.map(
  ({ method, path, requestBody, parameters, security, responses }) => ({
    method: method.toUpperCase(),
    /** As in the document, `/room/{room_name}`. */
    path,
    hasBody: requestBody !== undefined,
    /** The names of its parameters, as the place of a fault names them: `query max_vmr`. */
    inputs: parameters
      .filter((parameter) => parameter.in !== "path")
      .map(({ name, in: place }) => `${place} ${name}`),
    /** The security scheme, undefined if anyone may call. */
    security: security.flatMap((scheme) => Object.keys(scheme))[0],
    scope: security.flatMap((scheme) => Object.values(scheme).flat()).join(" "),
    successStatus: Number(Object.keys(responses).find((status) => status.startsWith("2"))),
    /** Validators by status; undefined if the body must be empty. */
    responses: new Map(
      Object.entries(responses).map(([status, { content }]) => {
        const reference = content["application/json"]?.schema["$ref"];
        return [Number(status), typeof reference === "string" ? ajv.getSchema(`api${reference}`) : undefined];
      }),
    ),
    /** The schemas of the bodies by status. */
    bodies: new Map(
      Object.entries(responses).map(([status, { content }]) => [
        Number(status),
        content["application/json"]?.schema,
      ]),
    ),
    /** The examples of the bodies by status. */
    examples: new Map(
      Object.entries(responses).map(([status, { content }]) => {
        const { example, examples = {} } = content["application/json"] ?? {};
        const values = Object.values(examples).map((one) => Object(one).value as unknown);
        return [Number(status), example === undefined ? values : [example]];
      }),
    ),
    /** The lower-case names of the headers by status. */
    headers: new Map(
      Object.entries(responses).map(([status, { headers }]) => [
        Number(status),
        Object.keys(headers).map((name) => name.toLowerCase()),
      ]),
    ),
  }),
);

export type Operation = (typeof operations)[number];

/** How the document and the operations guide name an operation: `GET /room/{room_name}`. */
export const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;

/** Returns a valid request for the room "a-room", with valid credentials. */
export function validRequest({ method, path, hasBody, security }: Operation, bearerToken: string) {
  const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    bearerToken: { authorization: `Bearer ${bearerToken}` },
    agentToken: asAgent,
    eventSinkCredentials: asEventSink(),
  };
  const headers = credentials[security ?? ""] ?? {};
  const sent: Sent = { headers, ...(hasBody && { json: {} }) };
  return { method, path: path.replace("{room_name}", "a-room"), sent };
}

/** Returns how a response violates the document, or undefined. */
export function violationOf(operation: Operation, response: Received): string | undefined {
  const { status, text, json, headers } = response;
  if (status === 500) return "status 500";
  if (!operation.responses.has(status)) return `undocumented status ${status}`;
  const documented = (operation.headers.get(status) ?? []).filter((name) => !isOptional(name, status));
  const sent = headersOf(response).filter((name) => !isOptional(name, status));
  if (documented.toSorted().join() !== sent.join())
    return `headers ${sent.join()} instead of ${documented.join()}`;
  const validate = operation.responses.get(status);
  if (!validate) return text === "" ? undefined : `a body with status ${status}: ${text.slice(0, 200)}`;
  if (headers["content-type"] !== "application/json") return `content type ${headers["content-type"]}`;
  const isExample = (operation.examples.get(status) ?? []).some((one) => JSON.stringify(one) === text);
  if (status >= 400 && status !== 422 && !isExample) return `the undocumented text ${text.slice(0, 200)}`;
  if (validate(json)) return undefined;
  return `body violates its schema: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 500)}`;
}

const headersOfHttp = [
  "access-control-expose-headers",
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
];

/** The names of the headers, in their order, that belong to the API and not to HTTP. */
export const headersOf = ({ headers }: Received): string[] =>
  Object.keys(headers)
    .filter((name) => !headersOfHttp.includes(name))
    .toSorted();

/** API Management adds the first two. A 404 of a create has the third only if the pool is empty. */
const isOptional = (name: string, status: number): boolean =>
  name.startsWith("ratelimit-") || (status === 404 && name === "retry-after");
