/** The built-in functions of a family, from the signatures that their modules declare. */
import { readFileSync } from "node:fs";
import { type Parameter, parseSignature, type Signature } from "../../src/model/loader/signature.ts";
import { moduleName, MODULES } from "../../src/plugins/modules/mod.ts";
import { RUNNERS } from "../../src/plugins/runners/mod.ts";
import { WHEELS } from "../../src/plugins/wheel/mod.ts";
import { ARGUMENT_TYPES } from "./argument_types.ts";
import { type Source, union } from "./return_types.ts";

export type Family = "execution" | "runner" | "wheel";

/** One argument and what it may be. */
export interface Argument {
  name: string;
  optional: boolean;
  type: string;
}

/** A function of one file. */
export interface Declared {
  /** `disk.usage`. */
  name: string;
  source: Source;
  /** Its name within its file. */
  fun: string;
  /** Its first sentences, in one line. */
  doc: string;
  arguments: Argument[];
  /** It takes any further values. */
  rest: boolean;
  /** It takes any further names. */
  keywords: boolean;
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

/** Rows of the table of types that an argument was found in, so that no dead row stays. */
const used = new Set<string>();

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

function ofDefault(value: unknown): string {
  if (typeof value === "boolean" || typeof value === "string") return typeof value;
  if (typeof value === "number" || typeof value === "bigint" || value instanceof Number) return "number";
  return Array.isArray(value) ? "unknown[]" : "unknown";
}

function typeOf(module: string, fun: string, param: Parameter): string {
  const row = [`${module}.${fun}.${param.name}`, `${module}.${param.name}`, param.name]
    .find((key) => ARGUMENT_TYPES.has(key));
  if (row !== undefined) used.add(row);
  const type = row === undefined ? ofDefault(param.default) : ARGUMENT_TYPES.get(row)!;
  return param.default === null ? union([type, "null"]) : type;
}

function declared(module: string, fun: string, source: Source, { signature, doc }: Described): Declared {
  const { params, varargs, keywords } = parseSignature(signature);
  return {
    name: `${module}.${fun}`,
    source,
    fun,
    doc: doc.split("\n\n")[0]!.replaceAll("\n", " ").replaceAll("*/", "*\\/"),
    arguments: params.map((param) => ({
      name: param.name,
      optional: "default" in param,
      type: typeOf(module, fun, param),
    })),
    rest: varargs !== undefined,
    keywords: keywords !== undefined,
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

/** @throws {Error} for a row of `argument_types.ts` that is of no argument; after all families were read */
export function refuseDeadRows(): void {
  const dead = [...ARGUMENT_TYPES.keys()].filter((row) => !used.has(row));
  if (dead.length > 0) {
    throw new Error(`argument_types.ts has rows for arguments that no function has: ${dead.join(" ")}`);
  }
}
