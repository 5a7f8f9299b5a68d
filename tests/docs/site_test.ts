/**
 * The site of the documents, as a reader has it: built, opened from its files in a browser, without a server. `npm run test:docs`
 * runs it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { buildSite } from "../../scripts/site.ts";
import { gap, openBrowser } from "../console/browser.ts";

const asked = process.env.BRINE_DOCS;
const notNode = process.versions.bun !== undefined || process.versions.deno !== undefined;
// The site does not need the console.
const noBrowser = gap?.startsWith("Chromium") === true ? gap : undefined;
const skip = asked !== "all" ? "npm run test:docs runs it" : notNode ? "browser tests run on Node only" : noBrowser;

describe("the site of the documents", { skip: skip ?? false, timeout: 180_000 }, () => {
  const out = mkdtempSync(path.join(tmpdir(), "brine-site-"));
  const here = pathToFileURL(`${out}/`).href;
  let pages: string[] = [];
  let browser: Awaited<ReturnType<typeof openBrowser>>;

  before(async () => {
    pages = await buildSite(out);
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    rmSync(out, { recursive: true, force: true });
  });

  /** A page, what it asked for, and what went wrong on it. */
  async function open(address: string) {
    const page = await browser.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(here + address);
    return { page, requests, complaints };
  }

  test("every page opens from its file, and asks for files of the site alone", async () => {
    assert.ok(pages.length > 30, `${pages.length} pages`);
    for (const address of pages) {
      const { page, requests, complaints } = await open(address);
      assert.deepEqual(complaints, [], address);
      assert.deepEqual(requests.filter((url) => !url.startsWith(here) && !url.startsWith("data:")), [], address);
      assert.notEqual(await page.locator("main h1").innerText(), "", address);
      assert.equal(await page.locator("nav a[aria-current=page]").count(), 1, `${address} in the menu`);
      await page.close();
    }
  });

  test("the search finds a page by a word, and leads to it", async () => {
    const { page, requests, complaints } = await open("index.html");
    await page.getByLabel("Search").fill("beacons");
    const found = page.locator(".found a", { hasText: "Beacons" }).first();
    await found.waitFor();
    await found.click();
    await page.waitForURL(/beacons\.html/);
    assert.match(await page.locator("main h1").innerText(), /Beacons/);
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests.filter((url) => !url.startsWith(here) && !url.startsWith("data:")), []);
    await page.close();
  });

  test("the search says that it found nothing", async () => {
    const { page } = await open("index.html");
    await page.getByLabel("Search").fill("xyzzyqwert");
    await page.getByText("Nothing found.").waitFor();
    await page.close();
  });
});
