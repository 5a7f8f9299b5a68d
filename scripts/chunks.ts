/** Which modules of a program share a file of its bundle: a file costs more to find than its text costs to read. */
import path from "node:path";

/** Modules by their id, with what each imports: at once, and when it is needed. */
export type ModuleGraph = Map<string, { first: string[]; later: string[] }>;

/** All that is loaded with a module. */
function closure(graph: ModuleGraph, from: string): Set<string> {
  const found = new Set([from]);
  for (const id of found) for (const one of graph.get(id)?.first ?? []) found.add(one);
  return found;
}

/** The modules that a program may come to load by themselves, after its beginning. */
function laterParts(graph: ModuleGraph, entry: string): Set<string> {
  const found = new Set([entry]);
  const later = new Set<string>();
  for (const id of found) {
    const imported = graph.get(id) ?? { first: [], later: [] };
    for (const one of [...imported.first, ...imported.later]) found.add(one);
    if (id !== entry) { for (const one of imported.later) later.add(one); }
  }
  return later;
}

/** Where the folders of the tree stand: `src/language/yaml/line.ts` → `yaml`, `src/plugins/linux/words.ts` → `plugins-linux`. */
function folderName(root: string, id: string): string {
  const [top = "", folder = "", ...rest] = path.relative(root, id).split(path.sep);
  if (top === "node_modules") return folder.startsWith("@") ? `${folder.slice(1)}-${rest[0]}` : folder;
  if (top !== "src") return top;
  // Each folder of plugins has plugins of another kind, and each folder of a room owns something else. These two rooms are one thing.
  if (rest.length < 2 || folder === "client" || folder === "runtime") return folder;
  return folder === "plugins" ? `plugins-${rest[0]}` : rest[0]!;
}

/**
 * Names of files by module. What the beginnings of the program load goes by which of them do (`salt-minion` begins as a daemon or
 * as the process of a job), and by whether a later part loads it, too. What several later parts share goes by folder. A module
 * without a name stays with the only part that loads it.
 *
 * @param entry the program: a module that only loads one of its beginnings
 */
export function chunkNames(graph: ModuleGraph, entry: string, root: string): Map<string, string> {
  const early = closure(graph, entry);
  const beginnings = graph.get(entry)!.later;
  const begun = new Map<string, string[]>();
  for (const one of beginnings) {
    for (const id of closure(graph, one)) begun.set(id, [...begun.get(id) ?? [], path.basename(one, ".ts")]);
  }
  const loads = new Map<string, number>();
  for (const part of laterParts(graph, entry)) {
    for (const id of closure(graph, part)) loads.set(id, (loads.get(id) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  for (const id of new Set([...begun.keys(), ...loads.keys()])) {
    if (early.has(id) || !path.isAbsolute(id)) continue;
    const by = begun.get(id);
    const count = loads.get(id) ?? 0;
    if (by !== undefined) {
      // One file where all of them need it.
      const shared = count > 0 && by.length < beginnings.length ? ["shared"] : [];
      names.set(id, by.length === beginnings.length ? "main" : [...by, ...shared].join("-"));
    } else if (count > 1) names.set(id, folderName(root, id));
  }
  return names;
}
