/** What `cli/load_code.ts` relies on in the files of a bundle. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Script } from "node:vm";
import { parseAst } from "rolldown/parseAst";
import { asScript } from "../cli/load_code.ts";

interface Node {
  type: string;
  [field: string]: unknown;
}

/** The names that a pattern declares or assigns to: `a`, `{b: [c]}`; not `d.e`. */
function namesIn(pattern: unknown): string[] {
  if (Array.isArray(pattern)) return pattern.flatMap(namesIn);
  const node = pattern as Node | null | undefined;
  switch (node?.type) {
    case "Identifier":
      return [String(node.name)];
    case "ObjectPattern":
      return namesIn(node.properties);
    case "ArrayPattern":
      return namesIn(node.elements);
    case "Property":
      return namesIn(node.value);
    case "AssignmentPattern":
      return namesIn(node.left);
    case "RestElement":
      return namesIn(node.argument);
    default:
      return [];
  }
}

const fieldsOf = (node: Node) =>
  Object.values(node).flat().filter((one) => typeof (one as Node | null)?.type === "string") as Node[];

/** The names that a node declares for what is within it: parameters, and the declarations of a block. */
function declaredIn(node: Node): string[] {
  const own = namesIn([node.params, node.param].flat()).concat(/Function/.test(node.type) ? namesIn(node.id) : []);
  return own.concat(
    fieldsOf(node).flatMap((one) => {
      if (one.type === "VariableDeclaration") return namesIn((one.declarations as Node[]).map(({ id }) => id));
      return /^(?:Function|Class)Declaration$/.test(one.type) ? namesIn(one.id) : [];
    }),
  );
}

/** Names that a file exports and that a function of it assigns to: a script gives away the values of its end. */
export function reassignedExports(text: string): string[] {
  const program = parseAst(text) as unknown as Node;
  const assigned = new Set<string>();
  const exported: string[] = [];
  const visit = (node: Node, hidden: ReadonlySet<string>): void => {
    if (node.type === "ExportSpecifier") exported.push(...namesIn(node.local));
    if (/^(?:Assignment|Update)Expression$/.test(node.type) && hidden !== atTop) {
      for (const name of namesIn(node.left ?? node.argument)) if (!hidden.has(name)) assigned.add(name);
    }
    const declared = node === program ? [] : declaredIn(node);
    const within = declared.length > 0 || /Function/.test(node.type) ? new Set([...hidden, ...declared]) : hidden;
    for (const one of fieldsOf(node)) visit(one, within);
  };
  const atTop: ReadonlySet<string> = new Set();
  visit(program, atTop);
  return exported.filter((name) => assigned.has(name));
}

/** The first circle of files that import each other. */
export function circleOf(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const search = (file: string, above: readonly string[]): string[] | undefined => {
    if (above.includes(file)) return [...above.slice(above.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const one of imports.get(file) ?? []) {
      const found = search(one, [...above, file]);
      if (found !== undefined) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const found = search(file, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Checks each file of a bundle. What only Deno loads may wait at its top level.
 *
 * @throws {Error} that names the file and what is wrong with it
 */
export function checkScripts(directory: string): void {
  const imports = new Map<string, string[]>();
  for (const file of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".mjs")) continue;
    const text = readFileSync(path.join(directory, file), "utf8");
    const script = asScript(text, !file.startsWith("lib/"));
    imports.set(
      file,
      script.imports.filter((name) => name.startsWith(".")).map((name) => path.join(path.dirname(file), name)),
    );
    if (!/^lib\/deno_runtime/.test(file)) new Script(script.source, { filename: file });
    const reassigned = reassignedExports(text);
    if (reassigned.length > 0) throw new Error(`${file}: ${reassigned.join(", ")} is exported, and assigned to later`);
  }
  const circle = circleOf(imports);
  if (circle !== undefined) throw new Error(`files import each other: ${circle.join(" → ")}`);
}
