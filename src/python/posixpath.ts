/** Paths as Python's `os.path` cuts and joins them on POSIX systems: as text, no file is looked at. */

/** What stands before the last slash, without slashes at its end unless it is nothing else. */
export function dirname(path: string): string {
  const head = path.slice(0, path.lastIndexOf("/") + 1);
  return /^\/*$/.test(head) ? head : head.replace(/\/+$/, "");
}

/** What stands behind the last slash: nothing if the path ends in one. */
export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Joins parts with a slash between; an absolute part starts afresh. */
export function join(first: string, ...parts: string[]): string {
  let path = first;
  for (const part of parts) {
    if (part.startsWith("/")) path = part;
    else path += path === "" || path.endsWith("/") ? part : `/${part}`;
  }
  return path;
}

/** Resolves `.`, `..` and doubled slashes. Two slashes at the start, no more and no less, stay. */
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

/** The way from one absolute path to another. */
export function relpath(path: string, start: string): string {
  const [to, from] = [path, start].map((text) => normpath(text).split("/").filter((part) => part !== ""));
  let same = 0;
  while (same < to!.length && same < from!.length && to![same] === from![same]) same += 1;
  return [...from!.slice(same).map(() => ".."), ...to!.slice(same)].join("/") || ".";
}
