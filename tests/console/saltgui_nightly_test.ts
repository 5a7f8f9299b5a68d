/**
 * What SaltGUI does: the requests of its pages and buttons, with the answers that real salt-api 3006 gave to them
 * (tests/vectors/saltgui_states.json, saltgui_automation.json), and its own pages in a browser.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { installSalt } from "../interop/release.ts";
import { gap, openBrowser, openPage } from "./browser.ts";
import { AUTOMATION, AUTOMATION_STEPS } from "./saltgui_automation.ts";
import { type SaltGuiSite, startSaltGuiSite, USER } from "./saltgui_fleet.ts";
import { type Exchange, exchange } from "./saltgui_requests.ts";

const LONG = { timeout: 180_000 };
const vectorsOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8")) as Exchange[];

const NODE_ONLY = "Bun" in globalThis || "Deno" in globalThis ? "programs are driven by Node alone" : undefined;
const REAL_GAP = (process.env.BRINE_INTEROP ?? "") === ""
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full"
  : undefined;

const KINDS = [{ kind: "brine", skip: NODE_ONLY }, { kind: "3006", skip: NODE_ONLY ?? REAL_GAP }] as const;

for (const { kind, skip } of KINDS) {
  test(`requests of SaltGUI's pages about states, answered by ${kind}`, { ...LONG, skip: skip ?? false }, async () => {
    if (kind !== "brine") assert.equal(installSalt(kind), undefined);
    const site = await startSaltGuiSite(kind);
    try {
      assert.deepEqual(await exchange(site), vectorsOf("saltgui_states"));
    } finally {
      await site.stop();
    }
  });

  describe(`requests of SaltGUI's other pages, answered by ${kind}`, { skip: skip ?? false }, () => {
    let answers: Exchange[] = [];
    before(async () => {
      if (kind !== "brine") assert.equal(installSalt(kind), undefined);
      const site = await startSaltGuiSite(kind, undefined, AUTOMATION);
      try {
        answers = await exchange(site, AUTOMATION_STEPS);
      } finally {
        await site.stop();
      }
    }, LONG);
    for (const [at, recorded] of vectorsOf("saltgui_automation").entries()) {
      test(recorded.name, () => assert.deepEqual(answers[at], recorded));
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
    [site, browser] = await Promise.all([startSaltGuiSite("brine", pages, AUTOMATION), openBrowser()]);
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

  /** Opens a page of a minion, and waits for its rows. */
  async function openOf(name: string): Promise<void> {
    await page.goto(`${site.url}/?minionid=${site.minion}#${name}`);
    await page.reload();
    await page.locator(`#${name}-table tbody tr`).first().waitFor();
  }

  /** A row of such a page, as text. */
  const rowOf = async (name: string, key: string) =>
    (await page.locator(`#${name}-table tbody tr`, { hasText: key }).first().innerText()).replace(/\s+/g, " ");

  /** Presses a button of a row's menu, and runs the command that it has put into the box. */
  async function pressAndRun(name: string, key: string, button: RegExp): Promise<string> {
    const row = page.locator(`#${name}-table tbody tr`, { hasText: key }).first();
    await row.locator(".menu-dropdown").hover();
    await row.locator(".run-command-button", { hasText: button }).last().click();
    await page.locator(".run-command input[type=submit]").click();
    const output = page.locator(".run-command pre");
    await output.getByText(/comment/).first().waitFor();
    const text = await output.innerText();
    await page.locator("#cmd-close-button").click();
    return text;
  }

  test("the pages of schedules show jobs, and their buttons change them", LONG, async () => {
    await page.goto(`${site.url}/#schedules`);
    await page.locator("#schedules-table").getByText("2 schedules").waitFor();
    await openOf("schedules-minion");
    assert.match(await rowOf("schedules-minion", "nightly"), /nightly \{ "function": "test\.ping", "hours": 24 \}/);
    assert.match(
      await pressAndRun("schedules-minion", "nightly", /^Disable.job…$/),
      /Disabled Job nightly in schedule/,
    );
    await openOf("schedules-minion");
    assert.match(await rowOf("schedules-minion", "nightly"), /"enabled": false/);
    assert.match(await pressAndRun("schedules-minion", "nightly", /^Enable.job…$/), /Enabled Job nightly in schedule/);
    assert.match(await pressAndRun("schedules-minion", "nightly", /^Run.job…$/), /Scheduling Job nightly on minion/);
    assert.match(await pressAndRun("schedules-minion", "off", /^Delete.job…$/), /Deleted Job off from schedule/);
    await openOf("schedules-minion");
    assert.equal(await page.locator("#schedules-minion-table tbody tr").count(), 1);
  });

  test("the pages of beacons show what is configured, and their buttons change it", LONG, async () => {
    await page.goto(`${site.url}/#beacons`);
    await page.locator("#beacons-table").getByText("2 beacons").waitFor();
    await openOf("beacons-minion");
    assert.match(
      await rowOf("beacons-minion", "ps"),
      /ps \{ "interval": 7200, "processes": \{ "nosuch": "stopped" \} \}/,
    );
    assert.match(
      await pressAndRun("beacons-minion", "memusage", /^Enable.beacon…$/),
      /Enabled beacon memusage on minion/,
    );
    assert.match(await pressAndRun("beacons-minion", "ps", /^Disable.beacon…$/), /Disabled beacon ps on minion/);
    assert.match(await pressAndRun("beacons-minion", "ps", /^Delete.beacon…$/), /Deleted beacon: ps/);
    await openOf("beacons-minion");
    assert.equal(await page.locator("#beacons-minion-table tbody tr").count(), 1);
  });

  test("the pages of node groups, templates, reactors and jobs show what there is", LONG, async () => {
    for (
      const [name, text] of [["nodegroups", "2 nodegroups"], ["templates", "ping all"], ["reactors", "my/never/*"], [
        "jobs",
        "state.apply",
      ]] as const
    ) {
      await page.goto(`${site.url}/#${name}`);
      await page.locator(`#page-${name}`).getByText(text).first().waitFor();
    }
  });

  test("the page of orchestrations shows what there is", LONG, async () => {
    await page.goto(`${site.url}/#orchestrations`);
    await page.locator("#page-orchestrations").getByText(/Too many functions declared in state 'base'/).first()
      .waitFor();
  });
});
