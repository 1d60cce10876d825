/** The parts of Swagger UI that this page uses: https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/ */

declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  export interface SwaggerUI {
    readonly authActions: {
      /** Takes credentials by the name of their scheme, except those of OAuth 2.0. */
      readonly authorize: (credentials: Readonly<Record<string, object>>) => void;
      readonly authorizeOauth2: (credentials: { readonly auth: object; readonly token: object }) => void;
    };
    readonly layoutActions: { readonly show: (place: readonly string[], isOpen: boolean) => void };
  }

  type Properties = Readonly<Record<string, unknown>>;
  export type Component = (properties: Properties) => unknown;

  /** A plugin replaces components, which are given to it by name, by others with the same properties. */
  export type Plugin = (system: { readonly React: React }) => {
    readonly wrapComponents: Readonly<Record<string, (original: Component) => Component>>;
  };

  interface React {
    readonly createElement: CreateElement;
    readonly useEffect: (effect: () => () => void, dependencies: readonly unknown[]) => void;
    readonly useState: <Value>(initial: Value) => [Value, (value: Value) => void];
  }

  type CreateElement = (
    type: string | Component,
    properties: Properties | null,
    ...children: readonly unknown[]
  ) => unknown;

  export default function createSwaggerUI(options: {
    readonly spec: object;
    readonly domNode: Element;
    readonly plugins: readonly Plugin[];
    readonly docExpansion: "list" | "full" | "none";
    readonly defaultModelsExpandDepth: number;
    readonly tryItOutEnabled: boolean;
    readonly displayRequestDuration: boolean;
    readonly supportedSubmitMethods: readonly string[];
    readonly requestInterceptor: (request: object) => object;
    readonly validatorUrl: null;
    readonly onComplete: () => void;
  }): SwaggerUI;
}

declare module "*.css";
