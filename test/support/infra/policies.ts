/** The policies of API Management as they take effect: those of all operations around those of each operation. */
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { allOf, lastOf, onlyOf, type Snapshot } from "./snapshots.ts";

/** An element of a policy: its name, its attributes, its text, and the elements in it. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Element[];
}
type Section = "inbound" | "backend" | "outbound" | "on-error";
/** The elements of an operation's sections, in the order in which they take effect. */
export type Policy = Readonly<Record<Section, readonly Element[]>>;

const sections = ["inbound", "backend", "outbound", "on-error"] as const;
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  htmlEntities: true,
});

type Node = Readonly<Record<string, unknown>>;

function toElements(nodes: readonly Node[]): Element[] {
  return nodes.flatMap((node) => {
    const [name = ""] = Object.keys(node).filter((key) => key !== ":@");
    if (name === "#text") return [];
    const inner = node[name] as readonly Node[];
    const texts = inner.flatMap((child) => ("#text" in child ? [String(child["#text"])] : []));
    const attributes = (node[":@"] ?? {}) as Record<string, string>;
    return [{ name, attributes, text: texts.join("").trim(), children: toElements(inner) }];
  });
}

function policyOf(elementsOf: (section: Section) => readonly Element[]): Policy {
  return Object.fromEntries(sections.map((section) => [section, elementsOf(section)])) as unknown as Policy;
}

/** Throws an Error if the text is not a policy document with all sections in their order. */
function parse(text: string): Policy {
  const validity = XMLValidator.validate(text);
  if (validity !== true) throw new Error(validity.err.msg);
  const [root, ...others] = toElements(parser.parse(text));
  const names = root?.children.map(({ name }) => name);
  if (root?.name !== "policies" || others.length > 0 || String(names) !== String(sections))
    throw new Error(`The policy has the sections ${String(names)}`);
  return policyOf((section) => root.children.find(({ name }) => name === section)?.children ?? []);
}

/** Returns the effective policy of each operation by its name. `<base />` stands for the policy around it. */
export function effectivePolicies(snapshot: Snapshot): Map<string, Policy> {
  const ofAll = parse(onlyOf(snapshot, "ApiManagement/service/apis/policies").properties["value"]);
  const own = allOf(snapshot, "ApiManagement/service/apis/operations/policies");
  return new Map(
    own.map(({ id, properties }) => {
      const policy = parse(properties["value"]);
      const effective = policyOf((section) =>
        policy[section].flatMap((element) => (element.name === "base" ? ofAll[section] : [element])),
      );
      return [lastOf(id.replace(/\/policies\/policy$/, "")), effective];
    }),
  );
}

/** What API Management knows about one call. */
export interface Call {
  readonly headers: Map<string, string>;
  readonly variables: Map<string, string>;
  readonly status?: number;
  readonly reason?: string;
  readonly authorization?: string;
  body?: string;
}

const isBearer = ({ authorization = "" }: Call) => /^bearer /i.test(authorization);

/** What the expressions mean. An expression that is not here fails the test, so that somebody thinks about it. */
const meanings: Readonly<Record<string, (call: Call) => string>> = {
  "@(context.RequestId.ToString())": () => "id-of-the-request",
  '@(context.Request.Headers.GetValueOrDefault("x-correlation-id", ""))': ({ headers }) =>
    headers.get("x-correlation-id") ?? "",
  '@((string)context.Variables["correlationId"])': ({ variables }) => variables.get("correlationId") ?? "",
  '@(context.Variables.GetValueOrDefault<string>("correlationId", context.RequestId.ToString()))': ({
    variables,
  }) => variables.get("correlationId") ?? "id-of-the-request",
  '@("Bearer realm=\\"vmr-gateway\\"" + (context.Request.Headers.GetValueOrDefault("Authorization", "").StartsWith("Bearer ", StringComparison.OrdinalIgnoreCase) ? ", error=\\"invalid_token\\"" : ""))':
    (call) => `Bearer realm="vmr-gateway"${isBearer(call) ? ', error="invalid_token"' : ""}`,
  '@(context.Response.StatusCode == 404 ? "" : new JObject(new JProperty("detail", context.Response.StatusCode == 401 ? "Not authenticated" : context.Response.StatusReason ?? "Error")).ToString())':
    ({ status, reason }) =>
      status === 404
        ? ""
        : JSON.stringify({ detail: status === 401 ? "Not authenticated" : (reason ?? "Error") }),
};

function valueOf(text: string, call: Call): string {
  if (!text.startsWith("@")) return text;
  const meaning = meanings[text];
  if (!meaning) throw new Error(`test/support/infra/policies.ts does not know ${text}`);
  return meaning(call);
}

/** Applies headers, variables and bodies of a section to a call, in their order. Leaves other elements out. */
export function apply(elements: readonly Element[], call: Call): Call {
  for (const { name, attributes, text, children } of elements) {
    const header = attributes["name"]?.toLowerCase() ?? "";
    const action = attributes["exists-action"];
    if (name === "set-variable")
      call.variables.set(attributes["name"] ?? "", valueOf(attributes["value"] ?? "", call));
    if (name === "set-body") call.body = valueOf(text, call);
    if (name === "set-header" && action === "delete") call.headers.delete(header);
    else if (name === "set-header" && (action === "override" || !call.headers.has(header)))
      call.headers.set(header, valueOf(children.map((child) => child.text).join(), call));
    if (name === "choose")
      for (const { attributes: when, children: chosen } of children)
        if (when["condition"] === `@(context.Response.StatusCode == ${call.status})`) apply(chosen, call);
  }
  return call;
}
