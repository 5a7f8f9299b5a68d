/** The messages that docs/troubleshooting.md explains are ones that people can meet. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(path.join(root, "docs/troubleshooting.md"), "utf8");

/** A source as its messages read: texts that are joined by `+`, quotes and backslashes as they are printed. */
const asPrinted = (text: string) => text.replace(/["'`]\s*\+\s*["'`]/g, "").replace(/\\(["'`])/g, "$1");

const sources = ["src", "cli"].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
    .map((name) => asPrinted(readFileSync(path.join(root, folder, name), "utf8")))
);

/** Whether one source has all parts of a message: `…` is what changes, and so is what stands in brackets. */
function isThere(message: string): boolean {
  const parts = message.split(/[…[\]]/).map((part) => part.trim()).filter((part) => part.length > 2);
  return sources.some((text) => parts.every((part) => text.includes(part)));
}

/** The first column of the tables of messages. */
const messages = page.split(/^## /m).filter((section) => section.startsWith("By message"))
  .flatMap((section) => [...section.matchAll(/^\| (?:\d{3} )?`([^`]+)` \|/gm)].map(([, message]) => message!));

test("every message of docs/troubleshooting.md is in the code", () => {
  assert.ok(messages.length > 60, `${messages.length} messages`);
  assert.deepEqual(messages.filter((message) => !isThere(message)), []);
});

test("a message that is not in the code is found", () => {
  assert.equal(isThere("Port … (…) is in use on …"), true);
  assert.equal(isThere("Port … is taken by a dog"), false);
});

test("every row of a table of messages begins with one", () => {
  const rows = page.slice(page.indexOf("## By message")).split("\n").filter((line) =>
    line.startsWith("| ") && !/^\| (?:status and )?message/.test(line)
  );
  assert.equal(rows.length, messages.length);
});
