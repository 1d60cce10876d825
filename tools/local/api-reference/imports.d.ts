/** What esbuild bundles although it has no types. */
declare module "*.css";
declare module "swagger-ui-dist/swagger-ui-es-bundle.js";
