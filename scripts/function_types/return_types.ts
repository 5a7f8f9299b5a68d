/**
 * What functions return, asked of the compiler: the type that it infers for each `run`, as a client reads the value from the
 * wire. `ExecutionModule` and its like say `unknown` of a return, so the compiler is shown each file with `satisfies` in
 * their place.
 */
import { readFileSync } from "node:fs";
import { API, type Checker, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/sync";

/** A file of functions: where it is, what it exports. */
export interface Source {
  /** From the root of the repository: `src/plugins/modules/disk.ts`. */
  path: string;
  export: "module" | "runner" | "wheel";
}

/** How deep a shape is followed before it is `unknown`. */
const DEEPEST = 6;
/** More literals than these are their common type. */
const MOST_LITERALS = 8;

const CONTRACTS = "(?:Execution|Runner|Wheel)(?:Module|Function)";
const ANNOTATED = new RegExp(`: (Record<[^=;]*, ${CONTRACTS}>|${CONTRACTS}) = (\\{[\\s\\S]*?^\\});`, "gm");
const RETURNED = new RegExp(`\\): Record<[^=;]*, ${CONTRACTS}> => `, "g");

/** A file whose functions keep the types of their returns. */
function shown(text: string): string {
  return text.replace(ANNOTATED, "= $2 satisfies $1;").replace(RETURNED, ") => ");
}

/** Text of types, as a value of that type is read from the wire. */
class WireTypes {
  readonly #checker: Checker;
  /** Named types that are being written: one that contains itself is not written for ever. */
  readonly #open: number[] = [];

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  /** The type of a promise's value; of anything else itself. */
  awaited(type: Type): string {
    if (type.isUnionType()) return union(type.getTypes().map((member) => this.awaited(member)));
    return nameOf(type) === "Promise" ? this.awaited(this.#arguments(type)[0]!) : this.text(type);
  }

  text(type: Type): string {
    const { flags } = type;
    if (flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.NonPrimitive)) return "unknown";
    if (flags & (TypeFlags.Undefined | TypeFlags.Null | TypeFlags.Void)) return "null";
    if (flags & TypeFlags.Never) return "never";
    if (flags & TypeFlags.BooleanLiteral) return this.#checker.typeToString(type);
    if (flags & TypeFlags.Boolean) return "boolean";
    if (type.isLiteralType() && flags & (TypeFlags.StringLiteral | TypeFlags.NumberLiteral)) {
      return JSON.stringify(type.value);
    }
    if (flags & (TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.StringMapping)) return "string";
    if (flags & TypeFlags.Number) return "number";
    if (flags & (TypeFlags.BigInt | TypeFlags.BigIntLiteral)) return "number | bigint";
    if (type.isUnionType()) return union(type.getTypes().map((member) => this.text(member)));
    if (flags & TypeFlags.Object || type.isIntersectionType()) return this.#bounded(type);
    return "unknown";
  }

  #bounded(type: Type): string {
    if (this.#open.length >= DEEPEST || this.#open.includes(type.id)) return "unknown";
    this.#open.push(type.id);
    try {
      return this.#object(type);
    } finally {
      this.#open.pop();
    }
  }

  #object(type: Type): string {
    const checker = this.#checker;
    const name = nameOf(type);
    const of = (index: number) => this.text(this.#arguments(type)[index]!);
    if (checker.isTupleType(type)) return `[${this.#arguments(type).map((item) => this.text(item)).join(", ")}]`;
    if (checker.isArrayType(type) || name === "Tuple") return list(of(0));
    if (name === "Map" || name === "ReadonlyMap" || name === "OrderedMap") {
      return of(0) === "string" ? map(of(1)) : "unknown";
    }
    if (name === "StreamedMap") return map(of(0));
    if (name === "Float" || name === "Uint8Array") return name;
    if (checker.getSignaturesOfType(type, 0).length > 0) return "unknown";
    if ((type.getSymbol()?.flags ?? 0) & SymbolFlags.Class) return "unknown";
    return this.#record(type);
  }

  #record(type: Type): string {
    const checker = this.#checker;
    const rest = checker.getIndexInfosOfType(type).map(({ valueType }) => this.text(valueType));
    const own = checker.getPropertiesOfType(type).map((property) => {
      const value = this.text(checker.getTypeOfSymbol(property)!);
      const mark = property.flags & SymbolFlags.Optional ? "?" : "";
      // What is only ever undefined is not sent.
      if (mark !== "" && value === "null") return "";
      const present = mark === "" ? value : without(value, "null");
      return `${keyText(property.name)}${mark}: ${present}`;
    }).filter((text) => text !== "");
    if (own.length === 0) return rest.length === 0 ? map("unknown") : map(union(rest));
    return `{ ${[...own, ...rest.slice(0, 1).map((value) => `[name: string]: ${value}`)].join("; ")} }`;
  }

  #arguments(type: Type): readonly Type[] {
    return type.isTypeReference() || type.isTupleType() ? this.#checker.getTypeArguments(type as never) : [];
  }
}

const nameOf = (type: Type): string | undefined => type.getSymbol()?.name;

/** A property's name as it is written. */
export const keyText = (name: string): string => /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);

const map = (value: string) => `Record<string, ${value}>`;

/** The members of a union at its top level. */
function members(text: string): string[] {
  const found: string[] = [];
  let [depth, start] = [0, 0];
  for (const { 0: sign, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[<[{(]|[>\]})]| \| /g)) {
    if (/^[<[{(]$/.test(sign)) depth++;
    else if (/^[>\]})]$/.test(sign)) depth--;
    else if (sign === " | " && depth === 0) {
      found.push(text.slice(start, index));
      start = index + sign.length;
    }
  }
  return [...found, text.slice(start)];
}

const list = (item: string) => item === "never" ? "unknown[]" : members(item).length > 1 ? `(${item})[]` : `${item}[]`;

function without(text: string, member: string): string {
  const left = members(text).filter((one) => one !== member);
  return left.length === 0 ? text : left.join(" | ");
}

/** One text of several types. What can be anything is `unknown`; nothing is said twice. */
export function union(types: readonly string[]): string {
  let parts = [...new Set(types.flatMap(members))].filter((part) => part !== "never");
  if (parts.length === 0) return "never";
  if (parts.includes("unknown")) return "unknown";
  if (parts.includes("true") && parts.includes("false")) parts = [...parts, "boolean"];
  if (parts.includes("boolean")) parts = parts.filter((part) => part !== "true" && part !== "false");
  const literals = parts.filter((part) => part.startsWith('"'));
  if (literals.length > MOST_LITERALS) parts = [...parts, "string"];
  if (parts.includes("string")) parts = parts.filter((part) => !part.startsWith('"'));
  if (parts.includes("number")) parts = parts.filter((part) => !/^-?\d/.test(part));
  if (parts.includes("Record<string, unknown>")) {
    parts = parts.filter((part) => !/^(\{|Record<)/.test(part) || part === "Record<string, unknown>");
  }
  if (parts.includes("unknown[]")) parts = parts.filter((part) => !/[\])]$/.test(part) || part === "unknown[]");
  // null last, the rest in an order of its own, so that the text does not depend on how the compiler counts.
  const rank = (part: string) => part === "null" ? 1 : 0;
  return [...new Set(parts)].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).join(" | ");
}

/**
 * Source → function → the text of its return type.
 *
 * @param root directory of the repository
 */
export function returnTypes(root: string, sources: readonly Source[]): Map<Source, Map<string, string>> {
  const [config, probe] = [`${root}/tsconfig.functions.json`, `${root}/function_types.ts`];
  const virtual: Record<string, string> = {
    [config]: JSON.stringify({
      extends: "./tsconfig.json",
      include: [],
      files: [probe],
    }),
    [probe]: sources.map(({ path, export: name }, index) =>
      `import type { ${name} as f${index} } from "./${path}";\nexport type T${index} = typeof f${index}.functions;\n`
    ).join(""),
  };
  const plugins = `${root}/src/plugins/`;
  const api = new API({
    cwd: root,
    fs: {
      fileExists: (file) => Object.hasOwn(virtual, file) ? true : undefined,
      readFile: (file) => virtual[file] ?? (file.startsWith(plugins) ? shown(readFileSync(file, "utf8")) : undefined),
    },
  });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)!;
    const { checker, program } = project;
    const wire = new WireTypes(checker);
    const aliases = program.getSourceFile(probe)!.statements.filter((_statement, index) => index % 2 === 1);
    return new Map(sources.map((source, index) => {
      const name = (aliases[index] as unknown as { name: Parameters<Checker["getTypeAtLocation"]>[0] }).name;
      const functions = checker.getTypeAtLocation(name as never)!;
      return [source, functionReturns(checker, wire, functions)];
    }));
  } finally {
    api.close();
  }
}

function functionReturns(checker: Checker, wire: WireTypes, functions: Type): Map<string, string> {
  const returns = new Map<string, string>();
  for (const property of checker.getPropertiesOfType(functions)) {
    const body = checker.getTypeOfSymbol(property)!;
    const run = checker.getPropertyOfType(body, "run");
    const [signature] = run === undefined ? [] : checker.getSignaturesOfType(checker.getTypeOfSymbol(run)!, 0);
    const returned = signature === undefined ? undefined : checker.getReturnTypeOfSignature(signature);
    returns.set(property.name, returned === undefined ? "unknown" : wire.awaited(returned));
  }
  return returns;
}
