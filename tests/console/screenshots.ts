/**
 * Takes pictures of the console with the fake API, with 48 minions:
 *
 *     npm run build:console
 *     node tests/console/screenshots.ts docs/console.png   the picture of docs/console.md
 *     node tests/console/screenshots.ts shots/             every page, light and dark, in four widths
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Page } from "playwright-core";
import { gap, openBrowser, openPage, signIn } from "./browser.ts";
import { FakeApi, PASSWORD } from "./fake_api.ts";

type Theme = "light" | "dark";

const PAGES: { name: string; hash: string }[] = [
  { name: "fleet", hash: "fleet" },
  { name: "target", hash: "fleet?tgt=role:db&tgt_type=grain" },
  { name: "run", hash: "run?tgt=web*&fun=cmd.run" },
  { name: "states", hash: "run?tgt=web*&fun=state.apply" },
  { name: "jobs", hash: "jobs" },
  { name: "issues", hash: "issues" },
  { name: "access", hash: "access" },
  { name: "signed_in", hash: "access?tab=signed_in" },
  { name: "schedules", hash: "automation?tab=schedules" },
  { name: "key_history", hash: "keys?state=history" },
  { name: "columns", hash: "fleet?grains=role&sort=-grain:role" },
  { name: "automation", hash: "automation" },
  { name: "engines", hash: "automation?tab=engines" },
  { name: "schedule", hash: "minions/web0003.example?tab=schedule" },
  { name: "beacons", hash: "minions/web0003.example?tab=beacons" },
  { name: "minion_jobs", hash: "minions/web0003.example?tab=jobs" },
  { name: "keys", hash: "keys" },
  { name: "events", hash: "events" },
  { name: "minion", hash: "minions/web0003.example" },
  { name: "lost_job", hash: "jobs/20260101000000000000" },
];

const out = process.argv[2];
if (out === undefined || gap !== undefined) {
  console.error(gap ?? "Usage: node tests/console/screenshots.ts FILE.png | FOLDER/");
  process.exit(1);
}
const browser = await openBrowser();
// Returns come slowly enough that no picture of a running job is empty.
const api = await new FakeApi({ minions: 48, pending: 2, returnsPerSecond: 400, previews: true }).open();
try {
  if (out.endsWith(".png")) await takeJob(out);
  else await takeAll(out);
} finally {
  await browser.close();
  await api.close();
}

async function enter(theme: Theme, width: number, height: number): Promise<Page> {
  const { page } = await openPage(browser, api.url, width, height);
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  await signIn(page, "file", "ada", PASSWORD);
  await page.getByText("cache0001.example").waitFor();
  return page;
}

async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate(`void (location.hash = ${JSON.stringify(hash)})`);
}

/** Runs `state.apply` on all minions and waits for its end. */
async function runJob(page: Page): Promise<void> {
  await go(page, '#/run?tgt=*&fun=state.apply&arg=["app"]');
  await page.getByRole("button", { name: "Run on 48 minions" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Run on 48 minions" }).click();
  await page.getByText("Finished on 48 minions").waitFor();
}

async function takeJob(file: string): Promise<void> {
  const page = await enter("light", 1120, 700);
  await runJob(page);
  // Otherwise the row under the pointer is highlighted.
  await page.mouse.move(0, 0);
  await page.screenshot({ path: file });
}

async function takeAll(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const theme of ["light", "dark"] as const) {
    for (
      const { size, width, height } of [
        { size: "1440", width: 1440, height: 900 },
        { size: "1024", width: 1024, height: 768 },
        { size: "768", width: 768, height: 1024 },
        { size: "390", width: 390, height: 844 },
      ]
    ) {
      const page = await enter(theme, width, height);
      const shoot = (name: string) => page.screenshot({ path: path.join(folder, `${name}-${size}-${theme}.png`) });
      await runJob(page);
      await shoot("job");
      await page.getByText("Equal returns", { exact: true }).click();
      await page.getByText(/identical/).waitFor();
      await shoot("groups");
      for (const { name, hash } of PAGES) {
        await go(page, `#/${hash}`);
        await page.getByRole("main").waitFor();
        // The page is complete once the server has answered everything.
        await page.waitForLoadState("networkidle").catch(() => {});
        await page.waitForTimeout(700);
        await shoot(name);
      }
      await go(page, "#/keys");
      await page.getByRole("button", { name: "Accept new1.example" }).click();
      await shoot("accept");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await shoot("palette");
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await shoot("help");
      await page.context().clearCookies();
      await page.reload();
      await page.getByLabel("Password").waitFor();
      await shoot("sign_in");
      await page.context().close();
    }
  }
}
