/** A real Chromium for tests of pages: on Linux the one of an npm package, elsewhere the computer's Chrome. */
import { setTimeout as delay } from "node:timers/promises";
import packagedChromium from "@sparticuz/chromium";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, onTestFinished } from "vitest";

// Containers run as root, for whom Chromium has no sandbox. It opens nothing but pages of this project.
const inContainer = ["--no-sandbox"];

// Two test files can start at once before Chromium has been unpacked: one fails while the other unpacks it.
const attempts = 5;
const pauseMilliseconds = 3000;

/** Returns a browser for all tests of the file, or undefined, after one line on how to get one, if there is none. */
export async function startBrowser(): Promise<Browser | undefined> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const isPackaged = process.platform === "linux" && attempt < attempts;
    const browser = await (isPackaged ? launchPackaged() : chromium.launch({ channel: "chrome" })).catch(
      () => undefined,
    );
    if (browser) {
      afterAll(async () => browser.close());
      return browser;
    }
    await delay(pauseMilliseconds);
  }
  console.error("The browser tests are skipped: no Chromium starts here. Install Google Chrome to run them.");
  return undefined;
}

async function launchPackaged(): Promise<Browser> {
  return chromium.launch({ executablePath: await packagedChromium.executablePath(), args: inContainer });
}

/** Opens a page that is closed after the test. Throws if there is no browser. */
export async function openPage(browser: Browser | undefined, url: string, width = 1440) {
  if (!browser) throw new Error("there is no browser");
  const page = await browser.newPage({ locale: "en-US", viewport: { width, height: 1000 } });
  // A busy computer can take longer than the usual 30 seconds.
  page.setDefaultTimeout(60_000);
  onTestFinished(async () => page.close());
  /** The errors and warnings on the page's console, except failed calls, and the errors that it has thrown. */
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    const isCall = message.text().startsWith("Failed to load resource");
    if (["error", "warning"].includes(message.type()) && !isCall) faults.push(message.text());
  });
  await page.goto(url);
  return { page, faults };
}

const axeRules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Returns what axe finds: severity, rule and elements. */
export async function accessibilityFaults(page: Page) {
  await page.evaluate(axe.source);
  const options = { runOnly: axeRules, resultTypes: ["violations"] };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
  return violations.map(({ impact, id, nodes }) => ({ impact, id, elements: nodes.map(({ html }) => html) }));
}
