/** The tests that only the nightly run has. */
import { defineConfig } from "vitest/config";
import { nightlyTests, options, slowTimeouts } from "../../vitest.config.ts";

export default defineConfig({ test: { ...options, ...slowTimeouts, include: nightlyTests } });
