/** The built-in functions of a family, from the signatures that their modules declare. */
import { readFileSync } from "node:fs";
import { parseSignature, type Signature } from "../../src/model/loader/signature.ts";
import { moduleName, MODULES } from "../../src/plugins/modules/mod.ts";
import { RUNNERS } from "../../src/plugins/runners/mod.ts";
import { WHEELS } from "../../src/plugins/wheel/mod.ts";
import type { Source } from "./return_types.ts";

export type Family = "execution" | "runner" | "wheel";

/** A function of one file. */
export interface Declared {
  /** `disk.usage`. */
  name: string;
  source: Source;
  /** Its name within its file. */
  fun: string;
  /** Its first sentences, in one line. */
  doc: string;
  signature: Signature;
}

interface Described {
  signature: string | Signature;
  doc: string;
}

type Registry = Readonly<Record<string, () => Promise<object>>>;

const FAMILIES: Record<Family, { folder: string; export: Source["export"]; registry: Registry }> = {
  execution: { folder: "modules", export: "module", registry: MODULES },
  runner: { folder: "runners", export: "runner", registry: RUNNERS },
  wheel: { folder: "wheel", export: "wheel", registry: WHEELS },
};

/** Registry key → file, as the registry itself imports it. */
function filesOf(root: string, folder: string): Map<string, string> {
  const text = readFileSync(`${root}/src/plugins/${folder}/mod.ts`, "utf8");
  return new Map(
    [...text.matchAll(/^ {2}(\w+): \(\) => import\("\.\/([\w/]+\.ts)"\)/gm)].map(([, key, file]) => [
      key!,
      `src/plugins/${folder}/${file}`,
    ]),
  );
}

function declared(module: string, fun: string, source: Source, { signature, doc }: Described): Declared {
  return {
    name: `${module}.${fun}`,
    source,
    fun,
    doc: doc.split("\n\n")[0]!.replaceAll("\n", " ").replaceAll("*/", "*\\/"),
    signature: parseSignature(signature),
  };
}

/** Every function of a family, file by file: a name such as `pkg.install` may be there several times. */
export async function declaredFunctions(root: string, family: Family): Promise<Declared[]> {
  const { folder, export: exported, registry } = FAMILIES[family];
  const files = filesOf(root, folder);
  const all = await Promise.all(
    Object.entries(registry).map(async ([key, load]) => {
      const loaded = await load() as Record<string, { name?: string; functions: Record<string, Described> }>;
      const { name = key, functions } = loaded[exported]!;
      const path = files.get(key);
      if (path === undefined) throw new Error(`No import of "${key}" in src/plugins/${folder}/mod.ts`);
      const module = family === "execution" ? moduleName(key) : name;
      const source: Source = { path, export: exported };
      return Object.entries(functions).map(([fun, body]) => declared(module, fun, source, body));
    }),
  );
  return all.flat();
}
