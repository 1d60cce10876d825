/** The policies of API Management as steps: what a call to one operation goes through, in order. */
import { XMLParser, XMLValidator } from "fast-xml-parser";
import * as z from "zod";
import type { Deployment } from "./bicep/deployment.ts";
import { allOf, onlyOf, propertiesOf } from "./environments.ts";

/** One element of a policy, with its attributes, its text and the elements inside. */
export interface PolicyElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly inner: readonly PolicyElement[];
}

export const sections = ["inbound", "backend", "outbound", "on-error"] as const;
type Policy = Readonly<Record<(typeof sections)[number], readonly PolicyElement[]>>;

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
});
const Parsed = z.array(z.record(z.string(), z.unknown()));

function toElements(parsed: unknown): PolicyElement[] {
  return Parsed.parse(parsed).flatMap((node) => {
    const [name, content] = Object.entries(node).find(([key]) => key !== ":@") ?? [];
    if (name === undefined || name === "#text") return [];
    const children = Parsed.parse(content);
    const texts = children.flatMap((child) => ("#text" in child ? [String(child["#text"])] : []));
    const attributes = z.record(z.string(), z.string()).parse(node[":@"] ?? {});
    return [
      {
        name,
        attributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, tidy(value)])),
        text: tidy(texts.join("")),
        inner: toElements(children),
      },
    ];
  });
}

/** Line breaks and indentation say nothing in an expression. */
function tidy(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Reads a policy document. Throws an Error if it is not well-formed or its sections are not the four in order. */
export function parsePolicy(document: unknown): Policy {
  const text = z.string().parse(document);
  if (XMLValidator.validate(text) !== true) throw new Error("The policy is not well-formed");
  const unfilled = /__\w+__/.exec(text);
  if (unfilled) throw new Error(`Nothing fills in ${unfilled[0]}`);
  const [root, ...others] = toElements(parser.parse(text));
  const names = root?.inner.map(({ name }) => name);
  if (root?.name !== "policies" || others.length > 0 || names?.join() !== sections.join())
    throw new Error(`A policy document has the sections ${names?.join(", ")}`);
  const [inbound = [], backend = [], outbound = [], onError = []] = root.inner.map(({ inner }) => inner);
  return { inbound, backend, outbound, "on-error": onError };
}

/** By operation, what a call goes through: the operation's own steps with those of the API where `base` stands. */
export function effectivePolicies(deployment: Deployment): ReadonlyMap<string, Policy> {
  const ofApi = parsePolicy(propertiesOf(onlyOf(deployment, "apiPolicy"))["value"]);
  return new Map(
    allOf(deployment, "operationPolicy").map((resource) => {
      const own = parsePolicy(propertiesOf(resource)["value"]);
      const section = (name: (typeof sections)[number]): PolicyElement[] =>
        // The base of the API is the service's own policy, which is not this deployment's.
        own[name].flatMap((step) =>
          step.name === "base" ? ofApi[name].filter((it) => it.name !== "base") : [step],
        );
      const [inbound, backend, outbound] = [section("inbound"), section("backend"), section("outbound")];
      const policy = { inbound, backend, outbound, "on-error": section("on-error") };
      return [resource.fields.name.split("/").at(-2) ?? "", policy];
    }),
  );
}

type Describe = (element: PolicyElement) => string;

const listed = (element: PolicyElement, name: string): string =>
  element.inner
    .filter((child) => child.name === name)
    .flatMap(({ inner }) => inner.map(({ text }) => text))
    .join(", ");
const attributes = (element: PolicyElement): string =>
  Object.entries(element.attributes)
    .map(([key, value]) => `${key}=${value}`)
    .join(", ");

/** One line for each known policy. https://learn.microsoft.com/azure/api-management/api-management-policies */
const describers: Readonly<Record<string, Describe>> = {
  "set-header": ({ attributes: { name, "exists-action": action }, inner }) =>
    `header ${name} ${action}${inner.map(({ text }) => `: ${text}`).join("")}`,
  "set-variable": ({ attributes: { name, value } }) => `variable ${name}: ${value}`,
  "set-body": ({ text }) => `body ${text}`,
  "set-status": ({ attributes: { code, reason } }) => `status ${code} ${reason}`,
  "forward-request": (element) => `forward ${attributes(element)}`,
  "rate-limit-by-key": (element) => `rate limit ${attributes(element)}`,
  "validate-azure-ad-token": (element) =>
    `token ${attributes(element)}, clients ${listed(element, "client-application-ids")}, audiences ${listed(element, "audiences")}`,
  cors: (element) =>
    `cors ${attributes(element)}, origins ${listed(element, "allowed-origins")}, methods ${listed(element, "allowed-methods")}, headers ${listed(element, "allowed-headers")}, exposes ${listed(element, "expose-headers")}`,
  "return-response": ({ inner }) => `return ${describe(inner).join("; ")}`,
  choose: ({ inner }) =>
    inner
      .map((when) => {
        if (when.name !== "when") throw new Error(`Unknown part of choose: ${when.name}`);
        return `if ${when.attributes["condition"]} then ${describe(when.inner).join("; ")}`;
      })
      .join("; "),
};

/** The steps as lines. Throws an Error if a policy is none of the known ones. */
export function describe(steps: readonly PolicyElement[]): string[] {
  return steps.map((step) => {
    const describer = describers[step.name];
    if (!describer) throw new Error(`Unknown policy ${step.name}`);
    return describer(step);
  });
}
