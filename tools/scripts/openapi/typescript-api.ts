/**
 * Gives the generators the compiler's JavaScript API, which TypeScript 7 does not have any more: imported before they
 * start, it replaces `typescript` by the copy of TypeScript 6 in @ts-morph/common.
 */
import { registerHooks } from "node:module";

const compilerApi = import.meta.resolve("@ts-morph/common/dist/typescript.js");

registerHooks({
  resolve: (specifier, context, next) => next(specifier === "typescript" ? compilerApi : specifier, context),
});
