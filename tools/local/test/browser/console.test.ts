/** The console in a real browser: what it shows, what its actions do, and its accessibility. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  accessibilityFaults,
  type OpenPage,
  openPage,
  startBrowser,
} from "../../../../test/support/browser.ts";
import { useStarted } from "../../../../test/support/use-started.ts";
import { startRunningConsole } from "../running-console.ts";

vi.setConfig({ testTimeout: 90_000 });

const browser = await startBrowser();

const axeRules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const openAll = "for (const part of document.querySelectorAll('details')) part.open = true";

describe.skipIf(!browser)("The console", () => {
  const running = useStarted(async () => startRunningConsole());
  beforeEach(async () => {
    await running.stack.platform.goUp();
    running.stack.platform.clearFaults();
    await running.untilPoolHas(5);
  });

  async function open(width?: number): Promise<OpenPage> {
    const opened = await openPage(browser, running.url, width);
    await opened.page.getByRole("heading", { name: "Timeline" }).waitFor();
    await opened.page.evaluate(openAll);
    return opened;
  }

  /** Runs an action, confirms it if it asks, and returns the status that it shows. */
  async function run(
    page: Page,
    action: string,
    values: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const form = page.getByRole("form", { name: action, exact: true });
    for (const [label, value] of Object.entries(values)) {
      const list = form.getByRole("combobox", { name: label });
      if ((await list.count()) > 0) await list.selectOption(value);
      else await form.getByLabel(label, { exact: true }).fill(value);
    }
    const response = page.waitForResponse((found) => found.url().includes("/actions/"));
    await form.locator("button[type=submit]").click();
    const { status } = await (await response).json();
    await expect.poll(async () => form.locator("output strong").textContent()).toBe(String(status));
    return String(status);
  }

  async function create(page: Page): Promise<string> {
    expect(await run(page, "Create a room")).toBe("200");
    const shown = await page
      .getByRole("form", { name: "Create a room" })
      .locator("output code")
      .textContent();
    const { name, guest_pin } = JSON.parse(shown ?? "{}");
    expect(guest_pin).toBe("••••••");
    return name;
  }

  const health = (page: Page) => page.getByRole("list", { name: "The gateway and the parts around it" });
  const entry = (page: Page, text: string) => page.locator(".entry", { hasText: text }).first();
  const banner = (page: Page, text: string) => page.locator(".banner", { hasText: text });
  const tile = async (page: Page, state: string): Promise<number> =>
    Number(await page.locator(".state-tile", { hasText: state }).locator(".count").textContent());

  test("shows a create in the table, the charts, the timeline and the latency, and finds it again", async () => {
    const { page, faults } = await open();
    const assigned = await tile(page, "Assigned");
    const name = await create(page);
    const rows = page.getByRole("row");
    const row = rows.filter({ hasText: name });
    await expect.poll(async () => row.textContent()).toMatch(/Assigned\d+ sset–$/);
    await expect.poll(async () => tile(page, "Assigned")).toBe(assigned + 1);
    const chart = page.getByRole("img", { name: /^Rooms by state over time/ });
    await expect.poll(async () => chart.getAttribute("aria-label")).toContain(`Assigned ${assigned + 1}`);
    await expect
      .poll(async () => entry(page, "POST /room/create").textContent())
      .toMatch(new RegExp(`200\\d+ msRoom claimed${name}`));
    const histogram = page.getByRole("img", { name: /^Durations of \d+ creates, 0 failed: \d+ up to/ });
    await expect.poll(async () => histogram.count()).toBe(1);
    // The rooms that filled the pool are one entry.
    await expect.poll(async () => page.getByText(/provisionRoom × \d+/).count()).toBeGreaterThan(0);

    await page.getByRole("searchbox", { name: /^Search rooms/ }).fill(name.slice(0, 12));
    await expect.poll(async () => rows.count()).toBe(2);
    await page.getByRole("searchbox", { name: /^Search rooms/ }).fill("no such room");
    await expect.poll(async () => page.getByText("No room matches.").count()).toBe(1);
    const search = page.getByRole("searchbox", { name: /^Search the timeline/ });
    await search.fill(name);
    await page.getByLabel("Show in the timeline").selectOption("queue");
    await expect
      .poll(async () => page.locator(".entry").allTextContents())
      .toEqual([expect.stringContaining("provisionRoom")]);
    await page.getByLabel("Show in the timeline").selectOption("all");
    await search.fill("200");
    const statuses = async () => new Set(await page.locator(".entry .status").allTextContents());
    await expect.poll(statuses).toEqual(new Set(["200"]));
    expect(faults).toEqual([]);
  });

  test("shows an outage of the platform in pill, banner, timeline, charts and title, and ends it", async () => {
    const { page, faults } = await open();
    expect(await run(page, "Take it down", { How: "reset" })).toBe("204");
    await expect.poll(async () => health(page).textContent()).toContain("Platform down");
    expect(await run(page, "Create a room")).toBe("503");
    await expect.poll(async () => entry(page, "POST /room/create").textContent()).toContain("503");
    await expect.poll(async () => entry(page, "Platform down").count()).toBe(1);
    const failed = page.getByRole("img", { name: /^Durations of \d+ creates, [1-9]\d* failed/ });
    await expect.poll(async () => failed.count()).toBe(1);
    await expect.poll(async () => page.getByRole("img", { name: /outages: [1-9]/ }).count()).toBe(1);
    expect(await page.title()).toBe("! VMR gateway console");
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toBe("/icon-bad.svg");

    await banner(page, "creates return 503").getByRole("button", { name: "Bring it up" }).click();
    await expect.poll(async () => health(page).textContent()).toContain("Platform up");
    await expect.poll(async () => page.locator(".banner").count()).toBe(0);
    await expect.poll(async () => entry(page, "Platform up again").count()).toBe(1);
    expect(await run(page, "Create a room")).toBe("200");
    await run(page, "Make calls fail", { Fault: "500 after the commit", Calls: "20" });
    expect(await run(page, "Create a room")).toBe("503");
    await banner(page, "Calls of the platform fail").getByRole("button").click();
    await expect.poll(async () => page.locator(".banner").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("shows a crash of the gateway's app, and the 500 that its callers got", async () => {
    const { page } = await open();
    running.stack.platform.setLatency({ milliseconds: 20_000 });
    onTestFinished(() => running.stack.platform.setLatency({ milliseconds: 0 }));
    const response = page.waitForResponse((found) => found.url().includes("/actions/"));
    await page.getByRole("button", { name: "Create a room" }).click();
    await expect.poll(() => running.stack.platform.requests().inFlight).toBeGreaterThan(0);
    process.kill(running.gateway.appProcessId() ?? 0, "SIGKILL");
    expect(await (await response).json()).toMatchObject({ status: 500 });
    await expect.poll(async () => entry(page, "Gateway restarting").textContent()).toContain("SIGKILL");
    await expect.poll(async () => entry(page, "Gateway up again").count()).toBe(1);
    await expect.poll(async () => page.locator(".entry .status", { hasText: "500" }).count()).toBe(1);
    await expect.poll(async () => health(page).textContent()).toContain("Gateway up");
  });

  test("lets the contact centre and the token issuer fail, each with a banner that ends it", async () => {
    const { page, faults } = await open();
    await create(page);
    expect(await run(page, "Read it as an agent")).toBe("200");
    await run(page, "Token issuer fails");
    await run(page, "Contact centre fails", { Calls: "7" });
    await expect.poll(async () => health(page).textContent()).toContain("Token issuer down");
    await expect.poll(async () => health(page).textContent()).toContain("7 faults to come");
    for (const text of ["token issuer is down", "contact centre fails"])
      await banner(page, text).getByRole("button").click();
    await expect.poll(async () => page.locator(".banner").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("shows a room's whole life, with durations, participants and what comes next", async () => {
    const { page, faults } = await open();
    const name = await create(page);
    await page.getByRole("row").filter({ hasText: name }).getByRole("link").click();
    await expect.poll(async () => page.evaluate("document.activeElement.textContent")).toBe(`Room ${name}`);
    const present = page.locator('.diagram [aria-current="step"]');
    await expect.poll(async () => present.textContent()).toContain("Assigned");
    await run(page, "Join", { Who: "Citizen", Node: "Node 1" });
    await run(page, "Join", { Who: "Agent", Node: "Node 2" });
    await expect.poll(async () => present.textContent()).toMatch(/Live\d\d:\d\d:\d\d · \d+ s/);
    const facts = page.locator(".life .figure");
    await expect.poll(async () => facts.first().textContent()).toContain("Citizen, Agent · 2 nodes");
    await run(page, "Leave", { Who: "Agent" });
    await expect.poll(async () => page.locator(".entry", { hasText: "Agent left" }).count()).toBe(1);
    await run(page, "Leave", { Who: "Citizen" });
    await expect.poll(async () => present.textContent()).toContain("Being deleted");
    await expect.poll(async () => facts.last().textContent()).toContain("Collect garbage");
    await run(page, "Collect garbage");
    await expect.poll(async () => present.textContent()).toContain("Deleted");

    const titles = async () => page.locator(".life .entry .title").allTextContents();
    const states = ["Being provisioned", "Pooled", "Assigned", "Live", "Ended", "Being deleted", "Deleted"];
    await expect.poll(async () => (await titles()).filter((title) => states.includes(title))).toEqual(states);
    const causes = ["provisionRoom", "POST /room/create", "Citizen joined", "POST /public/event_sink"];
    await expect.poll(titles).toEqual(expect.arrayContaining([...causes, "collectGarbage"]));
    await page.goto(`${running.url}/#/room/nosuch`);
    await expect.poll(async () => page.getByText("There is no such room.").count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test("asks before it deletes, states the number of rooms, and offers to fill an empty pool", async () => {
    const { page, faults } = await open();
    // The replacements of other tests' rooms have arrived: the number that is asked about no longer changes.
    await running.untilProvisioned();
    const rooms = running.stack.platform.roomCount();
    await expect.poll(async () => page.locator("#rooms-title .muted").textContent()).toBe(String(rooms));
    const form = page.getByRole("form", { name: "Delete all rooms" });
    const first = form.getByRole("button", { name: "Delete all rooms" });
    await first.click();
    await form.getByRole("button", { name: "Keep" }).click();
    await first.click();
    expect(running.stack.platform.roomCount()).toBe(rooms);
    await form.getByRole("button", { name: `Delete ${rooms} rooms?` }).click();
    await expect.poll(async () => form.locator("output").textContent()).toContain("204");
    await page.getByText("There is no room.").waitFor();
    await page.locator(".charts").getByRole("button", { name: "Fill the pool" }).click();
    await expect.poll(async () => tile(page, "Pooled")).toBeGreaterThan(10);
    expect(faults).toEqual([]);
  });

  test.each([100, 590])("shows three times below charts of %i seconds", async (seconds) => {
    if (!browser) throw new Error("there is no browser");
    const page = await browser.newPage();
    onTestFinished(async () => page.close());
    const counts = { provisioning: 0, pooled: 3, assigned: 0, live: 0, ended: 0, deleting: 0 };
    const history = Array.from({ length: seconds }, (_, index) => {
      return { time: Date.UTC(2026, 0, 2, 10, 0, index), poolLevel: 3, isOutage: false, counts };
    });
    await page.addInitScript(`window.drawn = []; const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        window.drawn.push(text);
        fillText.call(this, text, ...place);
      };
      const { addEventListener } = EventSource.prototype;
      EventSource.prototype.addEventListener = function (name, listener) {
        const history = ${JSON.stringify(history)};
        const altered = ({ data }) => listener({ data: JSON.stringify({ ...JSON.parse(data), history }) });
        addEventListener.call(this, name, name === "greeting" ? altered : listener);
      };
      // What comes later would make the charts longer.
      const { parse } = JSON;
      JSON.parse = (text) => {
        const value = parse(text);
        return value.poolTarget === undefined ? value : { ...value, time: ${history.at(-1)?.time} };
      };`);
    await page.goto(running.url);
    const times = "new Set(window.drawn.filter(text => /^\\d\\d:\\d\\d:\\d\\d$/.test(text))).size";
    await expect.poll(async () => page.evaluate(times)).toBe(3);
  });

  test("starts in a locale that is not a valid language tag, and reports if it cannot start", async () => {
    if (!browser) throw new Error("there is no browser");
    const page = await browser.newPage();
    onTestFinished(async () => page.close());
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    await page.addInitScript(
      "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })",
    );
    await page.goto(running.url);
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    expect(faults).toEqual([]);
    await page.addInitScript("delete window.EventSource");
    await page.reload();
    await page.getByText("The console could not start: ReferenceError").waitFor();
  });

  test("dims stale data when its server is gone, and shows since when", async () => {
    const another = await running.startAnother();
    const { page } = await openPage(browser, another.url);
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    await another.stop();
    await banner(page, "The console's server does not respond. The page shows the state of").waitFor();
    await expect.poll(async () => health(page).textContent()).toMatch(/connection lost, last update \d\d:/);
    expect(await page.locator("main.stale").count()).toBe(1);
  });

  test("shows the curl line of every action", async () => {
    const { page, faults } = await open();
    const name = await create(page);
    await expect.poll(async () => page.getByLabel("Room for the actions").inputValue()).toBe(name);
    await page.reload();
    await page.evaluate(openAll);
    await expect.poll(async () => page.getByLabel("Room for the actions").inputValue()).toBe(name);
    const { gatewayUrl, platformControlUrl } = running.connection;
    const curlOf = async (action: string) =>
      page.getByRole("form", { name: action, exact: true }).locator(".curl code").textContent();
    // The forms that need a room appear after the others: both numbers are read in each poll.
    await expect
      .poll(
        async () => (await page.getByRole("form").count()) - (await page.locator("form .curl code").count()),
      )
      .toBe(0);
    expect(await curlOf("Delete it")).toBe(
      `curl -i -X DELETE -H "Authorization: Bearer $TOKEN" '${gatewayUrl}/room/${name}'`,
    );
    expect(await curlOf("Slow it down")).toBe(
      `curl -i -X POST -H 'Content-Type: application/json' -d '{"milliseconds":2000}' '${platformControlUrl}/control/latency'`,
    );
    expect(faults).toEqual([]);
  });

  test.each(["light", "dark"] as const)(
    "has no accessibility fault that axe finds in %s colours, full, broken and in a room's life",
    async (scheme) => {
      const { page, faults } = await open();
      await page.emulateMedia({ colorScheme: scheme });
      const name = await create(page);
      await run(page, "Take it down", { How: "reset" });
      await run(page, "Create a room");
      await page.getByRole("button", { name: "Delete all rooms" }).click();
      expect(await accessibilityFaults(page, axeRules)).toEqual([]);
      await page.getByRole("row").filter({ hasText: name }).getByRole("link").click();
      await page.getByRole("heading", { name: "What happened" }).waitFor();
      expect(await accessibilityFaults(page, axeRules)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  // A window of 1280 pixels has 320 at a zoom of 400 %.
  test.each([390, 320])(
    "needs no horizontal scrolling at %i pixels, where actions come before lists",
    async (width) => {
      const { page, faults } = await open(width);
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
      expect(await widest()).toBeLessThanOrEqual(width);
      await page.getByRole("row").filter({ hasText: name }).getByRole("link").click();
      await page.getByRole("heading", { name: "What happened" }).waitFor();
      expect(await widest()).toBeLessThanOrEqual(width);
      expect(faults).toEqual([]);
    },
  );

  test("can be used by keyboard: Tab reaches every control, and Enter runs an action", async () => {
    const { page, faults } = await open();
    await create(page);
    await page.getByRole("searchbox", { name: /^Search rooms/ }).fill("live or no room at all");
    const controls =
      "Array.from(document.querySelectorAll('a, button, input, select, summary, [tabindex=\"0\"]')).filter(part => !part.disabled && !part.closest('.entries'))";
    expect(await page.evaluate(`${controls}.length`)).toBeGreaterThan(60);
    await page.evaluate("document.activeElement.blur(); window.reached = new Set()");
    const missed = `${controls}.filter(part => !window.reached.has(part)).map(part => part.outerHTML.slice(0, 100))`;
    for (let presses = 0; presses < 300; presses += 1) {
      await page.keyboard.press("Tab");
      await page.evaluate("void window.reached.add(document.activeElement)");
      if (presses % 50 === 49 && (await page.evaluate(`${missed}.length`)) === 0) break;
    }
    expect(await page.evaluate(missed)).toEqual([]);
    await page.getByRole("button", { name: "Raise an alarm" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(async () => health(page).textContent()).toContain("1 alarm");
    await run(page, "Clear all alarms");
    expect(faults).toEqual([]);
  });
});
