/** A plugin for Swagger UI: a service tag can be typed as text, values are filled in, and responses to failures are folded. */
import type { Plugin } from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { toHex } from "../../console/actions.ts";

/** The parts of Immutable's maps that Swagger UI passes on. */
interface ImmutableMap {
  readonly get: (key: string) => unknown;
}

interface ParameterProperties {
  readonly rawParam: ImmutableMap;
  readonly isExecute?: boolean;
  readonly onChange: (parameter: ImmutableMap, value: string, isXml: boolean) => void;
}

/** The values of the parameters that are filled in, by name. */
const filledIn = new Map([["idempotency-key", crypto.randomUUID() as string]]);
const onFilledIn = new EventTarget();

/** Fills the value in wherever the page has a parameter of this name, now and when an operation is opened. */
export function fillIn(name: string, value: string): void {
  filledIn.set(name, value);
  onFilledIn.dispatchEvent(new Event(name));
}

export const helpful: Plugin = ({ React: { createElement, useEffect, useState } }) => ({
  wrapComponents: {
    parameterRow: (original) => (properties) => {
      const row = createElement(original, properties);
      const { rawParam, isExecute, onChange } = properties as unknown as ParameterProperties;
      const name = String(rawParam.get("name"));
      useEffect(() => {
        const take = (): void => {
          const value = filledIn.get(name);
          if (isExecute === true && value !== undefined) onChange(rawParam, value, false);
        };
        take();
        onFilledIn.addEventListener(name, take);
        return () => onFilledIn.removeEventListener(name, take);
      }, [name, isExecute]);
      if (rawParam.get("name") !== "uuiData" || isExecute !== true) return row;
      const take = ({ target }: { readonly target: HTMLInputElement }) =>
        onChange(rawParam, target.value === "" ? "" : `${toHex(target.value)};encoding=hex`, false);
      const field = createElement("input", { type: "text", placeholder: "https://…", onInput: take });
      const label = createElement(
        "label",
        { className: "tag-as-text" },
        "or type the service tag as text",
        field,
      );
      const helper = createElement(
        "tr",
        { key: "helper" },
        createElement("td", null),
        createElement("td", null, label),
      );
      return [row, helper];
    },
    response: (original) => (properties) => {
      const [isOpen, setIsOpen] = useState(false);
      const { code, response } = properties as unknown as { code: string; response: ImmutableMap };
      if (Number(code) < 400 || isOpen) return createElement(original, properties);
      const open = { type: "button", "aria-expanded": false, onClick: () => setIsOpen(true) };
      const description = String(response.get("description")).replaceAll("`", "");
      const button = createElement("button", open, description);
      const status = createElement("td", { className: "response-col_status" }, code);
      return createElement("tr", { className: "response folded" }, status, createElement("td", null, button));
    },
  },
});
