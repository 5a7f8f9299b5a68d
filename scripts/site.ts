/**
 * Builds the documentation as a site of plain files: `npm run docs:site` writes `dist/site`, which any web server, or a browser
 * without one, shows. `--to DIR` writes elsewhere.
 *
 * The pages are the documents of the repository as they are; `site/navigation.ts` has their order.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { anchors, type Heading, headingsOf, plainHeading } from "./site/headings.ts";
import { layout } from "./site/layout.ts";
import { addressOf, siteLink, sourceAddress } from "./site/links.ts";
import { NAVIGATION, type Page, type Section } from "./site/navigation.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The menu with the pages that are there, and the records of decisions behind it. */
export function siteNavigation(): Section[] {
  const records = readdirSync(path.join(ROOT, "docs/adr")).filter((name) => name.endsWith(".md")).sort().map((name) => {
    const [first] = headingsOf(readFileSync(path.join(ROOT, "docs/adr", name), "utf8"));
    return { file: `docs/adr/${name}`, title: first?.text ?? name };
  });
  const written = NAVIGATION.map(({ title, pages }) => ({
    title,
    pages: pages.filter(({ file }) => existsSync(path.join(ROOT, file))),
  }));
  return [...written, { title: "Decisions", pages: records }];
}

/** What is used of a token of markdown-it. */
interface Token {
  type: string;
  tag: string;
  content: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface Markdown {
  core: {
    ruler: {
      push(
        name: string,
        rule: (state: { tokens: Token[]; env: { page: { inputPath: string } }; Token: TokenMaker }) => void,
      ): void;
    };
  };
  renderer: { rules: Record<string, (tokens: readonly Token[], at: number) => string> };
  utils: { escapeHtml(text: string): string };
}
type TokenMaker = new (type: string, tag: string, nesting: number) => Token;

interface EleventyConfig {
  amendLibrary(name: "md", change: (markdown: Markdown) => void): void;
  addTransform(
    name: string,
    change: (this: { page: { inputPath: string } }, content: string) => string,
  ): void;
  addTemplate(name: string, content: string): void;
  addGlobalData(name: string, value: unknown): void;
  addPassthroughCopy(files: Record<string, string> | string): void;
  setUseGitIgnore(on: boolean): void;
}

type EleventyClass = new (
  input: string,
  output: string,
  options: { quietMode: boolean; configPath: false; config(config: EleventyConfig): void },
) => { write(): Promise<unknown> };

/** A document by the path that the generator has for it: those outside of `docs/` are handed over under `docs/_root/`. */
const fileOf = (inputPath: string) => path.posix.normalize(inputPath).replace(/^docs\/_root\//, "");

/** Headings get their anchors, links lead to pages, wide tables can be scrolled. */
function asPages(markdown: Markdown, pages: ReadonlySet<string>, copies: Set<string>): void {
  markdown.core.ruler.push("pages", ({ tokens, env, Token }) => {
    const file = fileOf(env.page.inputPath);
    const next = anchors();
    for (const [at, token] of tokens.entries()) {
      if (token.type === "heading_open") {
        const inline = tokens[at + 1]!;
        const anchor = next(inline.content);
        token.attrSet("id", anchor);
        const mark = new Token("html_inline", "", 0);
        mark.content = `<a class="anchor" href="#${anchor}" aria-label="Link to this heading">#</a>`;
        inline.children?.push(mark);
      }
      for (const child of token.children ?? []) {
        if (child.type !== "link_open") continue;
        const { href, copy } = siteLink(ROOT, file, child.attrGet("href")!, pages);
        child.attrSet("href", href ?? `#`);
        if (copy !== undefined) copies.add(copy);
      }
    }
  });
  markdown.renderer.rules.table_open = () => '<div class="table"><table>';
  markdown.renderer.rules.table_close = () => "</table></div>";
  // A browser would break `--as` behind its second hyphen, and a short name anywhere in a narrow column.
  markdown.renderer.rules.code_inline = (tokens, at) => {
    const text = markdown.utils.escapeHtml(tokens[at]!.content);
    return `<code>${text.replace(/[^ ]+/g, (word) => word.length > 16 ? word : `<span>${word}</span>`)}</code>`;
  };
}

interface Found {
  /** Address with anchor. */
  id: string;
  page: string;
  heading: string;
  text: string;
}

/** The search library's index, as far as it is used here. */
type SearchIndex = new (options: typeof SEARCH) => { addAll(entries: readonly unknown[]): void };

const SEARCH = {
  fields: ["heading", "page", "body"],
  storeFields: ["page", "heading", "text"],
  searchOptions: { boost: { heading: 3, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
};

/** Each part of each page by itself, so that a hit leads to the heading above it. */
function searchEntries({ file, title }: Page): (Found & { body: string })[] {
  const text = readFileSync(path.join(ROOT, file), "utf8");
  const next = anchors();
  // Code counts, too, but a `#` in it begins no part.
  const parts = text.replace(/^```[\s\S]*?^```/gm, (code) => code.replace(/^#/gm, " #")).split(/^(?=#{1,4} )/m);
  return parts.map((part) => {
    const [, heading] = /^#{1,4} (.+)/.exec(part) ?? [];
    const body = part.replace(/^#.*\n/, "").replace(/<!--[\s\S]*?-->|```\w*|[`*|]|\]\([^)]*\)|\[|-{3,}/g, " ").replace(
      /\s+/g,
      " ",
    ).trim();
    const anchor = heading === undefined ? "" : `#${next(heading)}`;
    const shown = heading === undefined || part.startsWith("# ") ? title : plainHeading(heading);
    return { id: addressOf(file) + anchor, page: title, heading: shown, text: body.slice(0, 140), body };
  }).filter(({ body, heading }) => body !== "" || heading !== "");
}

async function writeSearch(pages: readonly Page[], out: string): Promise<void> {
  const library = "minisearch";
  const { default: MiniSearch } = await import(library) as { default: SearchIndex };
  const index = new MiniSearch(SEARCH);
  index.addAll(pages.flatMap(searchEntries));
  // A script rather than data: a page that was opened from a file may not fetch.
  writeFileSync(
    path.join(out, "search-index.js"),
    `globalThis.brineSearch = ${JSON.stringify({ options: SEARCH, data: index })};\n`,
  );
  cpSync(path.join(ROOT, "node_modules/minisearch/dist/umd/index.js"), path.join(out, "minisearch.js"));
}

/** Builds the site into a directory, which is emptied first; gives the addresses of its pages. */
export async function buildSite(out: string): Promise<string[]> {
  // Named at run time: whoever builds no site can do without the package.
  const generator = "@11ty/eleventy";
  const { default: Eleventy } = await import(generator) as { default: EleventyClass };
  const navigation = siteNavigation();
  const pages = navigation.flatMap((section) => section.pages);
  const names = new Set(pages.map(({ file }) => file));
  const copies = new Set<string>();
  const headings = new Map<string, Heading[]>(
    pages.map(({ file }) => [file, headingsOf(readFileSync(path.join(ROOT, file), "utf8"))]),
  );
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const former = process.cwd();
  process.chdir(ROOT);
  try {
    await new Eleventy("docs", out, {
      quietMode: true,
      configPath: false,
      config: (config) => {
        config.setUseGitIgnore(false);
        config.addGlobalData("markdownTemplateEngine", false);
        config.addGlobalData("templateEngineOverride", "md");
        config.addGlobalData(
          "permalink",
          () => ({ page }: { page: { inputPath: string } }) => addressOf(fileOf(page.inputPath)),
        );
        config.amendLibrary("md", (markdown) => asPages(markdown, names, copies));
        for (const { file } of pages) {
          if (!file.startsWith("docs/")) config.addTemplate(`_root/${file}`, readFileSync(file, "utf8"));
        }
        for (const end of ["png", "svg", "json"]) config.addPassthroughCopy(`docs/**/*.${end}`);
        config.addPassthroughCopy({ "scripts/site/style.css": "style.css", "scripts/site/search.js": "search.js" });
        config.addTransform("frame", function (content) {
          const file = fileOf(this.page.inputPath);
          const page = pages.find((one) => one.file === file);
          if (page === undefined) {
            throw new Error(`${file} is in no section of scripts/site/navigation.ts: add it there`);
          }
          return layout({ page, content, parts: headings.get(file)!.filter(({ level }) => level === 2), navigation });
        });
      },
    }).write();
  } finally {
    process.chdir(former);
  }
  for (const file of copies) {
    mkdirSync(path.dirname(path.join(out, sourceAddress(file))), { recursive: true });
    cpSync(path.join(ROOT, file), path.join(out, sourceAddress(file)));
  }
  await writeSearch(pages, out);
  return pages.map(({ file }) => addressOf(file));
}

if (import.meta.main) {
  const to = process.argv.indexOf("--to");
  const out = to < 0 ? path.join(ROOT, "dist/site") : path.resolve(process.argv[to + 1] ?? "");
  const pages = await buildSite(out);
  console.log(`${pages.length} pages in ${out}`);
}
