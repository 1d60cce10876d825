/** A real Chromium for tests of pages: on Linux the one of an npm package, elsewhere the computer's Chrome. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import packagedChromium from "@sparticuz/chromium";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, onTestFinished } from "vitest";

// Containers run as root, for whom Chromium has no sandbox. It opens nothing but pages of this project.
const inContainer = ["--no-sandbox"];

// A busy computer can take longer than the usual 30 seconds.
const timeoutMilliseconds = 200_000;
const unpackedFolder = fileURLToPath(new URL("../../../node_modules/.cache/chromium", import.meta.url));

/** Returns a browser for all tests of the file, or undefined, after one line that says why, if there is none. */
export async function startBrowser(): Promise<Browser | undefined> {
  const launchChrome = async () => chromium.launch({ channel: "chrome" });
  const reasons: string[] = [];
  for (const launch of process.platform === "linux" ? [launchPackaged, launchChrome] : [launchChrome]) {
    const browser = await launch().catch((error: unknown) => void reasons.push(reasonOf(error)));
    if (browser) {
      afterAll(async () => browser.close());
      return browser;
    }
  }
  const advice = "Install Google Chrome to run them.";
  console.error(`The browser tests are skipped, because no browser starts. ${advice} ${reasons.join("; ")}`);
  return undefined;
}

async function launchPackaged(): Promise<Browser> {
  if (!existsSync(unpackedFolder)) await unpack();
  const executablePath = `${unpackedFolder}/chromium`;
  return chromium.launch({ executablePath, args: inContainer, timeout: timeoutMilliseconds });
}

/**
 * Unpacks Chromium into the project. By default, the package starts any file of its name in the computer's temporary
 * folder, also that of another user. Several test files can do this at once.
 */
async function unpack(): Promise<void> {
  await mkdir(dirname(unpackedFolder), { recursive: true });
  const folder = await mkdtemp(`${unpackedFolder}-`);
  const { TMPDIR } = process.env;
  process.env["TMPDIR"] = folder;
  // It reads the variable before it waits for anything.
  const unpacked = packagedChromium.executablePath();
  if (TMPDIR === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = TMPDIR;
  await unpacked;
  await rename(folder, unpackedFolder).catch(() => rm(folder, { recursive: true }));
}

/** Returns the first line that the browser printed, or that of Playwright's error, which also contains a log. */
function reasonOf(error: unknown): string {
  const text = String(error);
  return /\[err\] (.*)/.exec(text)?.[1] ?? text.replace(/\n.*/s, "");
}

/** Opens a page that is closed after the test. Throws if there is no browser. */
export async function openPage(browser: Browser | undefined, url: string, width = 1440) {
  if (!browser) throw new Error("there is no browser");
  const page = await browser.newPage({ locale: "en-US", viewport: { width, height: 1000 } });
  page.setDefaultTimeout(timeoutMilliseconds);
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

/** Returns what axe finds with rules of these tags: severity, rule and elements. */
export async function accessibilityFaults(page: Page, runOnly = axeRules) {
  await page.evaluate(axe.source);
  const options = { runOnly, resultTypes: ["violations"] };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
  return violations.map(({ impact, id, nodes }) => ({ impact, id, elements: nodes.map(({ html }) => html) }));
}
