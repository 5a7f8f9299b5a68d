/** A page of the console with its parameters: the part of the address after `#`. */
export interface PageRoute {
  page: "fleet" | "run" | "jobs" | "job" | "keys" | "events" | "automation" | "issues" | "access" | "minion" | "batch";
  /** The name after the page: a jid, or the id of a minion. */
  name: string;
  query: Record<string, string>;
}

const PAGES: ReadonlySet<string> = new Set([
  "fleet",
  "run",
  "jobs",
  "keys",
  "events",
  "automation",
  "issues",
  "access",
]);

/** Parses the part of the address after `#`; unknown ones lead to the fleet. */
export function parseRoute(hash: string): PageRoute {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [page = "", ...rest] = path.split("/");
  const name = decode(rest.join("/"));
  const query = Object.fromEntries(new URLSearchParams(search));
  if (name !== "" && page === "jobs") return { page: "job", name, query };
  if (name !== "" && page === "batches") return { page: "batch", name, query };
  if (name !== "" && page === "minions") return { page: "minion", name, query };
  return { page: PAGES.has(page) ? page as PageRoute["page"] : "fleet", name: "", query };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The pages whose address has another name. */
const PATHS: Partial<Record<PageRoute["page"], string>> = { job: "jobs", minion: "minions", batch: "batches" };

/** The address that {@link parseRoute} reads as this page. */
export const hrefOf = ({ page, name, query }: PageRoute): string => href(PATHS[page] ?? page, name, query);

/** The address of a page; empty values are left out. */
export function href(page: string, name = "", query: Record<string, string> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${page}${name === "" ? "" : `/${encodeURIComponent(name)}`}${search === "" ? "" : `?${search}`}`;
}
