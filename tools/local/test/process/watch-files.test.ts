/** Changes of files, as `npm start -- --watch` sees them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/script-process.ts";
import { watchFiles } from "../../../simulators/process/watch-files.ts";

test("Calls back once after a burst of changes, and not for a file with the same content", async () => {
  const folder = await temporaryFolder();
  const [first, second] = [join(folder, "first.ts"), join(folder, "second.ts")];
  await writeFile(first, "1");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const reset = vi.spyOn(globalThis, "clearTimeout");
  const changes: string[] = [];
  onTestFinished(watchFiles([folder], (file) => changes.push(file)));
  const write = async (file: string, content: string): Promise<void> => {
    const before = reset.mock.calls.length;
    await writeFile(file, content);
    await expect.poll(() => reset.mock.calls.length).toBeGreaterThan(before);
  };
  await write(first, "1");
  vi.advanceTimersByTime(200);
  await write(second, "2");
  vi.advanceTimersByTime(199);
  await write(first, "3");
  vi.advanceTimersByTime(199);
  expect(changes).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(changes).toHaveLength(1);
});
