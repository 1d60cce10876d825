/** The tests that only `npm run nightly` runs. */
import { defineConfig } from "vitest/config";
import config, { nightlyTests } from "../../vitest.config.ts";

export default defineConfig({ test: { ...config.test, include: nightlyTests, exclude: [] } });
