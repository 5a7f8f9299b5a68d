/** Where a file of the file server is: `salt://path?saltenv=name`. */
interface SaltUrl {
  /** The path below the roots. A leading `|` says that a question mark is part of the name. */
  path: string;
  saltenv?: string;
}

const SCHEME = "salt://";

/** The parts of a `salt://` URL; undefined for anything else. */
export function parseSaltUrl(url: string): SaltUrl | undefined {
  if (!url.startsWith(SCHEME)) return undefined;
  const path = url.slice(SCHEME.length);
  const at = path.startsWith("|") ? -1 : path.indexOf("?saltenv=");
  return at < 0 ? { path } : { path: path.slice(0, at), saltenv: path.slice(at + "?saltenv=".length) };
}

/** The `salt://` URL of a path as the file server lists it. */
export function saltUrl(path: string): string {
  return `${SCHEME}${path.includes("?") ? "|" : ""}${path}`;
}

/** The path below the roots as on the disk: without the leading `|`. */
export function plainPath(path: string): string {
  return path.replace(/^\|+/, "");
}

/** Splits the path of a request at its query, as Salt's file server does. A path that begins with `|` has no query. */
export function splitQuery(path: string): SaltUrl {
  if (path.startsWith("|")) return { path: plainPath(path) };
  const at = path.indexOf("?");
  if (at < 0) return { path };
  const saltenv = new URLSearchParams(path.slice(at + 1)).get("saltenv");
  return { path: path.slice(0, at), ...(saltenv === null ? {} : { saltenv }) };
}

/** True if a path is relative, names something, and does not lead upward. */
export function isConfined(path: string): boolean {
  return path !== "" && !path.startsWith("/") && !path.includes("\0") && !path.split("/").includes("..");
}

/** True for the name of an environment that may be part of a path: several parts at most, none of which leads upward. */
export function isEnvironment(name: unknown): name is string {
  return typeof name === "string" && name.length <= 255 && isConfined(name) &&
    name.split("/").every((part) => part !== "" && part !== ".");
}
