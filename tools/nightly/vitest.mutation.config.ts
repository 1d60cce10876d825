/** The tests that a mutant is given to: those that run the code in their own process, without starting others. */
import { defineConfig } from "vitest/config";
import { options } from "../../vitest.config.ts";

export default defineConfig({
  test: {
    ...options,
    include: ["test/{lib,functions}/**/*.test.ts", "tools/ops/test/*.test.ts"],
    reporters: [],
  },
});
