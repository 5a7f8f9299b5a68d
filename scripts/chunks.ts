/** Which modules of programs share a file of their bundle: a file costs more to find than its text costs to read. */
import path from "node:path";

/** Modules by their id, with what each imports (at once, and when it is needed), and its size in bytes. */
export type ModuleGraph = Map<string, { first: string[]; later: string[]; bytes: number }>;

/** All that is loaded with a module, and what is loaded later but in every run. */
function closure(graph: ModuleGraph, from: string, isUsual: (id: string) => boolean = () => false): Set<string> {
  const found = new Set([from]);
  for (const id of found) {
    const { first = [], later = [] } = graph.get(id) ?? {};
    for (const one of [...first, ...later.filter(isUsual)]) found.add(one);
  }
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
  // A module is loaded by itself, and by the states of its name; states are loaded one by one.
  return /^(?:modules|states)$/.test(rest[0]!) ? `${rest[0]}-${path.basename(rest[1]!, ".ts")}` : `plugins-${rest[0]}`;
}

/** Bytes of source text that take as long to load as one more file takes to find: measured on Node with its compile cache. */
const FILE_COST = 50 * 1024;

/** What is imported late, since another runtime, format or outputter may be wanted, and yet is loaded in almost every run. */
export const USUAL: readonly string[] = [
  "src/runtime/node/node_runtime.ts",
  "src/language/yaml/document.ts",
  "src/plugins/outputters/nested.ts",
  "src/plugins/grains/core.ts",
  "cli/pillar.ts",
  "src/language/render/jinja.ts",
  "src/language/render/yaml.ts",
];

/** Beginnings whose time people wait for most often, or that happen once a job. The others count once. */
const WEIGHTS: Readonly<Record<string, number>> = { salt: 3, call: 3, job: 2, part: 2 };

/** Modules that share a file, and the beginnings that load it. */
interface Group {
  begins: ReadonlySet<string>;
  ids: string[];
  bytes: number;
}

/** What the beginnings gain if two groups are one file: each that loads both finds one file less, the others load what they do not need. */
function gainOf(a: Group, b: Group): number {
  let gain = 0;
  for (const [one, other] of [[a, b], [b, a]] as const) {
    for (const begin of one.begins) {
      const both = other.begins.has(begin);
      // A beginning of both is counted twice.
      gain += (WEIGHTS[begin] ?? 1) * (both ? FILE_COST / 2 : -other.bytes);
    }
  }
  return gain;
}

/**
 * Joins groups as long as the beginnings gain by it. What a module imports is loaded by all beginnings that load the module, so that
 * files never load each other; groups join only where that stays so.
 *
 * @param begun beginnings by module
 * @returns the group of each module
 */
function joined(begun: ReadonlyMap<string, ReadonlySet<string>>, graph: ModuleGraph): Map<string, Group> {
  const byBegins = new Map<string, Group>();
  const groupOf = new Map<string, Group>();
  for (const [id, begins] of begun) {
    const key = [...begins].join(" ");
    const group = byBegins.get(key) ?? { begins, ids: [], bytes: 0 };
    byBegins.set(key, group);
    group.ids.push(id);
    group.bytes += graph.get(id)!.bytes;
    groupOf.set(id, group);
  }
  const groups = new Set(byBegins.values());
  const mayJoin = (a: Group, b: Group) => {
    const begins = [...a.begins, ...b.begins];
    return [...a.ids, ...b.ids].flatMap((id) => graph.get(id)!.first).every((id) => {
      const group = groupOf.get(id);
      return group === undefined || group === a || group === b || begins.every((begin) => group.begins.has(begin));
    });
  };
  for (;;) {
    const pairs = [...groups].flatMap((a, at, all) => all.slice(at + 1).map((b) => ({ a, b, gain: gainOf(a, b) })));
    const best = pairs.filter(({ gain }) => gain > 0).sort((one, other) => other.gain - one.gain)
      .find(({ a, b }) => mayJoin(a, b));
    if (best === undefined) return groupOf;
    const { a, b } = best;
    a.begins = new Set([...a.begins, ...b.begins]);
    a.ids.push(...b.ids);
    a.bytes += b.bytes;
    for (const id of b.ids) groupOf.set(id, a);
    groups.delete(b);
  }
}

/** Sets of files that import each other. Modules without a name are with what imports them, and may import each other. */
function circlesOf(names: ReadonlyMap<string, string>, graph: ModuleGraph): string[][] {
  const imports = new Map<string, Set<string>>();
  const named = new Set(names.values());
  const fileOf = (id: string) => names.get(id) ?? id;
  for (const [id, { first }] of graph) {
    const file = fileOf(id);
    const others = imports.get(file) ?? new Set();
    imports.set(file, others);
    for (const one of first.map(fileOf)) if (one !== file) others.add(one);
  }
  const reached = new Map<string, Set<string>>();
  for (const file of imports.keys()) {
    const found = new Set(imports.get(file));
    for (const one of found) for (const further of imports.get(one) ?? []) found.add(further);
    reached.set(file, found);
  }
  const circles = new Map<string, string[]>();
  for (const [file, found] of reached) {
    if (!found.has(file)) continue;
    const circle = [...found].filter((one) => reached.get(one)?.has(file) && named.has(one)).sort();
    if (circle.length > 1) circles.set(circle.join(" "), circle);
  }
  return [...circles.values()];
}

/**
 * Leaves no files that import each other, which Node's loader of the bundle (`cli/load_code.ts`) does not take: modules by which a
 * file does so get a file of their own, or else all of them are one file.
 */
function withoutCircles(names: Map<string, string>, graph: ModuleGraph): Map<string, string> {
  for (let circles = circlesOf(names, graph); circles.length > 0; circles = circlesOf(names, graph)) {
    for (const circle of circles) {
      const parts = circle.flatMap((file) => {
        const ids = [...names.keys()].filter((id) => names.get(id) === file);
        const bridges = ids.filter((id) =>
          graph.get(id)!.first.some((one) => names.get(one) !== file && circle.includes(names.get(one) ?? one))
        );
        const bytes = bridges.reduce((sum, id) => sum + graph.get(id)!.bytes, 0);
        return bridges.length > 0 && bridges.length < ids.length ? [{ file, bridges, bytes }] : [];
      }).sort((one, other) => one.bytes - other.bytes);
      if (parts.length > 0) {
        const [{ file, bridges }] = parts as [typeof parts[number]];
        for (const id of bridges) names.set(id, `${file}-${path.basename(id).replace(/\..*/, "")}`);
      } else {
        for (const id of graph.keys()) if (circle.includes(names.get(id) ?? id)) names.set(id, circle[0]!);
      }
    }
  }
  return names;
}

/**
 * Names of files by module. What is loaded at a beginning goes by the beginnings that load it. What several later parts share goes by
 * folder. A module without a name stays with the only part that loads it, or with the programs themselves.
 *
 * @param entries the programs: modules that only load their beginnings (`salt-minion` begins as a daemon or as the process of a job)
 */
export function chunkNames(graph: ModuleGraph, entries: readonly string[], root: string): Map<string, string> {
  const early = new Set(entries.flatMap((entry) => [...closure(graph, entry)]));
  const own = (id: string) => !early.has(id) && path.isAbsolute(id);
  const begun = new Map<string, Set<string>>();
  for (const one of new Set(entries.flatMap((entry) => graph.get(entry)!.later))) {
    const beginning = path.basename(one, ".ts");
    for (const id of closure(graph, one, (id) => USUAL.includes(path.relative(root, id)))) {
      if (own(id)) begun.set(id, (begun.get(id) ?? new Set()).add(beginning));
    }
  }
  const loads = new Map<string, number>();
  for (const part of laterParts(graph, entries)) {
    for (const id of closure(graph, part)) loads.set(id, (loads.get(id) ?? 0) + 1);
  }
  const groups = joined(begun, graph);
  const shared = [...new Set(groups.values())].filter((group) => group.begins.size > 1);
  const names = new Map<string, string>();
  for (const id of new Set([...groups.keys(), ...loads.keys()])) {
    if (!own(id)) continue;
    const group = groups.get(id);
    if (group !== undefined) {
      const at = shared.indexOf(group);
      names.set(id, at < 0 ? `begin-${[...group.begins][0]}` : `shared-${at + 1}`);
    } else if (loads.get(id)! > 1) names.set(id, folderName(root, id));
  }
  return withoutCircles(names, graph);
}
