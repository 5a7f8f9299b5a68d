/** The commands of docs/getting-started.md, pasted into a shell: the page that newcomers read first is run with every change. */
import process from "node:process";
import { test } from "node:test";
import { commandsOf } from "../docs/blocks.ts";
import { paste } from "../docs/paste.ts";
import { PATIENCE_MS, Place } from "../docs/place.ts";
import { settingOf } from "../docs/settings.ts";

/** Package scripts choose the runtime by who runs them, which here is npm. */
const notNode = process.versions.bun !== undefined || process.versions.deno !== undefined;
const skip = notNode ? "npm runs Node" : process.platform === "win32" ? "there is no sh" : false;
const PAGE = "docs/getting-started.md";

test(`${PAGE}, pasted`, { skip, timeout: 4 * PATIENCE_MS }, async (context) => {
  await using place = await Place.open(settingOf(PAGE));
  for (const block of commandsOf(PAGE).filter(({ notRun }) => notRun === undefined)) {
    await context.test(`line ${block.line}`, () => paste(place, block));
  }
});
