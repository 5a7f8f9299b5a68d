/** POSIX paths as text, without access to files. */

/** Joins parts with one slash between them; an absolute part drops what is before it, as in Salt's configuration. */
export function joinPath(...parts: string[]): string {
  let path = "";
  for (const part of parts) {
    if (part === "") continue;
    if (part.startsWith("/") || path === "") path = part;
    else path = path.endsWith("/") ? path + part : `${path}/${part}`;
  }
  return path;
}

/** The path without its last part: `/a/b` of `/a/b/c`, `.` of `c`. */
export function dirName(path: string): string {
  const at = path.replace(/\/+$/, "").lastIndexOf("/");
  return at < 0 ? "." : at === 0 ? "/" : path.slice(0, at);
}

/** The last part: `c` of `/a/b/c`. */
export function baseName(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  return trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

/** What makes a path another one once it is normalised: a part that is empty, `.` or `..`, and a slash at its end. */
const NOT_NORMAL = /^$|\/\/|(?:^|\/)\.{1,2}(?:\/|$)|.\/$/s;

/** Resolves `.`, `..` and doubled slashes; `..` at the root stays at the root. */
export function normalizePath(path: string): string {
  if (!NOT_NORMAL.test(path)) return path;
  const absolute = path.startsWith("/");
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && kept.length > 0 && kept[kept.length - 1] !== "..") kept.pop();
    else if (part !== ".." || !absolute) kept.push(part);
  }
  return (absolute ? "/" : "") + kept.join("/") || (absolute ? "/" : ".");
}

/** True if `path` is `directory` or is below it; both are normalised first. */
export function isWithin(directory: string, path: string): boolean {
  const base = normalizePath(directory);
  const full = normalizePath(path);
  return full === base || full.startsWith(base === "/" ? "/" : base + "/");
}
