/** Reading of host.json: the project's own file, the defaults and what is refused. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/script-process.ts";
import { readHostJson } from "../../host/host-json.ts";

async function readText(text: string) {
  const path = join(await temporaryFolder(), "host.json");
  await writeFile(path, text);
  return readHostJson(path);
}

test("readHostJson reads the project's host.json", async () => {
  expect(
    (await readHostJson(fileURLToPath(new URL("../../../../host.json", import.meta.url)))).routePrefix,
  ).toBe("");
});

test("readHostJson applies the real host's defaults", async () => {
  expect(await readText('{"version":"2.0"}')).toEqual({
    routePrefix: "api",
    queues: {
      batchSize: 16,
      newBatchThreshold: 8,
      visibilityTimeoutSeconds: 0,
      maxDequeueCount: 5,
      maxPollingIntervalSeconds: 2,
      messageEncoding: "base64",
    },
  });
});

test("readHostJson converts time spans to seconds", async () => {
  const { queues } = await readText(
    '{"extensions":{"queues":{"visibilityTimeout":"1.02:03:04.5","maxPollingInterval":"00:01:00"}}}',
  );
  expect(queues.visibilityTimeoutSeconds).toBe(86_400 + 2 * 3600 + 3 * 60 + 4.5);
  expect(queues.maxPollingIntervalSeconds).toBe(60);
});

test.each(['{"batchSize":33}', '{"visibilityTimeout":"30 s"}', '{"messageEncoding":"hex"}'])(
  "%s is refused",
  async (queues) => {
    await expect(readText(`{"extensions":{"queues":${queues}}}`)).rejects.toThrow(/queues/);
  },
);
