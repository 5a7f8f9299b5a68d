/**
 * Measures how long the console keeps the main thread of a browser busy with 5,000 minions, with the fake API:
 *
 *     npm run build:console
 *     node tests/console/long_tasks.ts              the console as it is built
 *     node tests/console/long_tasks.ts OTHER/       beside another build of it, in turn
 *
 * Prints for each step the longest task and all tasks together, in milliseconds: the least of some rounds. They are times of
 * the processor, from the browser's own trace: what else the machine does meanwhile does not count. The figures depend on the
 * machine all the same: compare those of two builds in one run. `ROUNDS=5` is the number of rounds.
 */
import path from "node:path";
import process from "node:process";
import type { Browser, Page } from "playwright-core";
import { gap, openBrowser, openPage } from "./browser.ts";
import { FakeApi, PASSWORD } from "./fake_api.ts";

const MINIONS = 5000;
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const OURS = path.resolve(import.meta.dirname, "../../dist/console");

/** What a step kept the main thread busy with, in milliseconds. */
interface Busy {
  longest: number;
  sum: number;
}

if (gap !== undefined) {
  console.error(gap);
  process.exit(1);
}
const sites = [OURS, ...process.argv.slice(2).map((folder) => path.resolve(folder))];
const browser = await openBrowser();
const found = sites.map(() => new Map<string, Busy>());
try {
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, site] of sites.entries()) await measureSite(browser, site, found[at]!);
  }
} finally {
  await browser.close();
}
const [ours, other] = found;
console.log(
  `${"milliseconds of the main thread: longest task, all".padEnd(52)}${
    other ? "   this build  other build  ratio" : ""
  }`,
);
for (const [what, own] of ours!) {
  const theirs = other?.get(what);
  console.log(
    what.padEnd(52) + told(own) +
      (theirs === undefined
        ? ""
        : `${told(theirs)}  ${(theirs.longest / own.longest).toFixed(1)}×, ${(theirs.sum / own.sum).toFixed(1)}×`),
  );
}

function told({ longest, sum }: Busy): string {
  return `${longest.toFixed(0).padStart(6)}${sum.toFixed(0).padStart(6)}`;
}

/** What is done to the page: in the page itself, without what a driver does to find elements, which takes longer. */
function hands(page: Page) {
  const text = (value: string) => JSON.stringify(value);
  /** Runs code in a task of its own. */
  const run = (code: string) => page.evaluate(`void setTimeout(() => { ${code} })`);
  return {
    go: (hash: string) => run(`location.hash = ${text(hash)}`),
    /** Clicks what a selector finds and whose text or label begins with some words. */
    click: (selector: string, words = "") =>
      run(
        `[...document.querySelectorAll(${text(selector)})].find((one) =>
           (one.getAttribute("aria-label") ?? one.textContent).trim().startsWith(${text(words)})).click()`,
      ),
    /** Types into a field. */
    type: (selector: string, value: string) =>
      run(
        `const field = document.querySelector(${text(selector)}); field.value = ${text(value)};
         for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));`,
      ),
    key: (selector: string, key: string) =>
      run(
        `document.querySelector(${text(selector)}).dispatchEvent(new KeyboardEvent("keydown", { key: ${
          text(key)
        }, bubbles: true }))`,
      ),
    async shows(selector: string, words = ""): Promise<void> {
      const code = `[...document.querySelectorAll(${text(selector)})].some((one) => one.textContent.includes(${
        text(words)
      }))`;
      const until = Date.now() + 60_000;
      while (await page.evaluate(code) !== true) {
        if (Date.now() > until) throw new Error(`The page does not show ${selector} with ${words}`);
        await page.waitForTimeout(20);
      }
    },
  };
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of the processor. */
  tdur?: number;
  args: { name?: string };
}

/** The tasks of the main threads of pages. */
function busyOf(trace: { traceEvents: TraceEvent[] }): Busy {
  const mains = new Set<string>();
  for (const { name, args, pid, tid } of trace.traceEvents) {
    if (name === "thread_name" && args.name === "CrRendererMain") mains.add(`${pid} ${tid}`);
  }
  const busy: Busy = { longest: 0, sum: 0 };
  for (const { name, pid, tid, tdur = 0 } of trace.traceEvents) {
    if (name !== "RunTask" || !mains.has(`${pid} ${tid}`)) continue;
    busy.longest = Math.max(busy.longest, tdur / 1000);
    busy.sum += tdur / 1000;
  }
  return busy;
}

/** Goes through all steps once. */
async function measureSite(browser: Browser, site: string, figures: Map<string, Busy>): Promise<void> {
  const api = await new FakeApi({ minions: MINIONS, returnsPerSecond: 5000, previews: true, outcomes: true, site })
    .open();
  const { page, context, complaints } = await openPage(browser, api.url);
  const { go, click, type, key, shows } = hands(page);

  /** Does something, waits until nothing more happens, and notes what was busy. */
  async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
    await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
    await work();
    await page.waitForTimeout(800);
    const { longest, sum } = busyOf(JSON.parse((await browser.stopTracing()).toString()));
    const before = figures.get(what) ?? { longest: Infinity, sum: Infinity };
    figures.set(what, { longest: Math.min(longest, before.longest), sum: Math.min(sum, before.sum) });
  }

  await measure("sign in, list 5,000 minions, read their facts", async () => {
    await shows("form");
    await type("[autocomplete=username]", "ada");
    await type("[type=password]", PASSWORD);
    await type("select", "file");
    await click("form button", "Sign in");
    await shows(".facets", "Debian 12");
  });
  await measure("search in the ids, letter by letter", async () => {
    for (const typed of ["w", "we", "web", "web1", "web12", ""]) {
      await type("#target", typed);
      await page.waitForTimeout(30);
    }
  });
  for (const column of ["Minion", "System", "Program", "Address", "Last seen", "State"]) {
    await measure(`sort by ${column.toLowerCase()}`, async () => {
      await click("[role=columnheader] button", column);
      await page.waitForTimeout(100);
      await click("[role=columnheader] button", column);
    });
  }
  await measure("filter by two facets", async () => {
    await click(".facet", "Debian");
    await page.waitForTimeout(100);
    await click(".facet", "Brine");
    await page.waitForTimeout(100);
    await click(".facets .link", "Clear");
  });
  await measure("scroll to the end and back", async () => {
    for (const name of ["End", "PageUp", "PageUp", "Home", "PageDown"]) await key(".list", name);
  });
  await measure("select all", () => click(".list-head input"));
  await measure("run on the selected ones", async () => {
    await click("a.button", "Run on these");
    await shows("#target-preview", "5,000 minions");
  });
  await measure("list 5,000 keys", async () => {
    await go("#/keys");
    await shows(".list", "new1.example");
  });
  await measure("'*' test.ping: 5,000 returns in a second", async () => {
    await go("#/run?tgt=*&fun=test.ping");
    await shows("button", "Run on 5,000 minions");
    await click("button", "Run on 5,000 minions");
    await shows("main", "Waiting for 25 of 5,000 minions");
  });
  await measure("slowest first, a filter, and back", async () => {
    await type("main select", "slowest");
    for (const typed of ["d", "db", "db0", "db00", ""]) {
      await page.waitForTimeout(30);
      await type("main [type=search]", typed);
    }
    await type("main select", "outcome");
  });
  await measure("'*' state.apply: 5,000 returns in a second", async () => {
    await go("#/run?tgt=*&fun=state.apply");
    await shows("button", "Run on 5,000 minions");
    await click("button", "Run on 5,000 minions");
    await shows("dialog button", "Run on 5,000 minions");
    await click("dialog button", "Run on 5,000 minions");
    await shows("main", "Waiting for 25 of 5,000 minions");
  });
  await measure("group them by equal returns", async () => {
    await click("label", "Equal returns");
    await shows("main", "identical");
  });
  await measure("expand all", async () => {
    await click("label", "By minion");
    await shows("button", "Expand all");
    await click("button", "Expand all");
  });
  await measure("collapse all", () => click("button", "Collapse all"));
  await measure("export as CSV", async () => {
    await click("button", "Export");
    await shows(".menu-item", "CSV");
    await click(".menu-item", "CSV");
  });
  await measure("reload the page of that job", async () => {
    await page.reload();
    await shows("main", "Waiting for 25 of 5,000 minions");
  });
  await measure("the page of events, with 2,000 events a second", async () => {
    await go("#/events");
    api.rain(2000);
    await page.waitForTimeout(2000);
  });
  if (complaints.length > 0) console.error(complaints);
  await context.close();
  await api.close();
}
