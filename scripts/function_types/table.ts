/** The table of a family as TypeScript: an interface with a line for each function. */
import type { Argument, Declared } from "./declared_functions.ts";
import { keyText, union } from "./return_types.ts";

/** A function as callers know it, whichever file provides it on a host. */
interface Entry extends Pick<Declared, "name" | "doc" | "arguments" | "rest" | "keywords"> {
  /** Names of the arguments that may be given by position. */
  order: string[];
  returns: string;
}

/** Names that stand at the same place in all signatures. */
function commonOrder([first = [], ...others]: string[][]): string[] {
  const end = first.findIndex((name, at) => others.some((order) => order[at] !== name));
  return end < 0 ? first : first.slice(0, end);
}

/** One argument of several files: it may be whatever it may be in one of them. */
function merged(name: string, functions: readonly Declared[]): Argument {
  const found = functions.flatMap((one) => one.arguments.filter((argument) => argument.name === name));
  return {
    name,
    optional: found.length < functions.length || found.some(({ optional }) => optional),
    type: union(found.map(({ type }) => type)),
  };
}

function entryOf(functions: readonly Declared[], returnOf: (one: Declared) => string): Entry {
  const [first] = functions;
  const orders = functions.map((one) => one.arguments.map(({ name }) => name));
  const order = commonOrder(orders);
  return {
    name: first!.name,
    doc: first!.doc,
    arguments: [...new Set(orders.flat())].map((name) => merged(name, functions)),
    rest: functions.every(({ rest }) => rest),
    keywords: functions.some(({ keywords }) => keywords),
    order,
    returns: union(functions.map(returnOf)),
  };
}

/** Functions by name, those of several files as one. */
export function entries(functions: readonly Declared[], returnOf: (one: Declared) => string): Entry[] {
  const byName = Map.groupBy(functions, ({ name }) => name);
  return [...byName.values()].map((same) => entryOf(same, returnOf)).sort((a, b) => a.name < b.name ? -1 : 1);
}

function line({ name, doc, arguments: list, rest, keywords, order, returns }: Entry): string {
  const named = list.map(({ name, optional, type }) => `${keyText(name)}${optional ? "?" : ""}: ${type}`);
  const args = [...named, ...(keywords ? ["[name: string]: unknown"] : [])];
  const parts = [
    `args: ${args.length === 0 ? "Record<never, never>" : `{ ${args.join("; ")} }`}`,
    `order: [${order.map((one) => JSON.stringify(one)).join(", ")}]`,
    ...(rest ? ["rest: unknown[]"] : []),
    `returns: ${returns}`,
  ];
  return `  /** ${doc} */\n  ${JSON.stringify(name)}: { ${parts.join("; ")} };\n`;
}

/** Names that types of the table may use: file → those that it exports. */
const SHARED = {
  "../../protocol/wire/msgpack_values.ts": ["Float"],
  "./shapes.ts": ["FunctionSignature", "StateReturns", "UserRecord"],
};

/** The text of a file of the table. */
export function tableText(interfaceName: string, about: string, list: readonly Entry[]): string {
  const body = list.map(line).join("");
  const imports = Object.entries(SHARED).map(([file, names]): [string, string[]] => [
    file,
    names.filter((name) => new RegExp(`\\b${name}\\b`).test(body)),
  ]).filter(([, names]) => names.length > 0).map(([file, names]) =>
    `import type { ${names.join(", ")} } from "${file}";\n`
  );
  return `// deno-fmt-ignore-file\n// Written by scripts/function_types.ts (npm run -s types:functions) from the signatures of the modules: do not edit.\n` +
    `${imports.join("")}\n${about}\nexport interface ${interfaceName} {\n${body}}\n`;
}
