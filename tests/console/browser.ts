/** The browser for the tests of the console, and why they are skipped without one. */
import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Browser, BrowserContext, Page } from "playwright-core";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

const chromium = [process.env.CHROMIUM ?? "", ...PLACES].find((place) => place !== "" && existsSync(place));

const built = existsSync(path.resolve(import.meta.dirname, "../../dist/console/index.html"));

/** Why the browser tests are skipped; undefined if they can run. */
export const gap: string | undefined = "Bun" in globalThis || "Deno" in globalThis
  ? "browser tests run on Node only"
  : chromium === undefined
  ? "Chromium not found: install it, or set CHROMIUM to its path"
  : built
  ? undefined
  : "the console is not built: npm run build:console";

/** @param words for its command line, beside those that it always has */
export async function openBrowser(...words: string[]): Promise<Browser> {
  const { chromium: driver } = await import("playwright-core");
  return await driver.launch({ executablePath: chromium!, args: ["--no-sandbox", ...words] });
}

/** A page with the errors that its browser reported. */
export interface Tried {
  page: Page;
  context: BrowserContext;
  complaints: string[];
}

export async function openPage(browser: Browser, url: string, width = 1280, height = 800): Promise<Tried> {
  const context = await browser.newContext({
    viewport: { width, height },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // Some tests provoke refused requests.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text());
    }
  });
  await page.goto(url);
  return { page, context, complaints };
}

export async function signIn(page: Page, eauth: string, username: string, password: string): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Authentication system").selectOption(eauth);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Waits until the page has its event stream: what is fired before that is never seen by it. */
export async function waitForEvents(page: Page): Promise<void> {
  await page.getByRole("status").getByText("Live", { exact: true }).waitFor();
}
