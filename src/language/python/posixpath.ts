/** Python's `os.path` for POSIX systems: splits and joins paths as text, without reading the file system. */

/** The part before the last slash, without trailing slashes unless it consists of slashes alone. */
export function dirname(path: string): string {
  const head = path.slice(0, path.lastIndexOf("/") + 1);
  return /^\/*$/.test(head) ? head : head.replace(/\/+$/, "");
}

/** The part after the last slash; empty if the path ends in one. */
export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Joins parts with a slash between them; an absolute part replaces everything before it. */
export function join(first: string, ...parts: string[]): string {
  let path = first;
  for (const part of parts) {
    if (part.startsWith("/")) path = part;
    else path += path === "" || path.endsWith("/") ? part : `/${part}`;
  }
  return path;
}

/** Resolves `.`, `..` and repeated slashes. Exactly two slashes at the start are kept. */
export function normpath(path: string): string {
  if (path === "") return ".";
  const root = path.startsWith("/") ? path.startsWith("//") && !path.startsWith("///") ? "//" : "/" : "";
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== ".." || (root === "" && kept.length === 0) || kept.at(-1) === "..") kept.push(part);
    else kept.pop();
  }
  return root + kept.join("/") || ".";
}

/** The relative path from the absolute path `start` to the absolute path `path`. */
export function relpath(path: string, start: string): string {
  const [to, from] = [path, start].map((text) => normpath(text).split("/").filter((part) => part !== ""));
  let same = 0;
  while (same < to!.length && same < from!.length && to![same] === from![same]) same += 1;
  return [...from!.slice(same).map(() => ".."), ...to!.slice(same)].join("/") || ".";
}
