/** Finds the files of src in which a function is called during an action, by V8's coverage. */
import { Session } from "node:inspector/promises";
import { projectRoot } from "./imports-of.ts";

/** Loading a file does not count. Call the action once before, so everything is loaded. */
export async function calledFiles(action: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await session.post("Profiler.takePreciseCoverage");
    await action();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const called = result.filter(({ functions }) =>
      functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    );
    const paths = called.map(({ url }) => url.replace("file://", "").replace(/\?.*$/, ""));
    return paths
      .flatMap((path) => (path.startsWith(`${projectRoot}src/`) ? path.slice(projectRoot.length) : []))
      .toSorted();
  } finally {
    session.disconnect();
  }
}
