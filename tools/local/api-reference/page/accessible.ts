/** A plugin for Swagger UI that repairs what keyboards and screen readers cannot use. */
import type { Component, Plugin } from "swagger-ui-dist/swagger-ui-es-bundle.js";

export const accessible: Plugin = ({ React: { createElement } }) => {
  const named =
    (name: string) =>
    (original: Component): Component =>
    (properties) =>
      createElement(
        "label",
        null,
        createElement("span", { className: "unseen" }, name),
        createElement(original, properties),
      );
  const wrapComponents = {
    // An unnamed selection of the only URL.
    ServersContainer: () => () => null,
    // A selection without a name: its text becomes its label.
    ExamplesSelect: (original) => (properties) =>
      createElement("label", null, createElement(original, { ...properties, showLabels: true })),
    // Fields without a name.
    RequestBodyEditor: named("Request body"),
    JsonSchema_boolean: named("True or false"),
    // Text outside all landmarks.
    InfoContainer: (original) => (properties) =>
      createElement("section", { "aria-label": "Introduction" }, createElement(original, properties)),
  } satisfies ReturnType<Plugin>["wrapComponents"];
  return { wrapComponents };
};
