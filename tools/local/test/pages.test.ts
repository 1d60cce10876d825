/** The console and the API reference in a real browser: content, actions and accessibility. */
import type { Locator, Page } from "playwright-core";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { operations } from "../../../test/support/api-document.ts";
import { useStarted } from "../../../test/support/use-started.ts";
import { accessibilityFaults, type OpenPage, openPage, startBrowser } from "./browser.ts";
import { startRunningConsole } from "./running-console.ts";

// Pages are drawn again whenever something happens: what an action changes is always polled, never read once.
vi.setConfig({ testTimeout: 120_000 });

const browser = await startBrowser();
const running = useStarted(async () => startRunningConsole());

const axeRules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const colorSchemes = ["light", "dark"] as const;

/** Opens all groups of actions, once the page shows them. */
async function openAll(page: Page): Promise<void> {
  await page.getByText("Slow it down").first().waitFor({ state: "attached" });
  await page.evaluate("for (const part of document.querySelectorAll('.actions details')) part.open = true");
}

describe.skipIf(!browser)("The console", () => {
  beforeEach(async () => {
    await running.stack.platform.goUp();
    running.stack.platform.clearFaults();
    await running.untilPoolHas(5);
  });

  async function open(width?: number): Promise<OpenPage> {
    const opened = await openPage(browser, running.url, width);
    await opened.page.getByRole("heading", { name: "Timeline" }).waitFor();
    await openAll(opened.page);
    return opened;
  }

  const formOf = (page: Page, action: string) => page.getByRole("form", { name: action, exact: true });

  /** Runs an action, and returns the status that it shows. */
  async function run(
    page: Page,
    action: string,
    values: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const form = formOf(page, action);
    for (const [label, value] of Object.entries(values)) {
      const list = form.getByRole("combobox", { name: label });
      if ((await list.count()) > 0) await list.selectOption(value);
      else await form.getByLabel(label, { exact: true }).fill(value);
    }
    const response = page.waitForResponse((found) => found.url().includes("/actions/"));
    const button = form.locator("button[type=submit]");
    await button.click();
    const { status } = await (await response).json();
    // It is disabled until its result is shown.
    await expect.poll(async () => button.isEnabled()).toBe(true);
    await expect.poll(async () => form.locator("output strong").textContent()).toBe(String(status));
    return String(status);
  }

  async function create(page: Page): Promise<string> {
    expect(await run(page, "Create a room")).toBe("200");
    const shown = await formOf(page, "Create a room").locator("output code").textContent();
    const { name, guest_pin } = JSON.parse(shown ?? "{}");
    expect(guest_pin).toBe("••••••");
    return name;
  }

  const health = (page: Page) => page.getByRole("list", { name: "The gateway and the parts around it" });
  const entry = (page: Page, text: string) => page.locator(".entry", { hasText: text }).first();
  const banner = (page: Page, text: string | RegExp) => page.locator(".banner", { hasText: text });
  const tile = (page: Page, state: string) => page.locator(".state-tile", { hasText: state });
  const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
  const text = async (part: Locator) => part.textContent();

  test("shows a create in the table, the charts and the timeline, and what the app logged about it", async () => {
    const { page, faults } = await open();
    const name = await create(page);
    await expect.poll(async () => text(rowOf(page, name))).toMatch(/Assigned\d+ sset–$/);
    const chart = page.getByRole("img", { name: /^Rooms by state over time/ });
    const isCharted = async () => {
      const assigned = await tile(page, "Assigned").locator(".count").textContent();
      const label = await chart.getAttribute("aria-label");
      return assigned !== "0" && label?.includes(`Assigned ${assigned}`);
    };
    await expect.poll(isCharted).toBe(true);
    const created = entry(page, "POST /room/create");
    const words = /^\d\d:\d\d:\d\d request POST \/room\/create 200 +\d+ ms Room claimed /;
    await expect.poll(async () => text(created)).toMatch(words);
    const group = page.locator(".entry", { hasText: /provisionRoom × \d+/ }).first();
    const size = /× (\d+)/.exec((await group.textContent()) ?? "")?.[1];
    await group.getByText("Show each").click();
    await expect.poll(async () => group.locator(".entry").count()).toBe(Number(size));
    // The correlation ID leads to the lines of the log.
    await created.locator(".ids a").click();
    await page.getByRole("heading", { name: "What the app logged" }).waitFor();
    const lines = async () => text(page.locator(".lines"));
    await expect.poll(lines).toMatch(`room-claimed function=createRoomFromQueue`);
    await expect.poll(lines).toContain(`room=${name}`);
    expect(faults).toEqual([]);
  });

  test("shows an outage in every part of the page until it is ended", async () => {
    const { page, faults } = await open();
    expect(await run(page, "Take it down", { How: "reset" })).toBe("204");
    await expect.poll(async () => text(health(page))).toContain("Platform down");
    expect(await run(page, "Create a room")).toBe("503");
    const response = async () => text(formOf(page, "Create a room").locator("output"));
    await expect.poll(response).toMatch(/^503 .*reached\. Retry in \d+ s\.$/);
    await expect.poll(async () => text(entry(page, "POST /room/create"))).toContain("503");
    await entry(page, "Platform down").waitFor();
    await page.getByText(/^\d+ in .*, [1-9]\d* failed \(\d+ %\)/).waitFor();
    await expect.poll(async () => page.getByRole("img", { name: /outages: [1-9]/ }).count()).toBe(1);
    await expect.poll(async () => page.title()).toBe("! VMR gateway console");
    await banner(page, "creates return 503").getByRole("button", { name: "Bring it up" }).click();
    await expect.poll(async () => text(health(page))).toContain("Platform up");
    await entry(page, "Platform up again").waitFor();
    expect(faults).toEqual([]);
  });

  test("has a banner for each fault, and one for creates that fail until one succeeds", async () => {
    const { page } = await open();
    await run(page, "Make calls fail", { Fault: "500 after the commit", Calls: "20" });
    await run(page, "Token issuer fails");
    await run(page, "Contact centre fails", { Calls: "7" });
    await expect.poll(async () => text(health(page))).toMatch(/Token issuer down.*7 faults to come/);
    await banner(page, "all calls with status 500, although they take effect").waitFor();
    expect(await run(page, "Create a room")).toBe("503");
    const failed = /^\d+ of \d+ creates failed in 5 min; the last: the platform fails at GET \(500\)/;
    await banner(page, failed).waitFor();
    for (const trouble of ["Calls of the platform fail", "token issuer is down", "contact centre fails"])
      await banner(page, trouble).getByRole("button").click();
    await expect.poll(async () => page.locator(".banner").count()).toBe(1);
    await create(page);
    await expect.poll(async () => page.locator(".banner").count()).toBe(0);
  });

  test("shows a room's whole life", async () => {
    const { page, faults } = await open();
    const name = await create(page);
    expect(await run(page, "Read it as an agent")).toBe("200");
    await rowOf(page, name).getByRole("link").click();
    await expect
      .poll(async () => page.evaluate("document.activeElement.textContent"))
      .toContain(`Room ${name}`);
    const present = page.locator('.diagram [aria-current="step"]');
    await expect.poll(async () => text(present)).toContain("Assigned");
    await run(page, "Join", { Who: "Citizen" });
    await run(page, "Join", { Who: "Agent" });
    await expect.poll(async () => text(present)).toMatch(/Live\d\d:\d\d:\d\d · \d+ s/);
    const facts = page.locator(".life .figure");
    await expect.poll(async () => text(facts.first())).toContain("Citizen, Agent · 2 nodes");
    await run(page, "Leave", { Who: "Agent" });
    await run(page, "Leave", { Who: "Citizen" });
    await expect.poll(async () => text(present)).toContain("Due for deletion");
    await expect.poll(async () => text(facts.last())).toContain("Collect garbage");
    await run(page, "Collect garbage");
    await expect.poll(async () => text(present)).toContain("Deleted");

    const titles = async () => page.locator(".life .entry .title").allTextContents();
    const story = [
      "Being provisioned",
      "Pooled",
      "Assigned",
      "Live",
      "Citizen joined",
      "Agent joined",
      "Agent left",
      "Citizen left",
      "Waiting for deletion",
      "Due for deletion",
      "Deleted",
    ];
    await expect.poll(async () => (await titles()).filter((title) => story.includes(title))).toEqual(story);
    const causes = ["provisionRoom", "POST /room/create", "POST /public/event_sink", "collectGarbage"];
    await expect.poll(titles).toEqual(expect.arrayContaining(causes));
    // A request for it gets 404, which does not make it a deleted room.
    await fetch(`${running.connection.gatewayUrl}/public/room/nosuch`);
    await page.goto(`${running.url}/#/room/nosuch`);
    await entry(page, "GET /public/room/nosuch").waitFor();
    await page.getByText("There is no such room.").waitFor();
    expect(faults).toEqual([]);
  });

  test("asks again whether to delete when another room is chosen, and keeps the choice when it is loaded again", async () => {
    const { page } = await open();
    const rooms = [await create(page), await create(page)];
    const chosen = page.getByLabel("Room for the actions");
    await chosen.selectOption(rooms[0] ?? "");
    const form = formOf(page, "Delete it");
    await form.getByRole("button", { name: "Delete it" }).click();
    await form.getByRole("button", { name: "Delete 1 room?" }).waitFor();
    await chosen.selectOption(rooms[1] ?? "");
    await form.getByRole("button", { name: "Delete it" }).waitFor();
    await chosen.selectOption(rooms[0] ?? "");
    const names = running.stack.platform.rooms().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(rooms));
    await page.reload();
    await expect.poll(async () => chosen.inputValue()).toBe(rooms[0]);
  });

  test("deletes all rooms only after a question that names their number, says that the pool is empty, and fills it", async () => {
    onTestFinished(async () => void (await running.runAction("fill", {})));
    const { page, faults } = await open();
    // The replacements of other tests' rooms have arrived: the number that is asked about no longer changes.
    await running.untilProvisioned();
    const rooms = running.stack.platform.roomCount();
    await page.getByRole("heading", { name: `Rooms ${rooms}` }).waitFor();
    const form = formOf(page, "Delete all rooms");
    const first = form.getByRole("button", { name: "Delete all rooms" });
    await first.click();
    await form.getByRole("button", { name: "Keep" }).click();
    await first.click();
    expect(running.stack.platform.roomCount()).toBe(rooms);
    await form.getByRole("button", { name: `Delete ${rooms} rooms?` }).click();
    await expect.poll(async () => text(form.locator("output"))).toContain("204");
    await page.getByText("There is no room.").waitFor();
    expect(await run(page, "Create a room")).toBe("404");
    const response = async () => text(formOf(page, "Create a room").locator("output"));
    await expect.poll(response).toBe("404 The pool is empty. Retry in 10 s.");
    await page.getByText(/, \d+ found the pool empty/).waitFor();
    await page.locator(".charts").getByRole("button", { name: "Fill the pool" }).click();
    const pooled = async () => Number(await text(tile(page, "Pooled").locator(".count")));
    await expect.poll(pooled).toBeGreaterThan(10);
    expect(faults).toEqual([]);
  });

  test("says since when its server is gone", async () => {
    const another = await running.startAnother();
    const { page } = await openPage(browser, another.url);
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    await another.stop();
    await banner(page, "The console's server does not respond. The page shows the state of").waitFor();
    await expect.poll(async () => text(health(page))).toMatch(/connection lost, last update \d\d:/);
    await page.locator("main.stale").waitFor();
    for (const colorScheme of colorSchemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expect.poll(async () => accessibilityFaults(page, [...axeRules, "best-practice"])).toEqual([]);
    }
  });

  test("has no accessibility fault that axe finds in light or dark colours, also when the storage is down", async () => {
    const { connection } = running;
    const storageConnectionString = connection.storageConnectionString.replace(
      /(QueueEndpoint=\S+?:)\d+/,
      "$11",
    );
    const another = await running.startAnother({ ...connection, storageConnectionString });
    onTestFinished(another.stop);
    const { page, faults } = await openPage(browser, another.url);
    await banner(page, "The storage does not respond: creates return 503.").waitFor();
    await expect.poll(async () => text(health(page))).toContain("Storage down");
    await openAll(page);
    const name = await create(page);
    // Without a caller, the link to the request is close to the room's.
    await fetch(`${connection.gatewayUrl}/public/room/${name}`);
    await page.getByText("Unauthenticated").first().waitFor();
    await run(page, "Take it down", { How: "reset" });
    await run(page, "Create a room");
    await banner(page, "The platform is down").waitFor();
    await page.getByRole("button", { name: "Delete all rooms" }).click();
    await page.getByRole("button", { name: "Keep" }).waitFor();
    const groups = [...axeRules, "best-practice"];
    for (const colorScheme of colorSchemes) {
      // Colours that change slowly could be measured halfway.
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expect.poll(async () => accessibilityFaults(page, groups)).toEqual([]);
    }
    await rowOf(page, name).getByRole("link").click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await expect.poll(async () => accessibilityFaults(page, groups)).toEqual([]);
    expect(faults).toEqual([]);
  });

  // A window of 1280 pixels has 320 at a zoom of 400 %.
  test("has actions before lists on a phone, and needs no horizontal scrolling", async () => {
    const { page, faults } = await open(390);
    const name = await create(page);
    await run(page, "Join");
    await expect.poll(async () => page.locator("td", { hasText: "1 person" }).count()).toBeGreaterThan(0);
    const top = async (heading: string) =>
      (await page.getByRole("heading", { name: heading }).boundingBox())?.y ?? 0;
    expect(await top("Try it")).toBeLessThan(await top("Rooms by state"));
    const widest = async (): Promise<unknown> =>
      page.evaluate(
        "Math.max(...Array.from(document.querySelectorAll('body, body *:not(.skip, thead, thead *)'), " +
          "part => part.getBoundingClientRect().right))",
      );
    const fits = async () => {
      for (const width of [320, 390]) {
        await page.setViewportSize({ width, height: 1000 });
        await expect.poll(widest).toBeLessThanOrEqual(width);
      }
    };
    await fits();
    await rowOf(page, name).getByRole("link").click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await fits();
    expect(faults).toEqual([]);
  });

  test("can be used by keyboard: its first link leads to the actions, Tab reaches every control, and Enter runs an action", async () => {
    const { page, faults } = await open();
    const name = await create(page);
    await rowOf(page, name).getByRole("link").click();
    // The heading takes the focus when the room is shown.
    await page.locator(".life-title:focus").waitFor();
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    await expect.poll(async () => page.evaluate("document.activeElement.id")).toBe("actions");
    expect(page.url()).toContain(name);
    const controls =
      "Array.from(document.querySelectorAll('a, button, input, select, summary, [tabindex=\"0\"]')).filter(part => !part.disabled && !part.closest('.entries'))";
    await expect.poll(async () => page.evaluate(`${controls}.length`)).toBeGreaterThan(60);
    await page.evaluate("document.activeElement.blur(); window.reached = new Set()");
    await page.evaluate("addEventListener('focusin', ({ target }) => void window.reached.add(target))");
    const missed = `${controls}.filter(part => !window.reached.has(part)).map(part => part.outerHTML.slice(0, 100))`;
    for (let presses = 0; presses < 300; presses += 1) {
      await page.keyboard.press("Tab");
      if (presses % 50 === 49 && (await page.evaluate(`${missed}.length`)) === 0) break;
    }
    expect(await page.evaluate(missed)).toEqual([]);
    // The actions stay in view beside a long page, and their charts have colours of their own.
    await page.getByRole("link", { name: "← Overview" }).click();
    await page.setViewportSize({ width: 1440, height: 500 });
    await page.mouse.wheel(0, 400);
    const actionsTop = async () => (await page.locator("#actions").boundingBox())?.y;
    await expect.poll(actionsTop).toBe(0);
    await page.emulateMedia({ forcedColors: "active" });
    const areas =
      "new Set(Array.from(document.querySelectorAll('.chart polygon'), part => getComputedStyle(part).fill)).size";
    expect(await page.evaluate(areas)).toBeGreaterThan(5);
    await page.getByRole("button", { name: "Raise an alarm" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(async () => text(health(page))).toContain("1 alarm");
    await run(page, "Clear all alarms");
    expect(faults).toEqual([]);
  });
});

describe.skipIf(!browser)("The API reference", () => {
  const createId = "private-create_room_from_queue";

  async function open(width?: number): Promise<OpenPage> {
    const opened = await openPage(browser, `${running.url}/api/`, width);
    await untilReady(opened.page);
    return opened;
  }

  /** Before that, calls would be sent without credentials. */
  async function untilReady(page: Page): Promise<void> {
    await page.getByRole("status").filter({ hasText: "credentials filled in" }).waitFor();
    const summaries = page.locator(".opblock-summary-description");
    await expect
      .poll(async () => summaries.allTextContents())
      .toEqual(operations.map(({ summary }) => summary));
  }

  const operationOf = (page: Page, id: string): Locator => page.locator(`#operations-${id}`);
  async function openOperation(page: Page, id: string): Promise<void> {
    const body = operationOf(page, id).locator(".opblock-body");
    if ((await body.count()) === 0)
      await operationOf(page, id).locator(".opblock-summary-control").press("Enter");
    await body.waitFor();
  }

  /** Opens an operation and sends its request, by keyboard. Returns the response as it is shown. */
  async function execute(page: Page, id: string) {
    await openOperation(page, id);
    const operation = operationOf(page, id);
    await operation.getByRole("button", { name: "Execute" }).press("Enter");
    const response = operation.locator(".live-responses-table .response");
    await response.waitFor();
    const [status, text] = [".response-col_status", ".response-col_description"].map((part) =>
      response.locator(part),
    );
    return { status: await status?.innerText(), text: await text?.innerText() };
  }

  test("calls operations with the credentials that each needs, and with the name of the room that was created", async () => {
    const { page, faults } = await openPage(browser, running.url);
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).host));
    await page.getByRole("link", { name: "API reference" }).click();
    await untilReady(page);
    await openOperation(page, "private-get_room");
    const { status, text = "" } = await execute(page, createId);
    expect(status).toContain("200");
    const room_name = /"name": "([^"]+)"/.exec(text)?.[1];
    const curl = operationOf(page, createId).locator(".curl-command");
    // Each create has a key of its own, so the next one is another room.
    const line = new RegExp(
      `'${running.connection.gatewayUrl}/room/create\\?uuiData=[^]*'idempotency-key: [0-9a-f-]{36}'`,
    );
    expect(await curl.innerText()).toMatch(line);
    const name = operationOf(page, "private-get_room").getByRole("textbox", { name: "room_name" });
    await expect.poll(async () => name.inputValue()).toBe(room_name);
    await execute(page, createId);
    await expect.poll(async () => name.inputValue()).not.toBe(room_name);
    const read = await execute(page, "public-get_public_room");
    expect(read.status).toContain("200");
    expect((await execute(page, "private-update_room")).status).toContain("202");
    expect((await execute(page, "public-event_sink")).status).toContain("204");
    expect([...hosts]).toEqual([new URL(running.url).host]);
    expect(faults).toEqual([]);
  });

  test("has no serious accessibility fault in light or dark colours, on a phone too", async () => {
    const { page, faults } = await open(360);
    await execute(page, createId);
    await expect.poll(async () => page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    for (const colorScheme of colorSchemes) {
      await page.emulateMedia({ colorScheme });
      // Swagger UI changes its colours slowly, and would be measured halfway.
      await page.reload();
      await untilReady(page);
      for (const id of ["private-update_room", "private-get_room", "public-event_sink"])
        await openOperation(page, id);
      // An operation that is still opening shows its parts closer together.
      const serious = async () =>
        (await accessibilityFaults(page, axeRules)).filter(
          ({ impact }) => impact === "serious" || impact === "critical",
        );
      await expect.poll(serious).toEqual([]);
    }
    expect(faults).toEqual([]);
  });

  test("says that the token issuer, or the console's server, does not respond", async () => {
    const another = await running.startAnother();
    running.stack.issuer.setDown(true);
    onTestFinished(() => running.stack.issuer.setDown(false));
    const { page } = await openPage(browser, `${another.url}/api/`);
    const notice = page.getByRole("status");
    await notice.filter({ hasText: "No token: the token issuer does not respond." }).waitFor();
    await openOperation(page, "public-health_check");
    await another.stop();
    await page.getByRole("button", { name: "Execute" }).click();
    const gone = "The console's server does not respond.";
    await page.locator(".live-responses-table").getByText(gone).waitFor();
    await expect.poll(async () => notice.textContent()).toContain(gone);
  });
});
