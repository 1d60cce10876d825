/** The tests that a mutant is given to: those that run the code in their own process, without starting others. */
import { defineConfig } from "vitest/config";
import config from "../../vitest.config.ts";

export default defineConfig({
  test: {
    ...config.test,
    include: ["test/{lib,functions}/**/*.test.ts", "tools/ops/test/*.test.ts"],
    reporters: [],
  },
});
