/** The parts of Swagger UI that this page uses: https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/ */

declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  export interface SwaggerUI {
    /** Takes the value of a security scheme of the type `apiKey`, or `http` with the scheme `bearer`. */
    readonly preauthorizeApiKey: (scheme: string, value: string) => void;
    readonly preauthorizeBasic: (scheme: string, username: string, password: string) => void;
  }

  interface SwaggerRequest {
    readonly url: string;
    readonly headers: Record<string, string>;
    /** Sends the request instead of `fetch`. The page shows the request as it was before. */
    readonly userFetch?: (target: string, init: RequestInit) => Promise<Response>;
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
    readonly dom_id: string;
    readonly plugins: readonly Plugin[];
    readonly tryItOutEnabled: boolean;
    readonly displayRequestDuration: boolean;
    readonly requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
    readonly onComplete: () => void;
  }): SwaggerUI;
}

declare module "*.css";
