/** A plugin for Swagger UI that accepts a service tag as text, fills in a room's name, and folds responses to failures. */
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

let lastRoom = "";
const rooms = new EventTarget();

/** Fills in the room's name wherever it is a parameter, now and when an operation is opened. */
export function fillInRoom(name: string): void {
  lastRoom = name;
  rooms.dispatchEvent(new Event("created"));
}

export const helpful: Plugin = ({ React: { createElement, useEffect, useState } }) => ({
  wrapComponents: {
    parameterRow: (original) => (properties) => {
      const row = createElement(original, properties);
      const { rawParam, isExecute, onChange } = properties as unknown as ParameterProperties;
      const name = rawParam.get("name");
      useEffect(() => {
        const fill = (): void => {
          if (name === "room_name" && isExecute === true && lastRoom !== "")
            onChange(rawParam, lastRoom, false);
        };
        fill();
        rooms.addEventListener("created", fill);
        return () => rooms.removeEventListener("created", fill);
      }, [name, isExecute]);
      if (name !== "uuiData" || isExecute !== true) return row;
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
