/** The console in a real browser: what it shows, what its actions do, and whether everybody can use it. */
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test, vi } from "vitest";
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

  /** Runs an action and returns the status and text that it shows. */
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
    await form.getByRole("button").click();
    const { status, text } = await (await response).json();
    await expect.poll(async () => form.locator("output").textContent()).toContain(text);
    return `${status ?? "No response"} ${text}`;
  }

  async function create(page: Page): Promise<string> {
    const shown = await run(page, "Create a room");
    const [, name] = /"name":"([^"]+)"/.exec(shown) ?? [];
    if (name === undefined) throw new Error(`the create responded with ${shown}`);
    return name;
  }

  const tile = async (page: Page, state: string): Promise<number> =>
    Number(await page.locator(".state-tile", { hasText: state }).locator(".count").textContent());

  test("shows a create in the table, the charts, the timeline and the latency", async () => {
    const { page, faults } = await open();
    const assigned = await tile(page, "Assigned");
    const name = await create(page);

    const row = page.getByRole("row").filter({ hasText: name });
    await expect.poll(async () => row.textContent()).toMatch(/Assigned\d+ sset–$/);
    await expect.poll(async () => tile(page, "Assigned")).toBe(assigned + 1);
    const chart = page.getByRole("img", { name: /^Rooms by state over time/ });
    await expect.poll(async () => chart.getAttribute("aria-label")).toContain(`Assigned ${assigned + 1}`);
    const timeline = page.getByRole("region", { name: "List of what happened" });
    const entry = timeline.getByRole("listitem").filter({ hasText: "POST /room/create" }).first();
    await expect.poll(async () => entry.textContent()).toMatch(/200\d+ msRoom claimed/);
    await expect.poll(async () => entry.textContent()).toContain(name);
    const histogram = page.getByRole("img", { name: /^Durations of \d+ creates: \d+ up to/ });
    await expect.poll(async () => histogram.count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test("finds rooms by name and state, and entries of the timeline by room", async () => {
    const { page, faults } = await open();
    const name = await create(page);
    const rows = page.getByRole("row");
    await expect.poll(async () => rows.count()).toBeGreaterThan(20);
    await page.getByRole("searchbox", { name: /^Search rooms/ }).fill(name.slice(0, 12));
    await expect.poll(async () => rows.count()).toBe(2);
    await page.getByRole("searchbox", { name: /^Search rooms/ }).fill("no such room");
    await expect.poll(async () => page.getByText("No room matches.").count()).toBe(1);

    await page.getByRole("searchbox", { name: /^Search the timeline/ }).fill(name);
    const entries = page.locator(".entry");
    await expect.poll(async () => entries.count()).toBe(2);
    await page.getByLabel("Show in the timeline").selectOption("queue");
    await expect
      .poll(async () => entries.allTextContents())
      .toEqual([expect.stringContaining("provisionRoom")]);
    expect(faults).toEqual([]);
  });

  test("causes an outage that changes the response of a create, and heals it", async () => {
    const { page, faults } = await open();
    const health = page.getByRole("list", { name: "Parts around the gateway" });
    expect(await run(page, "Take it down", { How: "reset" })).toMatch(/^204/);
    await expect.poll(async () => health.textContent()).toContain("Platform down");
    expect(await run(page, "Create a room")).toMatch(/^503/);
    const failed = page.locator(".entry.bad", { hasText: "POST /room/create" });
    await expect.poll(async () => failed.count()).toBeGreaterThan(0);

    await run(page, "Bring it up");
    await expect.poll(async () => health.textContent()).toContain("Platform up");
    expect(await run(page, "Create a room")).toMatch(/^200/);
    expect(faults).toEqual([]);
  });

  test.each([
    ["429 too many requests", /^503/],
    ["500 after the commit", /^503/],
  ])("lets platform calls fail with %s, which a create reports", async (fault, expected) => {
    const { page, faults } = await open();
    await run(page, "Make calls fail", { Fault: fault, Calls: "20" });
    expect(await run(page, "Create a room")).toMatch(expected);
    await run(page, "Clear all faults");
    expect(faults).toEqual([]);
  });

  test("shows a room's whole life, from provisioned to deleted", async () => {
    const { page, faults } = await open();
    const name = await create(page);
    const row = page.getByRole("row").filter({ hasText: name });
    await row.getByRole("link").click();
    await expect.poll(async () => page.evaluate("document.activeElement.textContent")).toBe(`Room ${name}`);
    const present = page.locator('.diagram [aria-current="step"]');
    await expect.poll(async () => present.textContent()).toContain("Assigned");

    await run(page, "Join", { Who: "Citizen", Node: "Node 1" });
    await run(page, "Join", { Who: "Agent", Node: "Node 2" });
    await expect.poll(async () => present.textContent()).toContain("Live");
    const facts = page.locator(".life .figure");
    await expect.poll(async () => facts.textContent()).toContain("Citizen, Agent · 2 nodes");
    await run(page, "Leave", { Who: "Agent" });
    await run(page, "Leave", { Who: "Citizen" });
    await expect.poll(async () => present.textContent()).toMatch(/Ended|Being deleted/);
    await expect.poll(async () => present.textContent()).toContain("Being deleted");
    await run(page, "Collect garbage");
    await expect.poll(async () => present.textContent()).toContain("Deleted");

    const titles = async () => page.locator(".life .entry .title").allTextContents();
    const states = ["Being provisioned", "Pooled", "Assigned", "Live", "Ended", "Being deleted", "Deleted"];
    await expect.poll(async () => (await titles()).filter((title) => states.includes(title))).toEqual(states);
    const causes = ["provisionRoom", "POST /room/create", "POST /public/event_sink", "collectGarbage"];
    await expect.poll(titles).toEqual(expect.arrayContaining(causes));
    expect(faults).toEqual([]);
  });

  test("shows for every action the curl line of what it does", async () => {
    const { page, faults } = await open();
    const name = await create(page);
    await expect.poll(async () => page.getByLabel("Room for the actions").inputValue()).toBe(name);
    const { gatewayUrl, platformControlUrl } = running.connection;
    const curlOf = async (action: string) =>
      page.getByRole("form", { name: action, exact: true }).locator("code").textContent();
    const formCount = await page.getByRole("form").count();
    await expect.poll(async () => page.locator("form code").count()).toBe(formCount);
    expect(await curlOf("Delete it")).toBe(
      `curl -i -X DELETE -H "Authorization: Bearer $TOKEN" '${gatewayUrl}/room/${name}'`,
    );
    expect(await curlOf("Slow it down")).toBe(
      `curl -i -X POST -H 'Content-Type: application/json' -d '{"milliseconds":2000}' '${platformControlUrl}/control/latency'`,
    );
    expect(faults).toEqual([]);
  });

  test.each(["light", "dark"] as const)(
    "has no accessibility fault that axe finds in %s colours",
    async (scheme) => {
      const { page, faults } = await open();
      await page.emulateMedia({ colorScheme: scheme });
      const name = await create(page);
      await run(page, "Take it down", { How: "reset" });
      await run(page, "Create a room");
      expect(await accessibilityFaults(page, axeRules)).toEqual([]);
      await page.getByRole("row").filter({ hasText: name }).getByRole("link").click();
      await page.getByRole("heading", { name: "What happened" }).waitFor();
      expect(await accessibilityFaults(page, axeRules)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  // A window of 1280 pixels has 320 at a zoom of 400 %.
  test.each([
    ["a phone's width", 390],
    ["a zoom of 400 %", 320],
  ])("needs no horizontal scrolling at %s", async (_, width) => {
    const { page, faults } = await open(width);
    const name = await create(page);
    await run(page, "Join");
    await expect.poll(async () => page.locator("td", { hasText: "1 node" }).count()).toBeGreaterThan(0);
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
  });

  test("can be used by keyboard: Tab reaches every control, and Enter runs an action", async () => {
    const { page, faults } = await open();
    await create(page);
    await page.getByRole("searchbox", { name: /^Search rooms/ }).fill("live or no room at all");
    const controls =
      "Array.from(document.querySelectorAll('a, button, input, select, summary, [tabindex=\"0\"]')).filter(part => !part.disabled && !part.closest('.entries'))";
    const all = await page.evaluate(`${controls}.length`);
    expect(all).toBeGreaterThan(60);
    await page.evaluate("document.activeElement.blur(); window.reached = new Set()");
    for (let presses = 0; presses < 400; presses += 1) {
      await page.keyboard.press("Tab");
      await page.evaluate("void window.reached.add(document.activeElement)");
    }
    const missed = await page.evaluate(
      `${controls}.filter(part => !window.reached.has(part)).map(part => part.outerHTML.slice(0, 100))`,
    );
    expect(missed).toEqual([]);

    await page.getByRole("button", { name: "Raise an alarm" }).focus();
    await page.keyboard.press("Enter");
    const health = page.getByRole("list", { name: "Parts around the gateway" });
    await expect.poll(async () => health.textContent()).toContain("1 alarm");
    await run(page, "Clear all alarms");
    expect(faults).toEqual([]);
  });

  test("lets the contact centre and the token issuer fail", async () => {
    const { page, faults } = await open();
    const health = page.getByRole("list", { name: "Parts around the gateway" });
    await create(page);
    expect(await run(page, "Read it as an agent")).toMatch(/^200/);
    await run(page, "Token issuer fails");
    await expect.poll(async () => health.textContent()).toContain("Token issuer down");
    await run(page, "Token issuer recovers");
    await run(page, "Contact centre fails", { Calls: "7" });
    await expect.poll(async () => health.textContent()).toContain("7 faults to come");
    await run(page, "Contact centre recovers");
    await expect.poll(async () => health.textContent()).toContain("Contact centre up");
    expect(faults).toEqual([]);
  });
});
