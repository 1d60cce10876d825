/** The development stack leaves nothing behind. */
import { expect, test } from "vitest";
import { startDevelopmentStack } from "../development-stack.ts";

// Not by calls: another process can listen on a port as soon as it is free.
const countServers = () => process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap").length;

test("A stack that has been stopped has no server left", async () => {
  const before = countServers();
  const { stop } = await startDevelopmentStack();
  expect(countServers()).toBeGreaterThan(before + 4);
  await stop();
  await expect.poll(countServers).toBeLessThanOrEqual(before);
});
