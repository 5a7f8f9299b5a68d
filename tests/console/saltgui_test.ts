/**
 * What SaltGUI does with states: the requests of its buttons, with the answers that real salt-api 3006 gave to them
 * (tests/vectors/saltgui_states.json), and its own pages in a browser.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { installSalt } from "../interop/release.ts";
import { gap, openBrowser, openPage } from "./browser.ts";
import { type SaltGuiSite, startSaltGuiSite, USER } from "./saltgui_fleet.ts";
import { type Exchange, exchange } from "./saltgui_requests.ts";

const LONG = { timeout: 180_000 };
const recorded = JSON.parse(
  readFileSync(new URL("../vectors/saltgui_states.json", import.meta.url), "utf8"),
) as Exchange[];

const NODE_ONLY = "Bun" in globalThis || "Deno" in globalThis ? "programs are driven by Node alone" : undefined;
const REAL_GAP = (process.env.BRINE_INTEROP ?? "") === ""
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full"
  : undefined;

for (
  const { kind, skip } of [{ kind: "brine", skip: NODE_ONLY }, { kind: "3006", skip: NODE_ONLY ?? REAL_GAP }] as const
) {
  test(`requests of SaltGUI's pages about states, answered by ${kind}`, { ...LONG, skip: skip ?? false }, async () => {
    if (kind !== "brine") assert.equal(installSalt(kind), undefined);
    const site = await startSaltGuiSite(kind);
    try {
      assert.deepEqual(await exchange(site), recorded);
    } finally {
      await site.stop();
    }
  });
}

const checkout = process.env.BRINE_SALTGUI ?? "";
const pages = path.join(checkout, "saltgui");
const PAGES_GAP = checkout === ""
  ? "NOT TESTED WITH SALTGUI ITSELF: clone erwindon/SaltGUI from GitHub, and set BRINE_SALTGUI to that directory"
  : existsSync(path.join(pages, "index.html"))
  ? undefined
  : `BRINE_SALTGUI is "${checkout}", which has no saltgui/index.html`;

describe("SaltGUI in a browser", { skip: gap ?? PAGES_GAP ?? false }, () => {
  let site: SaltGuiSite;
  let browser: Browser;
  let page: Page;
  let complaints: string[];

  before(async () => {
    [site, browser] = await Promise.all([startSaltGuiSite("brine", pages), openBrowser()]);
    ({ page, complaints } = await openPage(browser, "about:blank"));
    // The file of a checkout that says which ways to sign in there are.
    await page.route("**/static/salt-auth.txt", (route) => route.fulfill({ body: `CLEAR\n${USER.eauth}\n` }));
    await page.goto(`${site.url}/`);
    await page.locator("#username").fill(USER.username);
    await page.locator("#password").fill(USER.password);
    await page.locator("#login-button").click();
    await page.waitForURL(/#minions/);
  }, LONG);

  after(async () => {
    await browser?.close();
    await site?.stop();
    assert.deepEqual(complaints, []);
  }, LONG);

  /** Runs what a button has put into the command box, and gives what is shown of it. */
  async function runCommand(): Promise<string> {
    await page.locator(".run-command input[type=submit]").click();
    const output = page.locator(".run-command pre");
    await output.getByText(/^\d+ (?:succeeded|skipped|failed)/).waitFor();
    const text = await output.innerText();
    await page.locator("#cmd-close-button").click();
    return text;
  }

  /** Opens the page anew, and waits until it has looked for the last job. */
  async function openHighState(): Promise<void> {
    await page.goto(`${site.url}/#highstate`);
    await page.reload();
    await page.locator("#highstate-table tbody").locator(".tasks, .no-job-details").first().waitFor();
  }

  /** A button of the minion's own menu, which opens under the mouse. */
  async function press(button: RegExp): Promise<void> {
    const row = page.locator("#highstate-table tbody tr").first();
    await row.locator(".menu-dropdown").hover();
    await row.locator(".run-command-button", { hasText: button }).last().click();
  }

  const motd = () => path.join(site.directory, site.minion, "run", "motd");

  test("Test state… shows what would change, and changes nothing", LONG, async () => {
    await openHighState();
    await press(/^Test.state…$/);
    const text = await runCommand();
    assert.match(text, /motd is set to be changed/);
    assert.match(text, /^1 succeeded, 1 skipped, 2 failed, 4 total, 1 change(?:, [\d.]+ m?s)?$/m);
    assert.ok(!existsSync(motd()));
  });

  test("Apply state… applies them, and the page shows a circle for each", LONG, async () => {
    await openHighState();
    await press(/^Apply.state…$/);
    const text = await runCommand();
    assert.match(text, /the disk is full/);
    assert.match(text, /^2 succeeded, 2 failed, 4 total, 1 change(?:, [\d.]+ m?s)?$/m);
    assert.equal(readFileSync(motd(), "utf8"), "welcome to web\n");
    await openHighState();
    const circles = await page.locator("#highstate-table .tasks .task").all();
    const classes = await Promise.all(circles.map((circle) => circle.getAttribute("class")));
    assert.deepEqual(classes.map((name) => /task-\S+/.exec(name!)?.[0]), [
      "task-success-changes",
      "task-success",
      "task-failure",
      "task-failure",
    ]);
  });

  test("a click on a circle applies that state alone", LONG, async () => {
    await openHighState();
    await page.locator("#highstate-table .tasks .task").nth(1).click();
    const text = await runCommand();
    assert.match(text, /quiet \(from common\.sls\)/);
    assert.match(text, /^1 succeeded(?:, [\d.]+ m?s)?$/m);
  });

  test("the page of orchestrations shows what there is", LONG, async () => {
    await page.goto(`${site.url}/#orchestrations`);
    await page.locator("#page-orchestrations").getByText(/Too many functions declared in state 'base'/).first()
      .waitFor();
  });
});
