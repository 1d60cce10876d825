/** Plays half a minute of traffic and takes the picture of the console that the README shows. */
import { writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { startBrowser } from "../../../../test/support/browser.ts";
import { useStarted } from "../../../../test/support/use-started.ts";
import { startRunningConsole } from "../running-console.ts";

vi.setConfig({ testTimeout: 120_000 });

const browser = await startBrowser();

/** Where to write the picture. Without it, a short scene is played and nothing is written. */
const path = process.env["SCREENSHOT_PATH"];
const createCount = path === undefined ? 3 : 14;
const pauseMilliseconds = path === undefined ? 50 : 1600;

// So long that some ended rooms are due when the picture is taken, and others are not.
const running = useStarted(async () => startRunningConsole({ garbageMinimumAgeSeconds: 15 }));

const createdSchema = z.object({ room: z.string() });

test.skipIf(!browser)(
  "The console shows creates, conferences, an outage and its end in one picture",
  async () => {
    const page = await browser?.newPage({
      locale: "en-US",
      viewport: { width: 1440, height: 1150 },
      deviceScaleFactor: 1.5,
    });
    if (!page) throw new Error("there is no browser");
    onTestFinished(async () => page.close());
    await page.goto(running.url);

    running.stack.platform.setLatency({ milliseconds: 40 });
    for (let round = 0; round < createCount; round += 1) {
      const { room } = createdSchema.parse(
        await run("create", { tag: "https://verify.example.com/sessions/4711" }),
      );
      if (round % 2 === 0) {
        await run("join", { room, participant: "Citizen", node: "10.0.0.21" });
        await run("join", { room, participant: "Agent", node: round % 4 === 0 ? "10.0.0.21" : "10.0.0.22" });
      }
      if (round % 6 === 0) {
        await run("leave", { room, participant: "Agent" });
        await run("leave", { room, participant: "Citizen" });
      }
      await delay(pauseMilliseconds);
    }
    running.stack.platform.setLatency({ milliseconds: 0 });
    await run("collectMetrics", {});
    await delay(pauseMilliseconds);
    await run("down", { mode: "reset" });
    await run("create", { tag: "" });
    // The console looks once a second.
    await expect.poll(async () => page.locator(".banner").count()).toBe(1);
    await delay(2 * pauseMilliseconds);
    await run("up", {});
    await expect.poll(async () => page.locator(".banner").count()).toBe(0);
    await delay(pauseMilliseconds);
    await page.getByRole("button", { name: "Create a room" }).click();
    await expect.poll(async () => page.locator("output strong").first().textContent()).toBe("200");
    await expect.poll(async () => page.locator(".entry.bad").count()).toBeGreaterThan(0);
    await expect.poll(async () => page.locator(".state-tile.live .count").textContent()).not.toBe("0");

    await delay(2 * pauseMilliseconds);
    await page.mouse.move(0, 0);
    await page.evaluate("document.activeElement.blur()");
    const picture = await page.screenshot();
    expect(picture.subarray(1, 4).toString()).toBe("PNG");
    if (path !== undefined) await writeFile(path, picture);
  },
);

async function run(action: string, values: Readonly<Record<string, string>>): Promise<unknown> {
  return (await running.runAction(action, values)).json();
}
