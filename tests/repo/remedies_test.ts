/** Remedies that destroy something say when they are right: the reader may have the other cause. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Commands and advice after which something is gone, or somebody is locked out. */
const DESTROYS = /salt-key -d\b|salt-key --delete\b|delete (?:the|its|old) key|delete minion_master|\brm -r?f?\b.*pki/i;
/** What names the one case in which that is right. */
const CONDITION =
  /only (?:if|for)|if it is\s+intended|\bgone\b|stolen|deletes every key|locked out|knows one key|reinstalled: |; else /i;

/** Texts of sources, each with what it is joined to by `+`. */
function* textsOf(source: string): Generator<string> {
  const joined = source.replace(/["'`]\s*\+\s*["'`]/g, "");
  for (const line of joined.split("\n")) if (!/^\s*(?:\*|\/\/|\/\*\*)/.test(line)) yield line;
}

/** Rows, items and paragraphs of a page; blocks of commands stand for themselves. */
function* paragraphsOf(page: string): Generator<string> {
  for (const part of page.replace(/^```[\s\S]*?^```/gm, "").split(/\n(?=\n|[|-] )/)) yield part;
}

function* filesBelow(folder: string, extension: RegExp): Generator<string> {
  for (const name of readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })) {
    if (extension.test(name)) yield path.join(folder, name);
  }
}

/** What documents a function, and the types written from that. */
const DESCRIBES = /^src\/(?:client\/functions|plugins)\/|^docs\/(?:options|compatibility-table)\.md$/;

const remedies = [
  ...[...filesBelow("src", /\.tsx?$/), ...filesBelow("cli", /\.ts$/)].flatMap((file) =>
    [...textsOf(readFileSync(path.join(root, file), "utf8"))].map((text) => ({ file, text }))
  ),
  ...[...filesBelow("docs", /\.md$/), "README.md"].flatMap((file) =>
    [...paragraphsOf(readFileSync(path.join(root, file), "utf8"))].map((text) => ({ file, text }))
  ),
].filter(({ file, text }) => !DESCRIBES.test(file) && DESTROYS.test(text));

test("there are remedies that destroy", () => assert.ok(remedies.length > 5, String(remedies.length)));

for (const { file, text } of remedies) {
  test(`${file}: ${text.trim().slice(0, 70)} … says when that is right`, () => assert.match(text, CONDITION));
}
