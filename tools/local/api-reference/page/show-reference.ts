/** Shows an API document with Swagger UI, beside a list of its operations. */
import "swagger-ui-dist/swagger-ui.css";
import "./reference.css";
import createSwaggerUI, { type SwaggerUI } from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { accessible } from "./accessible.ts";
import { helpful } from "./helpful.ts";
import { type ApiDocument, listOperations } from "./operations-list.ts";

export interface ReferenceOptions {
  /** Sends a request instead of `fetch`. The page shows the request as it was before. */
  readonly send: typeof fetch;
  readonly onComplete: () => void;
}

export function showReference(spec: ApiDocument, { send, onComplete }: ReferenceOptions): SwaggerUI {
  followColorScheme();
  const [list, domNode] = [find("#operations-list"), find("#reference")];
  list.append(listOperations(spec));
  const open = () => {
    markCurrent(list, location.hash);
    openOperation(ui, location.hash);
  };
  domNode.addEventListener("click", ({ target }) => {
    const block = target instanceof Element ? target.closest(".opblock-summary")?.parentElement : undefined;
    if (block) markCurrent(list, block.id.replace(/^operations-([^-]+)-/, "#/$1/"));
  });
  const ui = createSwaggerUI({
    spec,
    domNode,
    plugins: [accessible, helpful],
    requestInterceptor: (request) => ({ ...request, userFetch: send }),
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    supportedSubmitMethods: ["get", "post", "patch", "delete"],
    validatorUrl: null,
    onComplete: () => {
      open();
      onComplete();
    },
  });
  addEventListener("hashchange", open);
  return ui;
}

function markCurrent(list: Element, address: string): void {
  for (const link of list.querySelectorAll("a")) {
    if (link.getAttribute("href") === address) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** Shows the operation that a URL fragment names: `#/private/get_room`. */
function openOperation({ layoutActions }: SwaggerUI, hash: string): void {
  const [, tag, operationId] = hash.split("/");
  if (tag === undefined || operationId === undefined) return;
  layoutActions.show(["operations-tag", tag], true);
  layoutActions.show(["operations", tag, operationId], true);
  // Once it is drawn, because the page is too short to scroll there before.
  requestAnimationFrame(() => {
    const block = document.getElementById(`operations-${tag}-${operationId}`);
    block?.querySelector("button")?.focus({ preventScroll: true });
    block?.scrollIntoView();
  });
}

/** Swagger UI has a dark mode, which follows a class and not the setting of the computer. */
function followColorScheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", apply);
  apply();
}

function find(selector: string): Element {
  const element = document.querySelector(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}
