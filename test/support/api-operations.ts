/** The operations of the API document, and a check of responses against the document. */
import { Ajv } from "ajv";
import formats from "ajv-formats";
import type { Received } from "../../tools/simulators/exchange.ts";
import { document, operations as documented } from "./api-document.ts";

const ajv = new Ajv({ strict: false });
formats.default(ajv);
ajv.addSchema({ components: document.components }, "api");

/** A documented response, whose body must be empty if there is no `validate`. */
function readResponse({ headers, content }: (typeof documented)[number]["responses"][string]) {
  const { schema = {}, example, examples = {} } = content["application/json"] ?? {};
  const reference = schema["$ref"];
  const values = Object.values(examples).map((one) => Object(one).value as unknown);
  return {
    schema,
    validate: typeof reference === "string" ? ajv.getSchema(`api${reference}`) : undefined,
    examples: example === undefined ? values : [example],
    headers: Object.keys(headers).map((name) => name.toLowerCase()),
  };
}

export const operations = documented.map(
  ({ method, path, requestBody, parameters, security, responses }) => ({
    /** As the operations guide names it, `GET /room/{room_name}`. */
    name: `${method.toUpperCase()} ${path}`,
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
    /** By status. */
    responses: new Map(
      Object.entries(responses).map(([status, response]) => [Number(status), readResponse(response)]),
    ),
  }),
);

export type Operation = (typeof operations)[number];

/** Returns how a response violates the document, or undefined. */
export function violationOf(operation: Operation, response: Received): string | undefined {
  const { status, text, json, headers } = response;
  if (status === 500) return "status 500";
  const documented = operation.responses.get(status);
  if (!documented) return `undocumented status ${status}`;
  const { validate, examples } = documented;
  const required = documented.headers.filter((name) => !isOptional(name, status));
  const sent = headersOf(response).filter((name) => !isOptional(name, status));
  if (required.toSorted().join() !== sent.join())
    return `headers ${sent.join()} instead of ${required.join()}`;
  if (!validate) return text === "" ? undefined : `a body with status ${status}: ${text.slice(0, 200)}`;
  if (headers["content-type"] !== "application/json") return `content type ${headers["content-type"]}`;
  const isExample = examples.some((one) => JSON.stringify(one) === text);
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
