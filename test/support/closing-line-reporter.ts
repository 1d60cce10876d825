/** Prints one last line that any build server can parse: `N passed, N failed`. */
import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = testModules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed").length;
    const brokenFiles = testModules.filter((module) => module.errors().length > 0).length;
    const failed =
      tests.filter((test) => test.result().state === "failed").length + brokenFiles + unhandledErrors.length;
    process.once("exit", () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
