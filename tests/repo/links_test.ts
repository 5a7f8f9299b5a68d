/** Every link of the documents leads somewhere, and every document is in the menu of the site. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { anchorOf, headingsOf } from "../../scripts/site/headings.ts";
import { siteLink } from "../../scripts/site/links.ts";
import { NAVIGATION } from "../../scripts/site/navigation.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const below = (folder: string) => readdirSync(path.join(root, folder)).filter((name) => name.endsWith(".md"));
const PAGES = ["docs", "docs/internals"].flatMap((folder) => below(folder).map((name) => `${folder}/${name}`));
const DOCUMENTS = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "bench/README.md",
  ...PAGES,
  ...below("docs/adr").map((name) => `docs/adr/${name}`),
];

const textOf = (file: string) => readFileSync(path.join(root, file), "utf8");
/** A document without its code, where links are text. */
const prose = (file: string) => textOf(file).replace(/^```[\s\S]*?^```/gm, "").replace(/`(?:[^`\n]|\n(?!\n))+`/g, "``");

interface Link {
  file: string;
  href: string;
}

const links: Link[] = DOCUMENTS.flatMap((file) =>
  [...prose(file).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map(([, href]) => ({ file, href: href! }))
);

function problemOf({ file, href }: Link): string | undefined {
  if (/^[a-z]+:/i.test(href)) return problemOfAddress(href);
  const [name = "", anchor] = href.split("#", 2);
  const target = name === "" ? file : path.posix.join(path.posix.dirname(file), name);
  if (target.startsWith("..") || !existsSync(path.join(root, target))) return "there is no such file";
  if (anchor === undefined) return undefined;
  return headingsOf(textOf(target)).some((heading) => heading.anchor === anchor)
    ? undefined
    : `${target} has no heading with that anchor`;
}

/** Nothing is fetched: other sites come and go. */
function problemOfAddress(href: string): string | undefined {
  if (!URL.canParse(href)) return "this is no address";
  const { protocol, hostname } = new URL(href);
  if (protocol !== "https:") return "only https";
  return hostname.includes(".") ? undefined : "a host without a domain";
}

const problems = (found: readonly Link[]) =>
  found.flatMap((link) => {
    const problem = problemOf(link);
    return problem === undefined ? [] : [`${link.file}: ${link.href}: ${problem}`];
  });

test("every link of a document leads to a file and a heading that are there", () => {
  assert.ok(links.length > 50, `${links.length} links`);
  assert.deepEqual(problems(links), []);
});

for (
  const { name, href, says } of [
    { name: "a file that is gone", href: "gone.md", says: "no such file" },
    { name: "a heading that is gone", href: "api.md#gone", says: "no heading" },
    { name: "a file outside of the repository", href: "../../other.md", says: "no such file" },
    { name: "an address without TLS", href: "http://example.com/", says: "only https" },
    { name: "an address that does not parse", href: "https://", says: "no address" },
  ]
) {
  test(`a link to ${name} is found`, () => {
    const [problem] = problems([{ file: "docs/api.md", href }]);
    assert.match(problem!, new RegExp(says));
  });
}

test("anchors are those of forges", () => {
  assert.equal(
    anchorOf('4.3 X9.31 tokens ("private encrypt / public decrypt")'),
    "43-x931-tokens-private-encrypt--public-decrypt",
  );
  assert.equal(anchorOf("`transport: ws`, and [more](x.md)"), "transport-ws-and-more");
  const twice = headingsOf("# A\n\n## B\n\n```sh\n# no heading\n```\n\n## B\n");
  assert.deepEqual(twice.map(({ anchor }) => anchor), ["a", "b", "b-1"]);
});

test("every document is in the menu of the site, once", () => {
  const named = NAVIGATION.flatMap(({ pages }) => pages.map(({ file }) => file));
  const missing = PAGES.filter((file) => !named.includes(file));
  assert.deepEqual(missing, [], `add ${missing.join(", ")} to a section of scripts/site/navigation.ts, with a title`);
  assert.equal(new Set(named).size, named.length);
});

test("every document begins with its title, and has no other heading of that level", () => {
  for (const file of DOCUMENTS) {
    const tops = headingsOf(textOf(file)).filter(({ level }) => level === 1);
    assert.equal(tops.length, 1, file);
    assert.match(textOf(file), /^# /, file);
  }
});

test("documents have no HTML but comments, which forges and the site would show in different ways", () => {
  const found = DOCUMENTS.flatMap((file) =>
    [...prose(file).replace(/<!--[\s\S]*?-->/g, "").matchAll(/<\/?[a-z][^>\n]*>/gi)].map(([tag]) => `${file}: ${tag}`)
  );
  assert.deepEqual(found, []);
});

for (
  const { name, href, want } of [
    { name: "another page", href: "permissions.md#backends", want: { href: "permissions.html#backends" } },
    { name: "a page in a folder", href: "adr/0003-own-msgpack.md", want: { href: "adr/0003-own-msgpack.html" } },
    { name: "a picture", href: "console.png", want: { href: "console.png" } },
    { name: "a part of the same page", href: "#saltgui", want: { href: "#saltgui" } },
    { name: "another site", href: "https://example.com/", want: { href: "https://example.com/" } },
    { name: "a folder", href: "../examples/modules", want: { href: undefined } },
    {
      name: "a file of the repository",
      href: "../mod.ts",
      want: { href: "source/mod.ts.txt", copy: "mod.ts" },
    },
  ]
) {
  test(`the site leads to ${name}`, () => {
    const pages = new Set(["docs/permissions.md", "docs/adr/0003-own-msgpack.md"]);
    assert.deepEqual(siteLink(root, "docs/api.md", href, pages), want);
  });
}
