/** The development stack leaves nothing behind. */
import { expect, test } from "vitest";
import { startDevelopmentStack } from "../development-stack.ts";

test("A stack that has been stopped listens nowhere", async () => {
  const { platform, issuer, contactCentre, logWorkspace, azurite, stop } = await startDevelopmentStack();
  const [storage = ""] = /(?<=QueueEndpoint=)[^;]+/.exec(azurite.connectionString) ?? [];
  const urls = [platform.url, platform.controlUrl, issuer.url, contactCentre.url, logWorkspace.url, storage];
  for (const url of urls) expect((await fetch(url)).status).toBeGreaterThan(0);
  await stop();
  for (const url of urls) await expect(fetch(url)).rejects.toThrow("fetch failed");
});
