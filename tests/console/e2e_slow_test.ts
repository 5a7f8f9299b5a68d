/** The console in a browser, with a fake API. `real_slow_test.ts` runs it with real servers. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { until } from "../../bench/bed/until.ts";
import { gap, openBrowser, openPage, signIn, type Tried, waitForEvents } from "./browser.ts";
import { FakeApi, PASSWORD } from "./fake_api.ts";

const LONG = { timeout: 60_000 };

describe("the console in a browser", { skip: gap ?? false }, () => {
  let browser: Browser;
  let api: FakeApi;
  const opened: Tried[] = [];

  async function enter(width?: number, height?: number): Promise<Tried> {
    const tried = await openPage(browser, api.url, width, height);
    opened.push(tried);
    await signIn(tried.page, "file", "ada", PASSWORD);
    await tried.page.getByText("4,900", { exact: true }).waitFor();
    await waitForEvents(tried.page);
    return tried;
  }

  const go = (page: Page, hash: string) => page.evaluate(`void (location.hash = ${JSON.stringify(hash)})`);

  before(async () => {
    browser = await openBrowser();
    api = await new FakeApi({ minions: 5000, pending: 2, returnsPerSecond: 1000 }).open();
  }, LONG);

  after(async () => {
    await browser?.close();
    await api?.close();
    // No page violated its own policy or threw.
    assert.deepEqual(opened.flatMap(({ complaints }) => complaints), []);
  }, LONG);

  test("a wrong password shows a remedy, and the username is remembered without the password", LONG, async () => {
    const { page, context } = await openPage(browser, api.url);
    await signIn(page, "file", "ada", "wrong");
    await page.getByRole("alert").getByText("external_auth").waitFor();
    assert.equal(await page.getByLabel("Password").inputValue(), "");
    await signIn(page, "file", "ada", PASSWORD);
    await page.getByRole("heading", { name: "Fleet" }).waitFor();
    const stored = await page.evaluate<string>("JSON.stringify({ ...localStorage })");
    assert.ok(stored.includes("ada") && !stored.includes(PASSWORD) && !stored.includes("token"));
    await page.reload();
    await page.getByRole("heading", { name: "Fleet" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Password").waitFor();
    assert.equal(await page.getByLabel("Username").inputValue(), "ada");
    await context.close();
  });

  test("five thousand minions are listed, with only the visible rows in the document", LONG, async () => {
    const { page, context } = await enter();
    const grid = page.getByRole("grid", { name: "Minions" });
    assert.equal(await grid.getAttribute("aria-rowcount"), "5000");
    assert.ok(await grid.getByRole("row").count() < 60);
    await grid.press("End");
    await page.getByText("web1250.example").waitFor();
    assert.ok(await grid.getByRole("row").count() < 60);
    await grid.press("Enter");
    await page.getByRole("heading", { name: "web1250.example" }).waitFor();
    await context.close();
  });

  test("minions are sorted, filtered and selected, and a function is run on those", LONG, async () => {
    const { page, context } = await enter();
    const grid = page.getByRole("grid", { name: "Minions" });
    const filters = page.getByRole("complementary", { name: "Filters" });
    await filters.getByText("Debian 12").waitFor();
    await filters.getByText(/Grains of/).waitFor({ state: "detached" });
    await filters.getByRole("checkbox", { name: /Debian 12/ }).check();
    await page.getByText("1,664 with these filters").waitFor();
    assert.equal(await grid.getAttribute("aria-rowcount"), "1664");
    await filters.getByRole("checkbox", { name: /Brine 0\.1\.0/ }).check();
    await page.getByText("236 with these filters").waitFor();
    await grid.getByRole("button", { name: "Minion", exact: true }).click();
    const header = grid.getByRole("columnheader", { name: "Minion", exact: true });
    assert.equal(await header.getAttribute("aria-sort"), "descending");
    assert.match((await grid.getByRole("row").nth(1).textContent())!, /web1239\.example/);
    await grid.focus();
    for (const key of ["Home", "Space", "ArrowDown", "Space"]) await page.keyboard.press(key);
    await page.getByRole("region", { name: "Selected minions" }).getByText("2 minions selected").waitFor();
    await page.getByRole("button", { name: "Delete keys" }).click();
    await page.getByRole("dialog").getByText("web1239.example").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    assert.ok(!api.calls.some(({ fun }) => fun === "key.delete_dict"));
    await page.getByLabel("Select all listed").check();
    await page.getByRole("link", { name: "Run on these" }).click();
    await page.locator("#target-preview").getByText("236 minions").waitFor();
    await context.close();
  });

  test("keys that wait are accepted and rejected on the fleet page, unless they were replaced", LONG, async () => {
    const waitingApi = await new FakeApi({ minions: 5, pending: 5 }).open();
    try {
      const { page, context } = await openPage(browser, waitingApi.url);
      await signIn(page, "file", "ada", PASSWORD);
      const waiting = page.getByRole("region", { name: "Minions with a pending key" });
      await waiting.getByText("5 minions wait to be accepted").waitFor();
      assert.equal(await waiting.getByRole("listitem").count(), 3);
      waitingApi.fingers["new2.example"] = "de:ad:be:ef";
      await waiting.getByRole("button", { name: "Accept new1.example" }).click();
      const row = (id: string) => waiting.getByRole("listitem").filter({ hasText: id });
      await row("new1.example").getByText("accepted").waitFor();
      await waiting.getByRole("button", { name: "Accept new2.example" }).click();
      await row("new2.example").getByText("has changed since the page showed it").waitFor();
      await row("new2.example").getByText("de:ad:be:ef").waitFor();
      await waiting.getByRole("button", { name: "Reject new3.example" }).click();
      await row("new3.example").getByText("deleted").waitFor();
      assert.deepEqual(
        waitingApi.calls.filter(({ fun }) => /^key\.(?:accept|reject)/.test(String(fun))).map(({ match }) => match),
        [{ minions_pre: ["new1.example"] }, { minions_pre: ["new3.example"] }],
      );
      await context.close();
    } finally {
      await waitingApi.close();
    }
  });

  test("an account that may not accept keys is not offered that", LONG, async () => {
    const waitingApi = await new FakeApi({ minions: 5, pending: 1, perms: [".*", { "@wheel": ["key.list_all"] }] })
      .open();
    try {
      const { page, context } = await openPage(browser, waitingApi.url);
      await signIn(page, "file", "ada", PASSWORD);
      await page.getByText("This account may not accept or reject keys.").waitFor();
      assert.equal(await page.getByRole("button", { name: /Accept/ }).count(), 0);
      await context.close();
    } finally {
      await waitingApi.close();
    }
  });

  test("what minions choose is shown as text: no markup, no control characters, bounded in size", LONG, async () => {
    const hostile = await new FakeApi({ minions: 2, pending: 0 }).open();
    try {
      const ids = ["<img src=x onerror=alert(1)>", "\u202e1bew", "web\u001b[0m1", "constructor", "__proto__"];
      for (const id of ids) hostile.accepted.add(id);
      hostile.pending.add("\u202e2bew");
      const tried = await openPage(browser, hostile.url);
      opened.push(tried);
      const { page, context } = tried;
      page.on("dialog", () => tried.complaints.push("a dialog was opened"));
      await signIn(page, "file", "ada", PASSWORD);
      await page.getByRole("grid").getByText(ids[0]!).waitFor();
      const seen = [await page.locator("#app").textContent()];
      await go(page, "#/jobs/20260101000000000001");
      await page.getByText("Job not found").or(page.getByText("Unknown job")).first().waitFor();
      const jid = "20260101000000000001";
      const returns = [
        "<script>alert(1)</script>",
        "A".repeat(5_000_000),
        { "\u2066<b>": "\u0000" },
        [[[]]],
        "\u202ex\ny",
      ];
      await waitForEvents(page);
      hostile.fire(`salt/job/${jid}/new`, { jid, fun: "cmd.run", arg: ["\u202e<b>"], tgt: "*", minions: ids });
      ids.forEach((id, at) =>
        hostile.fire(`salt/job/${jid}/ret/${id}`, { id, jid, return: returns[at], retcode: 0, success: true })
      );
      await page.getByText("Finished on 5 minions").waitFor();
      await page.getByRole("button", { name: "Expand all" }).click();
      await page.getByText(/4,950,000 characters more/).waitFor();
      seen.push(await page.locator("#app").textContent());
      await go(page, "#/events");
      await page.getByText(`salt/job/${jid}/ret/constructor`).waitFor();
      seen.push(await page.locator("#app").textContent());
      // deno-lint-ignore no-control-regex
      for (const text of seen) assert.doesNotMatch(text!, /[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/);
      assert.equal(await page.locator("#app img, #app script").count(), 0);
      await context.close();
    } finally {
      await hostile.close();
    }
  });

  test("a target is previewed while it is typed", LONG, async () => {
    const { page, context } = await enter();
    await page.keyboard.press("/");
    await page.keyboard.type("web12?");
    await page.keyboard.type("?.example");
    const preview = page.locator("#target-preview");
    await preview.getByText("51 minions").waitFor();
    await page.getByLabel("Target type").selectOption("grain");
    await page.getByRole("textbox", { name: "Target" }).fill("os:Debian");
    // Every third minion of each of four kinds.
    await preview.getByText("1,664 minions").waitFor();
    assert.ok(!(await preview.textContent())!.includes("no known grains"));
    await page.getByLabel("Target type").selectOption("pillar");
    await preview.getByText("1,250 minions").waitFor();
    assert.ok(!api.calls.some(({ fun }) => fun === "test.ping"));
    await context.close();
  });

  test("a command is confirmed, followed, and shown with its failures first", LONG, async () => {
    const { page, context } = await enter();
    await go(page, "#/run?tgt=web0*");
    await page.getByRole("combobox", { name: "Function" }).fill("cmd.run");
    await page.getByRole("textbox", { name: "cmd" }).fill("df -h");
    await page.getByRole("combobox", { name: "Function" }).fill("cmd.rnu");
    await page.getByText("has no function cmd.rnu. Did you mean").waitFor();
    await page.getByRole("button", { name: "cmd.run", exact: true }).click();
    await page.getByRole("textbox", { name: "cmd" }).fill("df -h");
    await page.getByRole("button", { name: "Run on 999 minions" }).click();
    await page.getByRole("dialog").getByText("999 minions").first().waitFor();
    await page.getByRole("dialog").getByText("salt 'web0*' cmd.run 'df -h'").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Run on 999 minions" }).click();
    await page.getByRole("heading", { name: "cmd.run df -h" }).waitFor();
    const sent = api.calls.findLast(({ client }) => client === "local_async")!;
    assert.deepEqual([sent.fun, sent.arg, sent.tgt, sent.tgt_type], ["cmd.run", ["df -h"], "web0*", "glob"]);
    // Silent minions are asked after a while, and given up when they do not know the job.
    await page.getByText("Finished on 999 minions").waitFor({ timeout: 40_000 });
    assert.equal(await page.getByRole("button", { name: "Cancel", exact: true }).count(), 0);
    const first = page.getByRole("grid", { name: "Returns" }).getByRole("row").first();
    assert.match((await first.textContent())!, /failed.*No such file/);
    assert.equal(await page.getByRole("button", { name: /^5 no answer/ }).count(), 1);
    await page.getByRole("button", { name: /^5 no answer/ }).click();
    assert.equal(await page.getByRole("grid", { name: "Returns" }).getAttribute("aria-rowcount"), "5");
    await page.getByRole("button", { name: "Copy as JSON" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = JSON.parse(await page.evaluate<string>("navigator.clipboard.readText()"));
    assert.equal(Object.keys(copied.result).length, 999);
    await page.getByRole("link", { name: "Run again", exact: true }).click();
    await page.locator(".field-input", { has: page.getByLabel("cmd") }).getByText("text", { exact: true }).waitFor();
    assert.equal(await page.getByRole("textbox", { name: "cmd" }).inputValue(), "df -h");
    await context.close();
  });

  test("a batch runs on some minions at a time, from a list of SLS files, and has a page", LONG, async () => {
    const { page, context } = await enter();
    await go(page, "#/run?tgt=web000*&fun=state.apply");
    await page.getByRole("checkbox", { name: /^app/ }).check();
    await page.getByText("Batch, subset, timeout, queue").click();
    await page.getByLabel("Random subset").fill("5");
    await page.getByLabel("Batch", { exact: true }).fill("2");
    await page.getByRole("button", { name: "Run on 5 minions" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("salt --batch-size=2 --subset=5 'web000*' state.apply app").waitFor();
    await dialog.getByRole("button", { name: "Run on 5 minions" }).click();
    await page.getByText("5 of 5 minions ended").waitFor();
    const parts = page.getByRole("grid", { name: "Parts of the batch" });
    assert.equal(await parts.getAttribute("aria-rowcount"), "3");
    const sent = api.calls.filter(({ client }) => client === "local_async").slice(-3);
    assert.deepEqual(
      sent.map(({ tgt, arg }) => [String(tgt).split(",").length, arg]),
      [2, 2, 1].map((n) => [n, ["app"]]),
    );
    await context.close();
  });

  test("equal returns are one row, and what differs is shown with its minions", LONG, async () => {
    const { page, context } = await enter();
    await go(page, '#/run?tgt=*&fun=file.read&arg=["/etc/app.conf"]');
    await page.getByRole("button", { name: "Run on 5,000 minions" }).click();
    await page.getByText(/Waiting for \d{2} of 5,000 minions/).waitFor({ timeout: 30_000 });
    await page.getByText("Equal returns", { exact: true }).click();
    // Every 97th differs, and of each 200 one never answers.
    await page.getByText("4,923 identical, 52 differ in 1 group").waitFor();
    const grid = page.getByRole("grid", { name: "Equal returns" });
    await grid.getByText("option_20 = 200").waitFor();
    await grid.getByText("option_20 = 1", { exact: true }).waitFor();
    assert.equal(await grid.getByText("option_30 = 300").count(), 0);
    const again = await grid.getByRole("link", { name: "Run on these" }).nth(1).getAttribute("href");
    assert.equal(new URLSearchParams(again!.split("?")[1]).get("tgt")!.split(",").length, 52);
    await grid.getByRole("button", { name: /^List the minions/ }).click();
    assert.equal(await page.getByRole("grid", { name: "Returns" }).getAttribute("aria-rowcount"), "52");
    await page.getByRole("button", { name: /52 minions with an equal return/ }).click();
    await page.getByLabel("Order").selectOption("slowest");
    const rows = page.getByRole("grid", { name: "Returns" }).getByRole("row");
    await rows.first().getByText(/\d s$/).waitFor();
    await context.close();
  });

  test("targets and functions with arguments are saved, and node groups are offered", LONG, async () => {
    const { page, context } = await enter();
    await page.getByRole("textbox", { name: "Target" }).fill("web00*");
    await page.getByRole("button", { name: "Targets" }).click();
    await page.getByRole("button", { name: /^storage db/ }).waitFor();
    await page.getByLabel("Name of this target").fill("first webs");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Delete first webs" }).waitFor();
    await page.keyboard.press("Escape");
    await go(page, '#/run?tgt=db*&fun=test.arg&arg=["a"]&kwarg={"b":1}');
    await page.getByRole("textbox", { name: "argument 1" }).waitFor();
    await page.getByRole("button", { name: "Targets" }).click();
    await page.getByRole("button", { name: /^first webs/ }).click();
    assert.equal(await page.getByRole("textbox", { name: "Target" }).inputValue(), "web00*");
    await page.getByRole("button", { name: "Favorites" }).click();
    await page.getByLabel("Name of test.arg with these arguments").fill("say a");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Delete say a" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Run on 99/ }).click();
    await page.getByText("Finished on 99 minions").waitFor();
    const stored = await page.evaluate<string>("localStorage['brine.saved.file.ada']");
    const { recent, favourites } = JSON.parse(stored);
    assert.deepEqual(recent, [{ where: "minions", fun: "test.arg", tgt: "web00*", type: "glob" }]);
    assert.deepEqual(favourites, [{ name: "say a", where: "minions", fun: "test.arg", arg: ["a"], kwarg: { b: 1 } }]);
    await page.reload();
    await page.getByRole("heading", { name: /test\.arg/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("say a");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "argument 1" }).waitFor();
    assert.equal(await page.getByRole("textbox", { name: "argument 1" }).inputValue(), "a");
    // A node group is resolved by the master.
    await page.getByRole("button", { name: "Targets" }).click();
    await page.getByRole("button", { name: /storage/ }).click();
    assert.equal(await page.getByLabel("Target type").inputValue(), "nodegroup");
    await context.close();
  });

  test("the schedule of a minion is shown, changed and refused in its words", LONG, async () => {
    const { page, context } = await enter();
    await go(page, "#/minions/web0001.example?tab=schedule");
    const grid = page.getByRole("grid", { name: "Scheduled jobs" });
    await grid.getByText("cron 30 2 * * *").waitFor();
    await grid.getByText("every 10 minutes, splay 30").waitFor();
    await page.getByRole("button", { name: "Add job" }).click();
    await page.getByLabel("Name", { exact: true }).fill("often");
    await page.getByLabel("Function").fill("test.ping");
    await page.getByText("Every: expected a number of minutes").waitFor();
    await page.getByLabel("How often").fill("5");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await grid.getByText("every 5 minutes").waitFor();
    const sent = api.calls.findLast(({ fun }) => fun === "schedule.add")!;
    assert.deepEqual(sent.kwarg, { name: "often", function: "test.ping", persist: true, minutes: 5, maxrunning: 1 });
    assert.deepEqual([sent.tgt, sent.tgt_type], ["web0001.example", "list"]);
    await page.getByRole("button", { name: "Delete: often" }).click();
    delete api.schedule.often;
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("alert").getByText("Job often does not exist.").waitFor();
    await context.close();
  });

  test("beacons of a minion are shown and added, and kept for the next start", LONG, async () => {
    const { page, context } = await enter();
    await go(page, "#/minions/web0002.example?tab=beacons");
    const grid = page.getByRole("grid", { name: "Beacons" });
    await grid.getByText("10 s").waitFor();
    await page.getByRole("button", { name: "Add beacon" }).click();
    await page.getByLabel("Name", { exact: true }).fill("service");
    await page.getByLabel("Configuration as JSON").fill("{");
    await page.getByText(/^Not JSON/).waitFor();
    await page.getByLabel("Configuration as JSON").fill('[{"services": {"ssh": {}}}]');
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await grid.getByText('{"services":{"ssh":{}}}').waitFor();
    const beacons = api.calls.filter(({ fun }) => ["beacons.add", "beacons.save"].includes(String(fun)));
    assert.deepEqual(beacons.map(({ fun, kwarg }) => [fun, kwarg]), [
      ["beacons.add", { name: "service", beacon_data: [{ services: { ssh: {} } }] }],
      ["beacons.save", undefined],
    ]);
    await context.close();
  });

  test("what the reactor did and how engines stand is shown as text, whatever it holds", LONG, async () => {
    const brine = await new FakeApi({ minions: 8, pending: 0, previews: true, outcomes: true }).open();
    const { page, context, complaints } = await openPage(browser, brine.url);
    try {
      await signIn(page, "file", "ada", PASSWORD);
      await page.getByRole("heading", { name: "Fleet" }).waitFor();
      await waitForEvents(page);
      await page.keyboard.press("g");
      await page.keyboard.press("a");
      const grid = page.getByRole("grid", { name: /^Latest reactions/ });
      await grid.getByText("failed: Jinja: <img src=x onerror=alert(1)> is undefined").waitFor();
      assert.equal(await page.locator("main img").count(), 0);
      await page.getByRole("button", { name: "Add reactor" }).click();
      await page.getByLabel("Events", { exact: true }).fill("my/*");
      await page.getByLabel("SLS files").fill("/srv/reactor/my.sls");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("region", { name: "Reactors in use" }).getByText("my/*").waitFor();
      // An event that something reacts to has the page read again.
      const reads = () => brine.calls.filter(({ fun }) => fun === "reactor.status").length;
      const before = reads();
      brine.fire("my/event", {});
      await until("the page is read again", () => reads() > before);
      await page.getByRole("tab", { name: "Engines" }).click();
      await page.getByText("exit code 1: no queue").waitFor();
      // Engines of minions are what their events tell; the latest of each is what is shown.
      const tag = "salt/minion/web0001/engines/mail";
      brine.fire(tag, { id: "web0001", module: "script", state: "running", restarts: 0 });
      const engines = page.getByRole("grid", { name: "Engines" });
      const row = engines.getByRole("row", { name: /web0001 mail/ });
      await row.getByText("running").waitFor();
      const words = "<img src=x onerror=alert(2)>";
      brine.fire(tag, { module: "script", state: "waiting", restarts: 3, last_error: { how: "exit code 2", words } });
      await row.getByText("waiting").waitFor();
      await row.getByText(`exit code 2: ${words}`).waitFor();
      assert.equal(await row.count(), 1);
      assert.equal(await engines.getAttribute("aria-rowcount"), "3");
      await row.click();
      await page.getByRole("region", { name: "Selected engine" }).getByRole("heading", { name: "mail" }).waitFor();
      assert.equal(await page.locator("main img").count(), 0);
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
      await brine.close();
    }
  });

  test(
    "issues have remedies and links; the audit log, logins and schedules of the fleet are read on request",
    LONG,
    async () => {
      const brine = await new FakeApi({ minions: 60, pending: 1, previews: true, outcomes: true }).open();
      const { page, context, complaints } = await openPage(browser, brine.url);
      try {
        await signIn(page, "file", "ada", PASSWORD);
        await page.getByRole("heading", { name: "Fleet" }).waitFor();
        await page.keyboard.press("g");
        await page.keyboard.press("i");
        const issues = page.getByRole("list", { name: "Issues" });
        await issues.getByText("120 MiB free in /var/cache/salt/master").waitFor();
        await issues.getByText("1 key waits to be accepted").waitFor();
        await issues.getByRole("link", { name: "Minions that are down" }).click();
        await page.getByRole("grid", { name: "Minions" }).getByText("edge0002.example").waitFor();
        assert.match(page.url(), /#\/fleet\?state=down$/);
        await page.keyboard.press("g");
        await page.keyboard.press("u");
        const audit = page.getByRole("grid", { name: /^Audit log/ });
        await audit.getByText("cmd.run uptime on web*").waitFor();
        await page.getByLabel("User", { exact: true }).fill("eve");
        await audit.getByText("cmd.run uptime on web*").waitFor({ state: "detached" });
        await audit.getByText("AuthorizationError").waitFor();
        await page.getByRole("tab", { name: "Signed in" }).click();
        await page.getByRole("grid", { name: "Signed in" }).getByText("ada").waitFor();
        const asked = () => brine.calls.filter(({ fun }) => fun === "schedule.list").length;
        await go(page, "#/automation?tab=schedules");
        await page.getByText("Schedules across the fleet").waitFor();
        assert.equal(asked(), 0);
        await page.getByRole("button", { name: "Ask the minions" }).click();
        const entries = page.getByRole("grid", { name: "Schedules across the fleet" });
        await entries.getByText("cron 30 2 * * *").waitFor();
        await entries.getByRole("link", { name: "60 minions" }).first().waitFor();
        assert.deepEqual(complaints, []);
      } finally {
        await context.close();
        await brine.close();
      }
    },
  );

  test("pages that an account may not use are not offered", LONG, async () => {
    const strict = await new FakeApi({ minions: 5, pending: 0, perms: ["test.*"] }).open();
    const { page, context } = await openPage(browser, strict.url);
    try {
      await signIn(page, "file", "ada", PASSWORD);
      const nav = page.getByRole("navigation", { name: "Pages" });
      await nav.getByText("Fleet").waitFor();
      assert.deepEqual(await nav.locator("a > span").allTextContents(), [
        "Fleet",
        "Run",
        "Events",
        "Automation",
        "Issues",
      ]);
    } finally {
      await context.close();
      await strict.close();
    }
  });

  test("a master that does not tell what its reactor did shows its reactors alone", LONG, async () => {
    const { page, context } = await enter();
    await go(page, "#/automation");
    await page.getByText("/srv/reactor/start.sls").waitFor();
    await page.getByText("Not reported by this master").waitFor();
    await context.close();
  });

  test("a master without a reactor says so, and not as a failure", LONG, async () => {
    const bare = await new FakeApi({ minions: 2, pending: 0 }).open();
    bare.hasReactor = false;
    const { page, context } = await openPage(browser, bare.url);
    try {
      await signIn(page, "file", "ada", PASSWORD);
      await page.getByRole("heading", { name: "Fleet" }).waitFor();
      await go(page, "#/automation");
      await page.getByText("No reactor").waitFor();
      assert.equal(await page.getByRole("alert").count(), 0);
      assert.ok(await page.getByRole("button", { name: "Try an event" }).isDisabled());
    } finally {
      await context.close();
      await bare.close();
    }
  });

  test("of a tag that is too long for a phone its jid is cut, and not what comes behind it", LONG, async () => {
    const phone = await new FakeApi({ minions: 2, pending: 0 }).open();
    const { page, context } = await openPage(browser, phone.url, 390, 844);
    try {
      await signIn(page, "file", "ada", PASSWORD);
      await page.getByRole("heading", { name: "Fleet" }).waitFor();
      await go(page, "#/events");
      await waitForEvents(page);
      phone.fire("salt/job/20260506070809101112/ret/web0001", { id: "web0001" });
      const end = page.getByText("/ret/web0001", { exact: true });
      await end.waitFor();
      assert.equal(await end.evaluate((span) => span.scrollWidth <= span.clientWidth), true);
    } finally {
      await context.close();
      await phone.close();
    }
  });

  test("returns are exported as CSV that no spreadsheet runs, and as JSON", LONG, async () => {
    const { page, context } = await enter();
    await go(page, "#/run?tgt=web000*&fun=test.ping");
    await page.getByRole("button", { name: "Run on 9 minions" }).click();
    await page.getByText("Finished on 9 minions").waitFor();
    const save = async (name: RegExp) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export" }).click().then(() => page.getByRole("button", { name }).click()),
      ]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
    };
    const csv = await save(/^CSV/);
    assert.match(csv.name, /^test\.ping-\d{20}\.csv$/);
    assert.match(
      csv.text,
      /^"minion","outcome","seconds","retcode","note","return"\r\n"web0001\.example","returned","0\.\d+","0","","true"\r\n/,
    );
    assert.equal(JSON.parse((await save(/^JSON/)).text).length, 9);
    await context.close();
  });

  test("a dry run changes nothing and needs no confirmation; states expand", LONG, async () => {
    const { page, context } = await enter();
    await go(page, "#/run?tgt=web0001*,web0012.example&tgt_type=list&fun=state.apply");
    await page.getByRole("textbox", { name: "Target" }).fill("web0001.example");
    await page.getByRole("switch", { name: /^Dry run/ }).check();
    await page.getByRole("button", { name: "Dry run on 1 minion" }).click();
    await page.getByText("Finished on 1 minion").waitFor();
    assert.deepEqual(api.calls.findLast(({ client }) => client === "local_async")!.kwarg, { test: true });
    await page.getByText("1 would change, 2 ok").waitFor();
    const motd = page.getByRole("button", { name: /motd/ });
    assert.equal(await motd.getAttribute("aria-expanded"), "false");
    await motd.click();
    await page.getByText("+new", { exact: true }).waitFor();
    assert.equal(await page.getByText("__sls__").count(), 0);
    await page.getByRole("button", { name: /^details/ }).click();
    await page.getByText("__sls__").waitFor();
    await page.getByRole("link", { name: "Make these changes" }).click();
    await page.getByRole("button", { name: "Run on 1 minion" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run on 1 minion" }).click();
    await page.getByText("1 changed, 2 ok").waitFor();
    assert.equal(api.calls.findLast(({ client }) => client === "local_async")!.kwarg, undefined);
    await context.close();
  });

  test("everything can be reached with the keyboard", LONG, async () => {
    const { page, context } = await enter();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("db0042");
    await page.getByRole("option", { name: /db0042\.example/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /db0042\.example/ }).waitFor();
    await page.locator("main:focus").waitFor();
    for (const [key, name] of [["j", "Jobs"], ["e", "Events"], ["r", "Run"], ["f", "Fleet"]] as const) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.getByRole("heading", { name, exact: true }).waitFor();
      assert.equal(await page.title(), `${name} · Brine`);
    }
    await context.close();
  });

  test("a key is accepted after its fingerprint was shown, and moves when its event comes", LONG, async () => {
    const { page, context } = await enter();
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await page.getByRole("tab", { name: /Unaccepted 2/ }).waitFor();
    await page.getByRole("button", { name: "Accept new1.example" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/^([0-9a-f]{2}:){31}[0-9a-f]{2}$/).waitFor();
    await dialog.getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByRole("tab", { name: /Unaccepted 1/ }).waitFor();
    api.fire("salt/auth", { act: "pend", id: "brand-new.example", result: true, pub: "" });
    await page.getByText("brand-new.example").waitFor();
    api.fire("salt/key", { act: "delete", id: "brand-new.example", result: true });
    await page.getByText("brand-new.example").waitFor({ state: "detached" });
    api.accepted.delete("new1.example");
    api.pending.add("new1.example");
    await context.close();
  });

  test("accepting a denied key shows both fingerprints, what it replaces, and asks in red", LONG, async () => {
    const { page, context } = await enter();
    const [id] = [...api.accepted];
    api.denied.add(id!);
    api.fire("salt/auth", { act: "denied", id, result: false });
    await go(page, "#/fleet");
    await page.getByRole("link", { name: /1 denied key/ }).waitFor();
    await go(page, "#/keys");
    await page.getByRole("tab", { name: /Denied/ }).click();
    await page.getByRole("button", { name: `Accept ${id}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`${id} has an accepted key already`).waitFor();
    await dialog.getByText("replaces it and disconnects that host").waitFor();
    await dialog.getByText(/^replaces .*\(up for 3 h\)$/).waitFor();
    await dialog.getByText("from 10.9.9.9").waitFor();
    assert.equal(await dialog.locator("code").count(), 2);
    const button = dialog.getByRole("button", { name: "Accept and replace" });
    assert.match((await button.getAttribute("class"))!, /danger/);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.ok(api.denied.has(id!), "nothing was done");
    await page.getByRole("button", { name: `Accept ${id}` }).click();
    await button.click();
    await page.getByText("No keys").waitFor();
    assert.ok(!api.denied.has(id!));
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("grid", { name: "History of keys" }).getByText(/accept, replaced ([0-9a-f]{2}:){31}/)
      .waitFor();
    // The address follows a moment later.
    await page.waitForURL(/#\/keys\?state=history$/);
    await page.reload();
    await page.getByRole("tab", { name: "History", selected: true }).waitFor();
    await context.close();
  });

  test("pillar is shown only on request", LONG, async () => {
    const { page, context } = await enter();
    await go(page, "#/minions/web0001.example");
    await page.getByRole("tab", { name: "Pillar" }).click();
    await page.getByRole("button", { name: "Reveal" }).waitFor();
    assert.ok(!api.calls.some(({ fun }) => fun === "pillar.items"));
    await page.getByRole("button", { name: "Reveal" }).click();
    await page.getByText("hunter2").waitFor();
    await page.getByRole("button", { name: "Hide" }).click();
    await page.getByText("hunter2").waitFor({ state: "detached" });
    await context.close();
  });

  test("an expired session shows the sign-in form, and the page keeps its contents", LONG, async () => {
    const { page, context } = await enter();
    await go(page, "#/run?tgt=web0001*");
    await page.getByRole("combobox", { name: "Function" }).fill("test.arg");
    await page.getByRole("textbox", { name: "argument 1" }).fill("half a thought");
    api.expireSessions();
    await page.getByText("Your session has expired").waitFor();
    await signIn(page, "file", "ada", PASSWORD);
    await page.getByText("Your session has expired").waitFor({ state: "detached" });
    assert.equal(await page.getByRole("textbox", { name: "argument 1" }).inputValue(), "half a thought");
    await page.getByText("Live", { exact: true }).waitFor();
    await context.close();
  });

  test("a lost event stream is shown and reconnects, and no return of the job is missed", LONG, async () => {
    const { page, context } = await enter();
    await page.getByText("Live", { exact: true }).waitFor();
    await go(page, "#/run?tgt=web000*&fun=test.ping");
    api.held = true;
    await page.getByRole("button", { name: "Run on 9 minions" }).click();
    await page.getByText("Waiting for 9 of 9 minions").waitFor();
    await context.setOffline(true);
    api.dropStreams();
    api.held = false;
    await page.getByText("Disconnected, reconnecting").waitFor();
    await context.setOffline(false);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("Finished on 9 minions").waitFor();
    await context.close();
  });

  test("events are filtered and paused while they arrive", LONG, async () => {
    const { page, context } = await enter();
    api.rain(200);
    await go(page, "#/events");
    await page.getByLabel("Filter events").fill("salt/beacon/web* -web0001");
    // Rows from before the filter are replaced with the next redraw.
    await page.getByText(/salt\/beacon\/db/).first().waitFor({ state: "hidden" });
    await page.getByText(/salt\/beacon\/web\d+\.example\/load\//).first().waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    const resume = page.getByRole("button", { name: /Resume \(\d+ new\)/ });
    const countChanges = async () => {
      const paused = /\d+/.exec((await resume.textContent())!)![0];
      await page.getByRole("button", { name: new RegExp(`Resume \\((?!${paused} )\\d+ new\\)`) }).waitFor();
    };
    // What was to be drawn before the pause is.
    await countChanges();
    // The first row is the head.
    const top = page.getByRole("grid", { name: /Events/ }).getByRole("row").nth(1);
    const before = await top.textContent();
    await countChanges();
    assert.equal(await top.textContent(), before);
    await top.click();
    await page.getByRole("region", { name: "Selected event" }).getByText("1m").waitFor();
    await context.close();
  });

  test("no page is wider than a phone of 360 pixels", LONG, async () => {
    const { page, context } = await enter(360, 740);
    for (
      const hash of [
        "fleet",
        "run?tgt=*&fun=cmd.run",
        "jobs",
        "keys",
        "events",
        "automation",
        "automation?tab=engines",
        "minions/web0001.example",
        "minions/web0001.example?tab=schedule",
        "minions/web0001.example?tab=beacons",
      ]
    ) {
      await go(page, `#/${hash}`);
      await page.getByRole("main").waitFor();
      const wide = await page.evaluate(
        `[document.scrollingElement, document.querySelector("main")].map((one) => one.scrollWidth - one.clientWidth)`,
      );
      assert.deepEqual(wide, [0, 0], hash);
    }
    await context.close();
  });

  test("every control has an accessible name", LONG, async () => {
    const { page, context } = await enter();
    for (
      const hash of [
        "fleet",
        "run?tgt=*&fun=cmd.run",
        "jobs",
        "keys",
        "events",
        "automation",
        "automation?tab=engines",
        "minions/web0001.example",
        "minions/web0001.example?tab=schedule",
        "minions/web0001.example?tab=beacons",
      ]
    ) {
      await go(page, `#/${hash}`);
      await page.getByRole("main").waitFor();
      const nameless = await page.evaluate(`[...document.querySelectorAll(
        "button, a, input, select, textarea, [role=grid], [role=combobox]",
      )].filter((one) =>
        one.textContent.trim() === "" && one.getAttribute("aria-label") === null &&
        (one.closest("label")?.textContent ?? "").trim() === ""
      ).map((one) => one.outerHTML.slice(0, 120))`);
      assert.deepEqual(nameless, [], hash);
    }
    await context.close();
  });

  test(
    "until the master has previewed a target its minions are unknown, and every run is confirmed",
    LONG,
    async () => {
      const telling = await new FakeApi({ minions: 5001, pending: 0, previews: true }).open();
      const { page, context, complaints } = await openPage(browser, telling.url);
      try {
        await signIn(page, "file", "ada", PASSWORD);
        await page.locator("#target-preview").getByText("of 5,001").waitFor();
        let tell = () => {};
        telling.told = new Promise((resolve) => tell = resolve);
        await go(page, "#/run?tgt=os:Debian&tgt_type=grain&fun=test.ping");
        await page.locator("#target-preview").getByText("Asking the master").waitFor();
        await page.getByRole("button", { name: "Run on an unknown number of minions" }).click();
        await page.getByRole("dialog").getByText("The number of minions is unknown.").waitFor();
        assert.ok(!telling.calls.some(({ client }) => client === "local_async"));
        tell();
        await page.locator("#target-preview").getByText("1,665 minions").waitFor();
        await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
        await page.getByRole("button", { name: "Run on 1,665 minions" }).waitFor();
        // The preview read no grains; the fleet page reads a few fields.
        const read = telling.calls.filter(({ fun, fields }) => fun === "cache.grains" && fields === undefined);
        assert.deepEqual(read, []);
        telling.master = false;
        await page.getByText("Master unreachable").waitFor();
        telling.master = true;
        await page.getByText("Live", { exact: true }).waitFor();
        assert.deepEqual(complaints, []);
      } finally {
        await context.close();
        await telling.close();
      }
    },
  );

  test("an account that may not list minions sees a message instead of numbers", LONG, async () => {
    const forbidden = [
      "key.list_all",
      "key.finger",
      "manage.status",
      "minions.connected",
      "cache.grains",
      "jobs.active",
      "reactor.list",
      "reactor.status",
      "engines.status",
      "schedule.list",
      "beacons.list",
      "config.get",
    ];
    const strict = await new FakeApi({ minions: 40, previews: true, forbidden: [...forbidden, "cmd.run"] }).open();
    const { page, context, complaints } = await openPage(browser, strict.url);
    try {
      await signIn(page, "file", "ada", PASSWORD);
      await page.getByText("number of minions unknown").waitFor();
      // The master previews the minions that a ping would match.
      await page.getByRole("grid", { name: "Minions" }).getByText("web0001.example").waitFor();
      await go(page, "#/keys");
      await page.getByText("This account may not list keys").waitFor();
      assert.equal(await page.getByText("No accepted keys").count(), 0);
      await go(page, "#/run?tgt=*&fun=cmd.run");
      for (
        const [hash, message] of [
          ["#/automation", "reactor.list: permission denied for this account"],
          ["#/automation?tab=engines", "engines.status: permission denied for this account"],
          ["#/minions/web0001.example?tab=schedule", "schedule.list: permission denied for this account"],
          ["#/minions/web0001.example?tab=beacons", "beacons.list: permission denied for this account"],
        ] as const
      ) {
        await go(page, hash);
        await page.getByRole("alert").getByText(message).waitFor();
      }
      await go(page, "#/fleet");
      await page.getByText("This account may not read grains").waitFor();
      await page.getByRole("button", { name: "Targets" }).click();
      await page.getByText("This account may not read node groups: it needs config.get").waitFor();
      await go(page, "#/run?tgt=*&fun=cmd.run");
      await page.locator("#target-preview").getByText("Number of minions unknown: this account may not run cmd.run")
        .waitFor();
      await page.getByRole("button", { name: "Run on an unknown number of minions" }).waitFor();
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
      await strict.close();
    }
  });

  for (const [width, height] of [[390, 844], [768, 1024], [1024, 768], [1440, 900]] as const) {
    test(`what can be pressed is not cut off at a width of ${width}`, LONG, async () => {
      const wide = await new FakeApi({ minions: 40, pending: 3, previews: true, outcomes: true }).open();
      wide.denied.add("web0001.example");
      const { page, context } = await openPage(browser, wide.url, width, height);
      try {
        await signIn(page, "file", "ada", PASSWORD);
        await waitForEvents(page);
        // A job with several outcomes.
        const jid = "20260506070809101112";
        const jobs: Record<string, unknown> = {
          "jobs.list_jobs": { Function: "test.ping", Arguments: [], Target: "*", "Target-type": "glob", User: "ada" },
          "jobs.tally": { lost: 2, returned: 298, Seconds: 1 },
        };
        await page.route("**/*", (route) => {
          const asked = route.request().postData() ?? "";
          const fun = Object.keys(jobs).find((name) => asked.includes(`"${name}"`));
          return fun === undefined ? route.continue() : route.fulfill({ json: { return: [{ [jid]: jobs[fun] }] } });
        });
        const pages = [
          ["fleet", "Fleet"],
          ["run?tgt=*&fun=state.apply", "Run"],
          ["jobs", "Jobs"],
          ["keys?state=minions_pre", "Keys"],
          ["keys?state=minions_denied", "Keys"],
          ["keys?state=minions", "Keys"],
          ["events", "Events"],
          ["automation", "Automation"],
          ["issues", "Issues"],
          ["access", "Access"],
          ["minions/web0001.example?tab=schedule", "web0001.example"],
          ["minions/web0001.example?tab=beacons", "web0001.example"],
        ] as const;
        for (const [hash, heading] of pages) {
          await go(page, `#/${hash}`);
          await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
          if (hash === "jobs") await page.locator(".outcome + .outcome").first().waitFor();
          if (hash.startsWith("keys")) await page.getByRole("grid").getByRole("button").last().waitFor();
          // Rows of tabs and tiles are moved with a finger; ids and texts of any length end in dots.
          const cut = await page.evaluate<string[]>(
            `[...document.querySelectorAll("a, button, nav span, select")].filter((one) => {
            if (one.closest("[role=tablist], .tiles, .cut, .visually-hidden") || one.getClientRects().length === 0) return false;
            if (one.matches("nav span") && one.scrollWidth > one.clientWidth) return true;
            const end = one.getBoundingClientRect().right - 1;
            for (let box = one.parentElement; box !== null; box = box.parentElement) {
              if (getComputedStyle(box).overflowX !== "visible" && end > box.getBoundingClientRect().right) return true;
            }
            return end > innerWidth;
          }).map((one) => one.textContent)`,
          );
          assert.deepEqual(cut, [], hash);
          const hidden = await page.evaluate<string[]>(`[...document.querySelectorAll(".outcome")].filter((one) =>
            one.getBoundingClientRect().right > one.closest("[role=gridcell]").getBoundingClientRect().right
          ).map((one) => one.textContent)`);
          assert.deepEqual(hidden, [], "outcomes");
        }
      } finally {
        await context.close();
        await wide.close();
      }
    });
  }

  test("functions are found by a part of their name", LONG, async () => {
    const { page, context } = await enter();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Page, minion, function or job" }).fill("reboot");
    await page.getByRole("option", { name: /Run system\.reboot/ }).click();
    await page.getByRole("heading", { name: "Run", exact: true }).waitFor();
    assert.equal(await page.getByRole("combobox", { name: "Function" }).inputValue(), "system.reboot");
    await context.close();
  });
});
