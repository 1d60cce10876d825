/** The policies of API Management as they take effect: those of all operations around those of each operation. */
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { allOf, lastOf, onlyOf, type Snapshot } from "./snapshots.ts";

const sections = ["inbound", "backend", "outbound", "on-error"] as const;
/** The elements of each section as lines, in the order in which they take effect. */
export type Policy = Readonly<Record<(typeof sections)[number], readonly string[]>>;

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  htmlEntities: true,
});
type Node = Readonly<Record<string, unknown>>;
const nameOf = (node: Node) => Object.keys(node).find((key) => key !== ":@") ?? "";
const childrenOf = (node: Node | undefined) => (node?.[nameOf(node)] ?? []) as readonly Node[];

/** Returns a line per element, indented as in the document: its name, its attributes and its text. */
function linesOf(nodes: readonly Node[], indent = ""): string[] {
  return nodes.flatMap((node) => {
    const name = nameOf(node);
    if (name === "#text") return [];
    const given = Object.entries((node[":@"] ?? {}) as Record<string, string>);
    const attributes = given.map(([attribute, value]) => `${attribute}=${value}`);
    const texts = childrenOf(node).map((child) =>
      nameOf(child) === "#text" ? String(child["#text"]).trim() : "",
    );
    const words = [name, ...attributes, ...texts].filter((word) => word !== "");
    return [
      `${indent}${words.join(" ")}`.replaceAll(/\s*\n\s*/g, " "),
      ...linesOf(childrenOf(node), `${indent}  `),
    ];
  });
}

/** Throws an Error if the text is not a policy document with all sections in their order. */
function parse(text: string): Policy {
  const validity = XMLValidator.validate(text);
  if (validity !== true) throw new Error(validity.err.msg);
  const [root] = (parser.parse(text) as Node[]).filter((node) => nameOf(node) === "policies");
  const found = childrenOf(root).filter((node) => nameOf(node) !== "#comment");
  if (String(found.map(nameOf)) !== String(sections))
    throw new Error(`The sections are ${String(found.map(nameOf))}`);
  return Object.fromEntries(
    found.map((node) => [nameOf(node), linesOf(childrenOf(node))]),
  ) as unknown as Policy;
}

/** Returns the effective policy of each operation by its name. `<base />` stands for the policy around it. */
export function effectivePolicies(snapshot: Snapshot): Map<string, Policy> {
  const ofAll = parse(onlyOf(snapshot, "ApiManagement/service/apis/policies").properties["value"]);
  const own = allOf(snapshot, "ApiManagement/service/apis/operations/policies");
  return new Map(
    own.map(({ id, properties }) => {
      const policy = parse(properties["value"]);
      const inside = (section: (typeof sections)[number]) =>
        policy[section].flatMap((line) => (line === "base" ? ofAll[section] : [line]));
      const effective = Object.fromEntries(sections.map((section) => [section, inside(section)]));
      return [lastOf(id.replace(/\/policies\/policy$/, "")), effective as unknown as Policy];
    }),
  );
}
