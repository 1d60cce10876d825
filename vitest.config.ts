import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "tools/*/test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two workers on two cores: the end-to-end files start processes of their own.
    maxWorkers: 2,
    // A busy computer may stand still for seconds; the default is one.
    expect: { poll: { timeout: 20_000 } },
    // All that the tests call is on this computer: a proxy that the environment names is not to be asked.
    env: { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" },
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
  },
});
