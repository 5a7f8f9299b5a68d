/** The frame of a page: menu, search, the page itself, what comes before and after. Nothing in it is fetched from elsewhere. */
import path from "node:path";
import { addressOf } from "./links.ts";
import type { Page, Section } from "./navigation.ts";

export interface Frame {
  page: Page;
  /** HTML of the page. */
  content: string;
  /** Its headings of the second level. */
  parts: readonly { text: string; anchor: string }[];
  navigation: readonly Section[];
}

const escape = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Whatever a page may load comes from the site itself. */
const POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:";

export function layout({ page, content, parts, navigation }: Frame): string {
  const address = addressOf(page.file);
  const from = path.posix.dirname(address);
  const to = (target: string) => path.posix.relative(from, target);
  const all = navigation.flatMap(({ pages }) => pages);
  const at = all.findIndex(({ file }) => file === page.file);
  return `<!doctype html>
<html lang="en" data-root="${to(".") || "."}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escape(page.title)} · Brine</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to("style.css")}">
<script defer src="${to("search.js")}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header>
<a class="name" href="${to("index.html")}">Brine</a>
<form class="search" role="search" hidden><input type="search" placeholder="Search ( / )" aria-label="Search" autocomplete="off">
<ol class="found" hidden></ol></form>
</header>
<div class="columns">
<nav aria-label="Pages"><details class="menu"><summary>All pages</summary>${menu(navigation, page, to)}</details></nav>
<main id="content">
${content}
<footer>${step(all[at - 1], "before", "← ", to)}${step(all[at + 1], "after", "", to)}</footer>
</main>
<aside aria-label="On this page">${contents(parts)}</aside>
</div>
</body>
</html>
`;
}

function menu(navigation: readonly Section[], current: Page, to: (address: string) => string): string {
  return navigation.map(({ title, pages }) => {
    const items = pages.map((page) => {
      const mark = page.file === current.file ? ' aria-current="page"' : "";
      return `<li><a href="${to(addressOf(page.file))}"${mark}>${escape(page.title)}</a></li>`;
    });
    return `<h2>${escape(title)}</h2><ul>${items.join("")}</ul>`;
  }).join("");
}

function contents(parts: Frame["parts"]): string {
  if (parts.length < 2) return "";
  const items = parts.map(({ text, anchor }) => `<li><a href="#${anchor}">${escape(text)}</a></li>`);
  return `<h2>On this page</h2><ul>${items.join("")}</ul>`;
}

function step(page: Page | undefined, kind: string, arrow: string, to: (address: string) => string): string {
  if (page === undefined) return "";
  const text = kind === "after" ? `${escape(page.title)} →` : `${arrow}${escape(page.title)}`;
  return `<a class="${kind}" href="${to(addressOf(page.file))}">${text}</a>`;
}
