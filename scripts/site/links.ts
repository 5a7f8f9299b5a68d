/** Where a link of a document leads on the site. */
import { existsSync, statSync } from "node:fs";
import path from "node:path";

/** The address of a page on the site, from its root: `docs/api.md` → `api.html`, `docs/README.md` → `index.html`. */
export function addressOf(file: string): string {
  const below = file.startsWith("docs/") ? file.slice("docs/".length) : file;
  if (below === "README.md") return "index.html";
  return below.replace(/(?:\/README)?\.md$/i, ".html").toLowerCase();
}

/** Files of the repository that the documents show: they are copied as text. */
export const sourceAddress = (file: string): string => `source/${file}.txt`;

export interface Target {
  /** Relative to the page; undefined if there is nothing to lead to on the site, such as a folder. */
  href: string | undefined;
  /** A file of the repository that is to be copied there. */
  copy?: string;
}

/**
 * A link of the document `file` (`docs/api.md`) as the site has it.
 *
 * @param pages documents that are pages of the site
 */
export function siteLink(root: string, file: string, href: string, pages: ReadonlySet<string>): Target {
  if (/^[a-z]+:/i.test(href) || href.startsWith("#")) return { href };
  const [name = "", anchor] = href.split("#", 2);
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), name));
  const from = path.posix.dirname(addressOf(file));
  const to = (address: string) => path.posix.relative(from, address) + (anchor === undefined ? "" : `#${anchor}`);
  if (pages.has(target)) return { href: to(addressOf(target)) };
  const full = path.join(root, target);
  if (!existsSync(full) || statSync(full).isDirectory()) return { href: undefined };
  // Pictures and the like lie beside the pages.
  if (target.startsWith("docs/")) return { href: to(target.slice("docs/".length)) };
  return { href: to(sourceAddress(target)), copy: target };
}
