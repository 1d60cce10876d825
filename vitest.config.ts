import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";

/** What kills real processes or copies the sources: the nightly run has it. */
export const nightlyTests = ["test/e2e/event-delivery.test.ts", "test/simulation/planted-bugs.test.ts"];

/**
 * The identity library keeps its endpoint's URL and all tokens per process, so these files have processes of their own.
 */
const ofIdentity = [
  "test/lib/azure/credential.test.ts",
  "test/properties/deadlines.test.ts",
  "test/properties/responses-in-between.test.ts",
];
/** Simulations, and tests with processes, pages and many connections: one of them may take half a minute under load. */
const slowTests = [
  "test/{e2e,simulation}/**/*.test.ts",
  "test/infra/scripts.test.ts",
  "test/project/package.test.ts",
  "test/properties/network.test.ts",
  "tools/local/test/**/*.test.ts",
  "tools/ops/test/{changing-commands,command-line,deployment,retirement-scenarios}.test.ts",
  "tools/simulators/test/host/functions-host.test.ts",
];
const include = ["{test,tools/*/test}/**/*.test.ts"];
const exclude = [...configDefaults.exclude, ...nightlyTests];

/** Against tests that hang, for those that take long: beside other work, a computer may take ten times as long. */
export const slowTimeouts: ViteUserConfig["test"] = {
  testTimeout: 400_000,
  hookTimeout: 400_000,
  expect: { poll: { timeout: 200_000 } },
};

/** What holds for all tests. */
export const options: ViteUserConfig["test"] = {
  // All files of a worker share its process: loading the SDKs and Azurite for each file took most of the time.
  isolate: false,
  unstubEnvs: true,
  // Four workers on two cores, because much of the time is spent waiting for processes and sockets.
  maxWorkers: 4,
  // Against tests that hang. Under load, the slowest of them took five seconds.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 50_000 } },
  env: {
    // Not UTC, so that a test notices a time in the wrong zone.
    TZ: "Asia/Kolkata",
    // The last folder has the programs that small computers and containers lack.
    PATH: `${process.env["PATH"]}:${import.meta.dirname}/test/support/programs`,
    // All that the tests call is on this computer: a proxy that the environment names is not to be asked.
    NO_PROXY: "127.0.0.1",
    no_proxy: "127.0.0.1",
    // A developer's environment adds lines to standard error, which tests compare: the debugger of VS Code, colours,
    // the log of Azure's SDKs. It also turns certificate checks off, as is usual behind proxies of companies.
    NODE_OPTIONS: "",
    NO_COLOR: "",
    AZURE_LOG_LEVEL: "",
    NODE_TLS_REJECT_UNAUTHORIZED: "1",
    // The tests start the app and the commands dozens of times, which otherwise compile the same files each time.
    NODE_COMPILE_CACHE: `${import.meta.dirname}/.tmp/compile-cache`,
  },
  reporters: ["default", `${import.meta.dirname}/test/support/closing-line-reporter.ts`],
};

export default defineConfig({
  test: {
    ...options,
    projects: [
      { extends: true, test: { name: "tests", include, exclude: [...exclude, ...ofIdentity, ...slowTests] } },
      { extends: true, test: { ...slowTimeouts, name: "slow", include: slowTests, exclude } },
      { extends: true, test: { name: "identity", include: ofIdentity, isolate: true } },
    ],
  },
});
