/** The tests that only `npm run nightly` runs. */
import { defineConfig } from "vitest/config";
import { nightlyTests, options } from "../../vitest.config.ts";

export default defineConfig({ test: { ...options, include: nightlyTests } });
