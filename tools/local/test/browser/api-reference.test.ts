/** The API reference in a real browser: what it shows, what "try it" does, and its accessibility. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { document, operations } from "../../../../test/support/api-document.ts";
import {
  accessibilityFaults,
  type OpenPage,
  openPage,
  startBrowser,
} from "../../../../test/support/browser.ts";
import { temporaryFolder } from "../../../../test/support/script-process.ts";
import { useStarted } from "../../../../test/support/use-started.ts";
import { startRunningConsole } from "../running-console.ts";

vi.setConfig({ testTimeout: 90_000 });

const browser = await startBrowser();

const axeRules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** The summaries of all operations in the order of the document, as the page shows them. */
const shownSummaries = operations.map(({ summary }) => summary);

async function openReference(url: string, width?: number): Promise<OpenPage> {
  const opened = await openPage(browser, url, width);
  await opened.page.locator(".opblock").first().waitFor();
  return opened;
}

const operationOf = (page: Page, id: string): Locator => page.locator(`#operations-${id}`);
async function openOperation(page: Page, id: string): Promise<void> {
  const [tag = ""] = id.split("-");
  await page.locator(`nav a[href="#/${tag}/${id.slice(tag.length + 1)}"]`).click();
  await operationOf(page, id).locator(".opblock-body").waitFor();
}

const summariesIn = async (page: Page): Promise<string[]> =>
  page.locator(".opblock-summary-description").allTextContents();

describe.skipIf(!browser)("The API reference", () => {
  const running = useStarted(async () => startRunningConsole());
  const open = async (width?: number) => openReference(`${running.url}/api/`, width);

  /** Opens an operation, fills its parameters in and sends the request. Returns the response as it is shown. */
  async function execute(page: Page, id: string, values: Readonly<Record<string, string>> = {}) {
    await openOperation(page, id);
    const operation = operationOf(page, id);
    for (const [name, value] of Object.entries(values)) await operation.getByPlaceholder(name).fill(value);
    await operation.getByRole("button", { name: "Execute" }).click();
    const response = operation.locator(".live-responses-table .response");
    await response.waitFor();
    return {
      status: await response.locator(".response-col_status").innerText(),
      text: await response.locator(".response-col_description").innerText(),
    };
  }

  async function created(page: Page): Promise<string> {
    const { status, text } = await execute(page, "private-create_room_from_queue");
    expect(status).toContain("200");
    return /"name": "([^"]+)"/.exec(text)?.[1] ?? "";
  }

  test("shows every operation, its texts and the form <hex>;encoding=hex of the service tag", async () => {
    const { page, faults } = await open();
    expect(await summariesIn(page)).toEqual(shownSummaries);
    expect(await page.locator("nav li").count()).toBe(operations.length);
    await openOperation(page, "private-create_room_from_queue");
    const create = operationOf(page, "private-create_room_from_queue");
    await expect.poll(async () => create.innerText()).toContain("in the form <hex>;encoding=hex:");
    const introduction = page.getByRole("region", { name: "Introduction" });
    await expect.poll(async () => introduction.innerText()).toContain(document.info.title);
    await expect.poll(async () => introduction.getByRole("heading", { name: "Retries" }).count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test("creates a room with the token that is filled in and a tag typed as text, and shows the gateway's own URL", async () => {
    const { page, faults } = await open();
    await expect.poll(async () => page.getByRole("status").textContent()).toContain("credentials filled in");
    await openOperation(page, "private-create_room_from_queue");
    const create = operationOf(page, "private-create_room_from_queue");
    await create.getByLabel("or type the service tag as text").fill("https://verify.example.com/é");
    const name = await created(page);
    const room = running.stack.platform.rooms().find((one) => one.name === name);
    const description = expect.stringContaining("vmr-gateway assigned");
    expect(room).toMatchObject({ description, tag: "https://verify.example.com/é" });
    const { gatewayUrl } = running.connection;
    const curl = await create.locator(".curl-command").innerText();
    expect(curl).toContain(`'${gatewayUrl}/room/create?uuiData=`);
    expect(await create.locator(".request-url").innerText()).toContain(`${gatewayUrl}/room/create`);
    expect(curl).not.toContain(running.url);
    expect(faults).toEqual([]);
  });

  test("folds the responses to failures, and marks the current operation in the list", async () => {
    const { page, faults } = await open();
    await openOperation(page, "private-create_room_from_queue");
    const create = operationOf(page, "private-create_room_from_queue");
    const folded = create.locator(".response.folded");
    await expect.poll(async () => folded.count()).toBeGreaterThan(4);
    const count = await folded.count();
    const open422 = folded.filter({ hasText: "422" }).getByRole("button");
    expect(await create.getByText("not-hex").count()).toBe(0);
    await open422.click();
    await expect.poll(async () => folded.count()).toBe(count - 1);
    const current = page.locator("nav a[aria-current]");
    expect(await current.getAttribute("href")).toBe("#/private/create_room_from_queue");
    await operationOf(page, "private-get_room").locator(".opblock-summary-control").click();
    await expect.poll(async () => current.getAttribute("href")).toBe("#/private/get_room");
    expect(faults).toEqual([]);
  });

  test("reads a room as an agent, sends an event and changes the room, each with the credentials it needs", async () => {
    const { page, faults } = await open();
    const room_name = await created(page);
    const read = await execute(page, "public-get_public_room", { room_name });
    expect([read.status, read.text]).toEqual([
      expect.stringContaining("200"),
      expect.stringContaining(room_name),
    ]);
    const changed = await execute(page, "private-update_room", { room_name });
    expect(changed.status).toContain("202");
    const sent = await execute(page, "public-event_sink");
    expect(sent.status).toContain("204");
    expect(faults).toEqual([]);
  });

  test("is linked from the console, and opens an operation by keyboard and by URL", async () => {
    const { page } = await openPage(browser, running.url);
    await page.getByRole("link", { name: "API reference" }).click();
    await page.locator(".opblock").first().waitFor();
    await page.getByRole("link", { name: "PATCH Update a room" }).focus();
    await page.keyboard.press("Enter");
    const open = operationOf(page, "private-update_room").locator(".opblock-body");
    await expect.poll(async () => open.isVisible()).toBe(true);
    await page.reload();
    await expect.poll(async () => open.isVisible()).toBe(true);
    await expect
      .poll(async () => page.evaluate("document.activeElement.innerText"))
      .toContain("/room/{room_name}");
  });

  test.each(["light", "dark"] as const)(
    "has no serious accessibility fault in %s, with operations of each kind open",
    async (colorScheme) => {
      const { page } = await open();
      await page.emulateMedia({ colorScheme });
      await page.reload();
      await created(page);
      for (const id of ["private-update_room", "private-get_room", "private-create_room"])
        await openOperation(page, id);
      await openOperation(page, "public-event_sink");
      const found = await accessibilityFaults(page, axeRules);
      expect(found.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);
    },
  );

  test("fits on a phone, also with a response", async () => {
    const { page, faults } = await open(360);
    await created(page);
    await expect.poll(async () => page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(faults).toEqual([]);
  });

  test("says so if the token issuer does not respond", async () => {
    running.stack.issuer.setDown(true);
    onTestFinished(() => running.stack.issuer.setDown(false));
    const { page } = await open();
    await expect.poll(async () => page.getByRole("status").textContent()).toContain("No token");
  });
});

describe.skipIf(!browser)("The API reference as files", () => {
  test("is shown without a server, and without requests", async () => {
    const folder = await temporaryFolder();
    await promisify(execFile)(process.execPath, ["tools/scripts/docs.ts", folder]);
    const { page, faults } = await openReference(pathToFileURL(join(folder, "index.html")).href);
    expect(await summariesIn(page)).toEqual(shownSummaries);
    await openOperation(page, "private-get_room");
    const example = operationOf(page, "private-get_room").getByText('"guest_pin"');
    await expect.poll(async () => example.count()).toBeGreaterThan(0);
    expect(await page.getByRole("button", { name: /Execute|Try it out/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Console" }).isVisible()).toBe(false);
    expect(faults).toEqual([]);
  });
});
