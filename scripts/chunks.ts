/** Which modules of programs share a file of their bundle: a file costs more to find than its text costs to read. */
import path from "node:path";

/** Modules by their id, with what each imports (at once, and when it is needed), and its size in bytes. */
export type ModuleGraph = Map<string, { first: string[]; later: string[]; bytes: number }>;

/** All that is loaded with a module. */
function closure(graph: ModuleGraph, from: string): Set<string> {
  const found = new Set([from]);
  for (const id of found) for (const one of graph.get(id)?.first ?? []) found.add(one);
  return found;
}

/** The modules that programs may come to load by themselves, after their beginnings. */
function laterParts(graph: ModuleGraph, entries: readonly string[]): Set<string> {
  const found = new Set(entries);
  const later = new Set<string>();
  for (const id of found) {
    const imported = graph.get(id) ?? { first: [], later: [], bytes: 0 };
    for (const one of [...imported.first, ...imported.later]) found.add(one);
    if (!entries.includes(id)) { for (const one of imported.later) later.add(one); }
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
  if (folder !== "plugins") return rest[0]!;
  // A module is loaded by itself, and by the states of its name.
  return rest[0] === "modules" ? `modules-${path.basename(rest[1]!, ".ts")}` : `plugins-${rest[0]}`;
}

/** Bytes below which a file costs more to find than to read where it is not needed. */
const SMALL = 40 * 1024;

/**
 * Small groups join the least group that has all of their beginnings. What a module imports is loaded by all beginnings that load the
 * module, so that files never load each other; a group joins only where that stays so.
 *
 * @param begun beginnings by module, as words
 */
function withoutSmall(begun: ReadonlyMap<string, string>, graph: ModuleGraph): Map<string, string> {
  const keys = new Map(begun);
  const beginnings = (key: string) => key.split(" ");
  const covers = (wide: string, key: string) => beginnings(key).every((one) => beginnings(wide).includes(one));
  const bySize = [...new Set(begun.values())].sort((a, b) => beginnings(a).length - beginnings(b).length);
  for (const key of bySize) {
    const ids = [...keys].filter(([, own]) => own === key).map(([id]) => id);
    if (ids.reduce((sum, id) => sum + graph.get(id)!.bytes, 0) >= SMALL) continue;
    const imported = ids.flatMap((id) => graph.get(id)!.first).map((id) => keys.get(id) ?? key);
    const left = new Set(keys.values());
    const wider = bySize.find((other) =>
      other !== key && left.has(other) && covers(other, key) &&
      imported.every((one) => one === key || covers(one, other))
    );
    if (wider !== undefined) { for (const id of ids) keys.set(id, wider); }
  }
  return keys;
}

/**
 * Names of files by module. What is loaded at a beginning goes by the beginnings that load it. What several later parts share goes by
 * folder. A module without a name stays with the only part that loads it, or with the programs themselves.
 *
 * @param entries the programs: modules that only load their beginnings (`salt-minion` begins as a daemon or as the process of a job)
 */
export function chunkNames(graph: ModuleGraph, entries: readonly string[], root: string): Map<string, string> {
  const early = new Set(entries.flatMap((entry) => [...closure(graph, entry)]));
  const begun = new Map<string, string>();
  for (const one of new Set(entries.flatMap((entry) => graph.get(entry)!.later))) {
    const beginning = path.basename(one, ".ts");
    for (const id of closure(graph, one)) begun.set(id, begun.has(id) ? `${begun.get(id)} ${beginning}` : beginning);
  }
  const loads = new Map<string, number>();
  for (const part of laterParts(graph, entries)) {
    for (const id of closure(graph, part)) loads.set(id, (loads.get(id) ?? 0) + 1);
  }
  const own = (id: string) => !early.has(id) && path.isAbsolute(id);
  const groups = withoutSmall(new Map([...begun].filter(([id]) => own(id))), graph);
  const several = [...new Set(groups.values())].filter((key) => key.includes(" "));
  const shared = new Map(several.map((key, at) => [key, at + 1]));
  const names = new Map<string, string>();
  for (const id of new Set([...groups.keys(), ...loads.keys()])) {
    if (!own(id)) continue;
    const key = groups.get(id);
    if (key !== undefined) names.set(id, shared.has(key) ? `shared-${shared.get(key)}` : `begin-${key}`);
    else if (loads.get(id)! > 1) names.set(id, folderName(root, id));
  }
  return names;
}
