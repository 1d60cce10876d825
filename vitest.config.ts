import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two workers on two cores: the end-to-end files start processes of their own.
    maxWorkers: 2,
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
  },
});
