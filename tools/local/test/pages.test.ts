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
  async function open(width?: number, url = running.url): Promise<Page> {
    const page = await openFaultless(url, width);
    await page.getByText("Slow it down").first().waitFor({ state: "attached" });
    await page.evaluate("for (const part of document.querySelectorAll('.actions details')) part.open = true");
    return page;
  }

  const formOf = (page: Page, action: string) => page.getByRole("form", { name: action, exact: true });
  const resultOf = async (page: Page, action: string) => text(formOf(page, action).locator("output"));

  /** Runs an action, and returns the status that it shows. */
  async function run(page: Page, action: string, values: Record<string, string> = {}): Promise<string> {
    const form = formOf(page, action);
    for (const [label, value] of Object.entries(values)) {
      const list = form.getByRole("combobox", { name: label });
      if ((await list.count()) > 0) await list.selectOption(value);
      else await form.getByLabel(label, { exact: true }).fill(value);
    }
    const response = page.waitForResponse(/\/actions\//);
    const button = form.locator("button[type=submit]");
    await button.click();
    const status = String((await response).status());
    // It is disabled until its result is shown.
    await expect.poll(async () => button.isEnabled()).toBe(true);
    await expect.poll(async () => form.locator("output b").textContent()).toBe(status);
    return status;
  }

  /** Creates a room, and returns its name when the console shows it. */
  async function create(page: Page): Promise<string> {
    expect(await run(page, "Create a room")).toBe("200");
    const shown = await formOf(page, "Create a room").locator("output pre").textContent();
    const { name, guest_pin } = JSON.parse(shown ?? "{}");
    expect(guest_pin).toBe("••••••");
    await expect.poll(async () => page.getByLabel("Room for the actions").inputValue()).toBe(name);
    return name;
  }

  const health = async (page: Page) =>
    text(page.getByRole("list", { name: "The gateway and the parts around it" }));
  const entry = (page: Page, words: string | RegExp) => page.locator(".entry", { hasText: words }).first();
  const titles = async (page: Page) => page.locator(".entry b").allTextContents();
  const banner = (page: Page, words: string | RegExp) => page.locator(".banners p", { hasText: words });
  const tile = async (page: Page, state: string) =>
    text(page.getByRole("list", { name: "Rooms by state" }).locator("li", { hasText: state }).locator("b"));
  const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
  const markedRooms = async (page: Page) => page.locator("tr.marked button").allTextContents();

  test("shows outages and faults in every part of the page until its buttons end them", async () => {
    const page = await open();
    await run(page, "Make calls fail", { Fault: "500 after the commit", Calls: "20" });
    await run(page, "Token issuer fails");
    await run(page, "Contact centre fails", { Calls: "7" });
    await expect.poll(async () => health(page)).toMatch(/Token issuer down.*down, 7 faults to come/);
    await banner(page, "all calls with status 500, although they take effect").waitFor();
    expect(await run(page, "Create a room")).toBe("503");
    await banner(
      page,
      /^\d+ of \d+ creates failed in 5 min; the last: the platform fails at GET \(500\)/,
    ).waitFor();
    expect(await run(page, "Take it down", { How: "resets connections" })).toBe("204");
    await expect.poll(async () => health(page)).toContain("Platform down");
    await page.getByText(/^\d+ in all, [1-9]\d* failed, /).waitFor();
    await page.getByRole("img", { name: /outages: [1-9]/ }).waitFor();
    for (const trouble of ["platform is down", "Calls of the", "issuer is down", "centre fails"])
      await banner(page, trouble).getByRole("button").click();
    await entry(page, "Platform up again").waitFor();
    await expect.poll(async () => page.locator(".banners p").count()).toBe(1);
    await create(page);
    await expect.poll(async () => page.locator(".banners p").count()).toBe(0);
  });

  test("shows a room in the table, the charts and the timeline, and only what happened to it or in a request if that is chosen", async () => {
    const page = await open();
    const name = await create(page);
    const other = await create(page);
    const row = rowOf(page, name);
    await expect.poll(async () => text(row)).toMatch(/Assigned\d+ s–$/);
    const charted = async () =>
      page.getByRole("img", { name: `Assigned ${await tile(page, "Assigned")}` }).count();
    await expect.poll(charted).toBe(1);
    const created = page.locator(".entry", { hasText: "POST /room/create" }).filter({ hasText: name });
    const words = /^\d\d:\d\d:\d\d request POST \/room\/create 200 +\d+ msRoom claimed/;
    await expect.poll(async () => text(created)).toMatch(words);
    await created.getByRole("button").last().click();
    await expect.poll(async () => titles(page)).toEqual(["POST /room/create"]);
    expect(await markedRooms(page)).toEqual([name]);
    await page.getByRole("button", { name: "Show all" }).click();
    await entry(page, other).waitFor();
    expect(await markedRooms(page)).toEqual([]);
    await row.getByRole("button").click();
    expect(await page.getByLabel("Room for the actions").inputValue()).toBe(name);
    expect(await run(page, "Read it as an agent")).toBe("200");
    for (const Who of ["Citizen", "Agent"]) await run(page, "Join", { Who });
    await expect.poll(async () => text(row)).toMatch(/Live\d+ sCitizen, Agent$/);
    expect(await markedRooms(page)).toEqual([name]);
    for (const Who of ["Agent", "Citizen"]) await run(page, "Leave", { Who });
    await expect.poll(async () => text(row)).toContain("Due for deletion");
    await run(page, "Collect garbage");
    await expect.poll(async () => row.count()).toBe(0);
    const life = ["collectGarbage", "POST /public/event_sink", `GET /public/room/${name}`];
    const shown = async () => [...new Set(await titles(page))];
    await expect.poll(shown).toEqual([...life, "POST /room/create", "provisionRoom"]);
  });

  test("deletes one room or all only after a question, says that the pool is empty, and fills it", async () => {
    const page = await open();
    const questions: string[] = [];
    let isSure = false;
    page.on("dialog", (dialog) => {
      questions.push(dialog.message());
      void (isSure ? dialog.accept() : dialog.dismiss());
    });
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await create(page);
    for (const name of ["Delete it", "Delete all rooms"]) await button(name).click();
    expect(questions).toEqual(["Delete this room?", "Delete all rooms of the gateway?"]);
    isSure = true;
    await running.untilProvisioned();
    expect(await run(page, "Delete it")).toBe("204");
    expect(await run(page, "Delete all rooms")).toBe("204");
    expect(running.stack.platform.roomCount()).toBe(0);
    await page.getByText("There is no room.").waitFor();
    expect(await run(page, "Create a room")).toBe("404");
    expect(await resultOf(page, "Create a room")).toBe("404 The pool is empty. Retry in 10 s.");
    await page.getByText(/, [1-9]\d* found the pool empty/).waitFor();
    // The room that this create has requested.
    await running.untilPoolHas(1);
    await running.call("DELETE /room/bulk/");
    await banner(page, "The pool is empty").getByRole("button").click();
    await expect.poll(async () => Number(await tile(page, "Pooled"))).toBeGreaterThan(10);
  });

  test("has no accessibility fault that axe finds in light or dark colours, with faults and when its server is gone", async () => {
    const { connection } = running;
    const storage = connection.storageConnectionString.replace(/(QueueEndpoint=\S+?:)\d+/, "$11");
    const another = await running.startAnother({ ...connection, storageConnectionString: storage });
    const page = await open(undefined, another.url);
    await banner(page, "The storage does not respond: creates return 503.").waitFor();
    expect(await health(page)).toContain("Storage down");
    const name = await create(page);
    await fetch(`${connection.gatewayUrl}/public/room/${name}`);
    await page.getByText("Unauthenticated").first().waitFor();
    await run(page, "Take it down", { How: "resets connections" });
    await run(page, "Create a room");
    await banner(page, "The platform is down").waitFor();
    await expectAccessible(page);
    await rowOf(page, name).getByRole("button").click();
    await another.stop();
    await banner(page, "The console's server does not respond. The page shows the state of").waitFor();
    expect(await health(page)).toMatch(/connection lost, last update \d\d:/);
    await page.locator("main.stale").waitFor();
    await expectAccessible(page);
  });

  // A window of 1280 pixels has 320 at a zoom of 400 %.
  test("has actions before lists on a phone, and needs no horizontal scrolling at any width", async () => {
    const page = await open(390);
    const name = await create(page);
    for (const Who of ["Citizen", "Agent"]) await run(page, "Join", { Who });
    await page.locator("td", { hasText: "Citizen, Agent" }).first().waitFor();
    const top = async (title: string) =>
      (await page.getByRole("heading", { name: title }).boundingBox())?.y ?? 0;
    expect(await top("Try it")).toBeLessThan(await top("Rooms by state"));
    const parts = "Array.from(document.querySelectorAll('body, body *'))";
    const widest = `Math.max(...${parts}.map(part => part.getBoundingClientRect().right))`;
    for (const isChosen of [false, true]) {
      if (isChosen) await rowOf(page, name).getByRole("button").click();
      for (const width of [320, 390, 700, 1024, 1100, 1440, 1920]) {
        await page.setViewportSize({ width, height: 1000 });
        await expect.poll(async () => page.evaluate(widest)).toBeLessThanOrEqual(width);
      }
    }
  });

  test("can be used by keyboard: Tab reaches every control, and Enter runs an action and chooses a room", async () => {
    const page = await open();
    const name = await create(page);
    await page.evaluate("window.reached = new Set()");
    await page.evaluate("addEventListener('focusin', ({ target }) => void window.reached.add(target))");
    await page.getByRole("link", { name: "API reference" }).focus();
    const parts = "document.querySelectorAll('a, button, input, select, summary, [tabindex=\"0\"]')";
    const isMissed =
      "!part.disabled && !part.closest('.entry, tbody tr:not(:first-child)') && !window.reached.has(part)";
    const missed = `Array.from(${parts}).filter(part => ${isMissed}).map(part => part.outerHTML.slice(0, 100))`;
    // Other rooms can appear, and change their places, at any time.
    expect(await page.evaluate(`${missed}.length`)).toBeGreaterThan(60);
    for (let presses = 0; presses < 200; presses += 1) await page.keyboard.press("Tab");
    expect(await page.evaluate(missed)).toEqual([]);
    await page.getByRole("button", { name: "Raise an alarm" }).press("Enter");
    await expect.poll(async () => health(page)).toContain("1 alarm");
    await run(page, "Clear all alarms");
    await rowOf(page, name).getByRole("button").press("Enter");
    expect(await markedRooms(page)).toEqual([name]);
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
