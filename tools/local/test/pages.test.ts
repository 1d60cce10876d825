/** The console and the API reference in a real browser: content, actions and accessibility. */
import type { Locator, Page } from "playwright-core";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { useStarted } from "../../../test/support/use-started.ts";
import { accessibilityFaults, openPage, startBrowser } from "./browser.ts";
import { startRunningConsole } from "./running-console.ts";

// Pages are drawn again whenever something happens: what an action changes is always polled, never read once.
const browser = await startBrowser();
const running = useStarted(async () => startRunningConsole());
const text = async (part: Locator) => part.textContent();

/** Opens a page that may log no error or warning. */
async function openFaultless(url: string, width?: number): Promise<Page> {
  const { page, faults } = await openPage(browser, url, width);
  onTestFinished(() => expect(faults).toEqual([]));
  return page;
}

describe.skipIf(!browser)("The console", () => {
  beforeEach(async () => {
    await running.stack.platform.goUp();
    running.stack.platform.clearFaults();
    running.stack.issuer.setDown(false);
    running.stack.contactCentre.clearFaults();
    await running.fillPool();
  });

  /** Opens the console and all groups of actions, once it shows them. */
  async function open(url = running.url, width?: number): Promise<Page> {
    const page = await openFaultless(url, width);
    await page.getByText("Slow it down").first().waitFor({ state: "attached" });
    await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
    return page;
  }

  const formOf = (page: Page, action: string) => page.getByRole("form", { name: action, exact: true });

  /** Runs an action by keyboard, and returns what it shows: the status, and the body or the reason. */
  async function run(page: Page, action: string, values: Record<string, string> = {}): Promise<string> {
    const form = formOf(page, action);
    for (const [label, value] of Object.entries(values)) {
      const list = form.getByRole("combobox", { name: label });
      if ((await list.count()) > 0) await list.selectOption(value);
      else await form.getByLabel(label, { exact: true }).fill(value);
    }
    const response = page.waitForResponse(/\/actions\//);
    const button = form.getByRole("button");
    await button.press("Enter");
    const status = String((await response).status());
    await expect.poll(async () => button.getAttribute("aria-disabled")).not.toBe("true");
    await expect.poll(async () => form.locator("output b").textContent()).toBe(status);
    expect(await button.evaluate("document.activeElement.textContent")).toBe(action);
    return (await text(form.locator("output"))) ?? "";
  }

  /** Creates a room, and returns its name, whose entries and actions the console then shows. */
  async function create(page: Page): Promise<string> {
    const { name, guest_pin } = JSON.parse((await run(page, "Create a room")).replace("200 ", ""));
    expect(guest_pin).toBe("••••••");
    await page.getByText(`With ${name}:`).waitFor();
    return name;
  }

  const health = async (page: Page) =>
    text(page.getByRole("list", { name: "The gateway and the parts around it" }));
  const titles = async (page: Page) => page.locator("time ~ b:first-of-type").allTextContents();
  const tile = async (page: Page, state: string) =>
    text(page.getByRole("list", { name: "Rooms by state" }).locator("li", { hasText: state }).locator("b"));
  const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

  // A window of 1280 pixels has 320 at a zoom of 400 %.
  test("has no fault that axe finds, fits each width, is used by keyboard, and says that its server is gone", async () => {
    const { connection } = running;
    const storage = connection.storageConnectionString.replace(/(QueueEndpoint=\S+?:)\d+/, "$11");
    const another = await running.startAnother({ ...connection, storageConnectionString: storage });
    const page = await open(another.url);
    await expect.poll(async () => health(page)).toContain("Storage down");
    await run(page, "Take it down", { How: "resets connections" });
    await run(page, "Create a room");
    await page.getByRole("listitem").filter({ hasText: "POST /room/create" }).first().waitFor();
    await expectAccessible(page);
    const parts = "Array.from(document.querySelectorAll('body, body *'))";
    const widest = `Math.max(...${parts}.map(part => part.getBoundingClientRect().right))`;
    for (const width of [320, 390, 700, 1024, 1440, 1920]) {
      await page.setViewportSize({ width, height: 1000 });
      await expect.poll(async () => page.evaluate(widest)).toBeLessThanOrEqual(width);
    }
    await page.evaluate("window.reached = new Set()");
    await page.evaluate("addEventListener('focusin', ({ target }) => void window.reached.add(target))");
    await page.getByRole("link", { name: "API reference" }).focus();
    // Rooms can change their places at any time, so one of them stands for all.
    const controls =
      "document.querySelectorAll('a, form button, input, select, summary, pre, tr:first-child button')";
    const missed = `Array.from(${controls}).filter(part => !window.reached.has(part)).map(part => part.outerHTML)`;
    expect(await page.evaluate(`${missed}.length`)).toBeGreaterThan(60);
    for (let presses = 0; presses < 150; presses += 1) await page.keyboard.press("Tab");
    expect(await page.evaluate(missed)).toEqual([]);
    await another.stop();
    await expect.poll(async () => health(page)).toMatch(/connection lost, last update \d\d:/);
    await expectAccessible(page);
  });

  test("shows the life of a room in the table and the timeline, until all entries are wanted", async () => {
    const page = await open();
    const name = await create(page);
    const row = rowOf(page, name);
    await expect.poll(async () => text(row)).toMatch(/Assigned\d+ s–$/);
    const created = page.getByRole("listitem").filter({ hasText: "POST /room/create" });
    await expect
      .poll(async () => text(created))
      .toMatch(/^\d\d:\d\d:\d\d request POST \/room\/create 200 +\d+ msRoom claimed/);
    expect(await run(page, "Read it as an agent")).toMatch(/^200/);
    for (const Who of ["Citizen", "Agent"]) await run(page, "Join", { Who });
    await expect.poll(async () => text(row)).toMatch(/Live\d+ sCitizen, Agent$/);
    for (const Who of ["Agent", "Citizen"]) await run(page, "Leave", { Who });
    await expect.poll(async () => text(row)).toContain("Due for deletion");
    await run(page, "Collect garbage");
    await expect.poll(async () => row.count()).toBe(0);
    const life = ["collectGarbage", "POST /public/event_sink", `GET /public/room/${name}`];
    const shown = async () => [...new Set(await titles(page))];
    await expect.poll(shown).toEqual([...life, "POST /room/create", "provisionRoom"]);
    const other = await create(page);
    expect(await titles(page)).not.toContain("collectGarbage");
    await page.getByRole("button", { name: "Show all" }).press("Enter");
    await page.getByText("Create or choose a room").waitFor();
    await expect.poll(shown).toContain("collectGarbage");
    await rowOf(page, other).getByRole("button").press("Enter");
    await page.getByText(`With ${other}:`).waitFor();
  });

  test("shows outages and faults in the header until actions end them", async () => {
    const page = await open();
    await run(page, "Make calls fail", { Fault: "500 after the commit", Calls: "20" });
    await run(page, "Token issuer fails");
    await run(page, "Contact centre fails", { Calls: "7" });
    await expect.poll(async () => health(page)).toMatch(/Token issuer down.*down, 7 faults to come/);
    expect(await run(page, "Create a room")).toMatch(
      /^503 The conferencing platform cannot be reached\. Retry/,
    );
    expect(await run(page, "Take it down", { How: "resets connections" })).toMatch(/^204/);
    await expect.poll(async () => health(page)).toContain("Platform down, ");
    for (const cure of [
      "Bring it up",
      "Clear all faults",
      "Token issuer recovers",
      "Contact centre recovers",
    ])
      await run(page, cure);
    await expect.poll(async () => health(page)).not.toMatch(/down|fault/);
  });

  test("deletes one room or all, says that the pool is empty, and fills it", async () => {
    const page = await open();
    await create(page);
    await running.untilProvisioned();
    for (const action of ["Delete it", "Delete all rooms"]) expect(await run(page, action)).toMatch(/^204/);
    expect(running.stack.platform.roomCount()).toBe(0);
    await page.getByText("There is no room.").waitFor();
    expect(await run(page, "Create a room")).toBe("404 The pool is empty. Retry in 10 s.");
    await run(page, "Fill the pool");
    await expect.poll(async () => Number(await tile(page, "Pooled"))).toBeGreaterThan(10);
  });
});

/** Expects that axe finds nothing in either colour scheme. */
async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await expect.poll(async () => accessibilityFaults(page)).toEqual([]);
  }
}

describe.skipIf(!browser)("The API reference", () => {
  const createId = "private-create_room_from_queue";

  const operationOf = (page: Page, id: string): Locator => page.locator(`#operations-${id}`);

  /** Opens an operation and sends its request, by keyboard. Returns the response as it is shown. */
  async function execute(page: Page, id: string): Promise<string> {
    const operation = operationOf(page, id);
    const summary = operation.locator(".opblock-summary-control");
    if ((await summary.getAttribute("aria-expanded")) !== "true") await summary.press("Enter");
    // A key that is pressed while Swagger UI draws the page again is lost.
    const isSent = async () => {
      const sent = page.waitForRequest(/\/api\/gateway\//, { timeout: 5000 }).catch(() => undefined);
      await operation.getByRole("button", { name: "Execute" }).press("Enter");
      return sent;
    };
    await expect.poll(isSent).toBeDefined();
    return operation.locator(".live-responses-table .response").innerText();
  }

  test("calls operations with the credentials that each needs and a room of the gateway", async () => {
    const page = await openFaultless(running.url);
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).host));
    await page.getByRole("link", { name: "API reference" }).click();
    // Before that, calls would be sent without credentials.
    await page.locator(".btn.authorize.locked").waitFor();
    // Swagger UI's own: https://github.com/swagger-api/swagger-ui/issues/5247, /7350 and /9984.
    const ofSwaggerUI = ["color-contrast", "region", "select-name"];
    const faults = await accessibilityFaults(page);
    expect(faults.filter(({ id }) => !ofSwaggerUI.includes(id))).toEqual([]);
    expect(await execute(page, "private-get_room")).toMatch(/^200/);
    expect(await execute(page, "public-get_public_room")).toMatch(/^200/);
    expect(await execute(page, "public-event_sink")).toMatch(/^204/);
    const names = new Set<string | undefined>();
    const shown = operationOf(page, createId).locator(".live-responses-table .response");
    const nameShown = async () => /"name": "([^"]+)"/.exec(await shown.innerText())?.[1];
    for (const size of [1, 2]) {
      expect(await execute(page, createId)).toMatch(/^200/);
      await expect.poll(async () => names.add(await nameShown()).size).toBe(size);
    }
    const curl = await operationOf(page, createId).locator(".curl-command").innerText();
    expect(curl).toContain(`'${running.connection.gatewayUrl}/room/create?uuiData=`);
    expect([...hosts]).toEqual([new URL(running.url).host]);
  });
});
