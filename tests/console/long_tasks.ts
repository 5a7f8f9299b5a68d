/**
 * Measures how long the console keeps the main thread of a browser busy with 5,000 minions, with the fake API:
 *
 *     npm run build:console
 *     node tests/console/long_tasks.ts
 *
 * Prints for each step the tasks of more than 50 ms, as the browser reports them (`PerformanceObserver`, `longtask`). The
 * figures depend on the machine: compare those of two builds on the same one.
 */
import process from "node:process";
import { gap, openBrowser, openPage, signIn } from "./browser.ts";
import { FakeApi, PASSWORD } from "./fake_api.ts";

const MINIONS = 5000;

if (gap !== undefined) {
  console.error(gap);
  process.exit(1);
}
const browser = await openBrowser();
const api = await new FakeApi({
  minions: MINIONS,
  returnsPerSecond: 5000,
  previews: true,
  outcomes: true,
}).open();
const { page, complaints } = await openPage(browser, api.url);
await page.evaluate(`{
  globalThis.tasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.tasks.push(Math.round(duration));
  }).observe({ type: "longtask" });
}`);

/** Does something, waits until nothing more happens, and prints the long tasks. */
async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  await page.evaluate("void (globalThis.tasks.length = 0)");
  await work();
  await page.waitForTimeout(1500);
  const tasks = await page.evaluate<number[]>("globalThis.tasks");
  const longest = Math.max(0, ...tasks);
  console.log(`${what.padEnd(52)} longest ${String(longest).padStart(4)} ms, ${tasks.length} of more than 50 ms`);
}

const go = (hash: string) => page.evaluate(`void (location.hash = ${JSON.stringify(hash)})`);
const grid = page.getByRole("grid", { name: "Minions" });

try {
  await measure("sign in, list 5,000 minions, read their facts", async () => {
    await signIn(page, "file", "ada", PASSWORD);
    await page.getByRole("checkbox", { name: /Debian 12/ }).waitFor();
  });
  await measure("search in the ids, letter by letter", async () => {
    await page.getByRole("textbox", { name: "Target" }).pressSequentially("web12", { delay: 30 });
    await page.getByRole("textbox", { name: "Target" }).fill("");
  });
  for (const column of ["Minion", "System", "Program", "Address", "Last seen", "State"]) {
    await measure(`sort by ${column.toLowerCase()}`, async () => {
      await grid.getByRole("button", { name: column, exact: true }).click();
      await grid.getByRole("button", { name: column, exact: true }).click();
    });
  }
  await measure("filter by two facets", async () => {
    await page.getByRole("checkbox", { name: /Debian 12/ }).check();
    await page.getByRole("checkbox", { name: /Brine/ }).check();
    await page.getByRole("button", { name: "Clear filters" }).click();
  });
  await measure("scroll to the end and back", async () => {
    await grid.focus();
    for (const key of ["End", "PageUp", "PageUp", "Home", "PageDown"]) await page.keyboard.press(key);
  });
  await measure("select all, and run on the selected ones", async () => {
    await page.getByLabel("Select all that are listed").check();
    await page.getByRole("link", { name: "Run on these" }).click();
    await page.locator("#target-preview").getByText("5,000 minions").waitFor();
  });
  await measure("'*' test.ping: 5,000 returns in a second", async () => {
    await go("#/run?tgt=*&fun=test.ping");
    await page.getByRole("button", { name: "Run on 5,000 minions" }).click();
    await page.getByText(/Waiting for 25 of 5,000 minions/).waitFor({ timeout: 60_000 });
  });
  await measure("slowest first, a filter, and back", async () => {
    await page.getByLabel("Order").selectOption("slowest");
    await page.getByLabel("Filter minions of this job").pressSequentially("db00", { delay: 30 });
    await page.getByLabel("Filter minions of this job").fill("");
    await page.getByLabel("Order").selectOption("outcome");
  });
  await measure("'*' state.apply: 5,000 returns in a second", async () => {
    await go("#/run?tgt=*&fun=state.apply");
    await page.getByRole("button", { name: "Run on 5,000 minions" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run on 5,000 minions" }).click();
    await page.getByText(/Waiting for 25 of 5,000 minions/).waitFor({ timeout: 60_000 });
  });
  await measure("group them by equal returns", async () => {
    await page.getByText("Equal returns", { exact: true }).click();
    await page.getByText(/identical/).waitFor();
  });
  await measure("expand all", async () => {
    await page.getByText("By minion", { exact: true }).click();
    await page.getByRole("button", { name: "Expand all" }).click();
  });
  await measure("export as CSV", async () => {
    await page.getByRole("button", { name: "Export" }).click();
    await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^CSV/ }).click()]);
  });
  await measure("the page of events, with 2,000 events a second", async () => {
    await go("#/events");
    api.rain(2000);
    await page.waitForTimeout(2000);
  });
  if (complaints.length > 0) console.error(complaints);
} finally {
  await browser.close();
  await api.close();
}
