/** The list of operations: one link for each, grouped as in the document. */

export interface ApiDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
}

export function listOperations({ tags, paths }: ApiDocument): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const { name } of tags) {
    const operations = Object.values(paths).flatMap((methods) =>
      Object.entries(methods).filter(([, operation]) => operation.tags.includes(name)),
    );
    const list = element("ul", {});
    list.append(...operations.map(([method, operation]) => entry(name, method, operation)));
    fragment.append(element("h2", {}, name), list);
  }
  return fragment;
}

function entry(tag: string, method: string, { operationId, summary }: Operation): HTMLElement {
  const item = element("li", {});
  const link = element("a", { href: `#/${tag}/${operationId}` });
  link.append(element("span", { class: `method ${method}` }, method.toUpperCase()), " ", summary);
  item.append(link);
  return item;
}

function element(name: string, attributes: Readonly<Record<string, string>>, text = ""): HTMLElement {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.textContent = text;
  return created;
}
