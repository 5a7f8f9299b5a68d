/** Finds, without running a template, the filters, tests and templates that it names, and the values that it reads. */
import type { JinjaOptions } from "./options.ts";
import { parseTemplate } from "./parser.ts";

/** A name in a template, and its line, from 1. */
export interface Named {
  name: string;
  line: number;
}

/** The keys that an expression reads from a name: `salt['a.b'].c` reads `["a.b", "c"]` from `salt`. */
interface Taken {
  from: string;
  keys: string[];
  line: number;
}

interface TemplateUses {
  filters: Named[];
  tests: Named[];
  /** Templates that are included, imported or extended under a constant name. */
  templates: Named[];
  taken: Taken[];
  /** Names that the template itself assigns: they do not mean the names that it was given. */
  assigned: Set<string>;
}

interface Node {
  kind: string;
  line: number;
  [key: string]: unknown;
}

const isNode = (value: object): value is Node => "kind" in value && "line" in value;

/** The name and the constant keys that a node reads one after the other; undefined for computed keys. */
function takenBy(node: Node): Taken | undefined {
  if (node.kind === "name") return { from: String(node.name), keys: [], line: node.line };
  const key = node.kind === "attribute"
    ? node.name
    : node.kind === "item" && (node.key as Node).kind === "const"
    ? (node.key as Node).value
    : undefined;
  if (typeof key !== "string") return undefined;
  const before = takenBy(node.of as Node);
  return before && { from: before.from, keys: [...before.keys, key], line: node.line };
}

function assignedBy({ kind, target, names }: Node): string[] {
  if (kind === "from") return (names as { as: string }[]).map((one) => one.as);
  if (typeof target === "string") return [target];
  const to = target as Node | undefined;
  return to?.kind === "name" ? [String(to.name)] : [];
}

/** Lists the names in a template. @throws {TemplateSyntaxError} with Jinja2's text and line */
export function templateUses(source: string, options: JinjaOptions): TemplateUses {
  const uses: TemplateUses = { filters: [], tests: [], templates: [], taken: [], assigned: new Set() };
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) return value.forEach(visit);
    if (isNode(value)) {
      const taken = takenBy(value);
      if (taken !== undefined) return void uses.taken.push(taken);
      if (value.kind === "filter") uses.filters.push({ name: String(value.name), line: value.line });
      if (value.kind === "test") uses.tests.push({ name: String(value.name), line: value.line });
      for (const name of assignedBy(value)) uses.assigned.add(name);
      const template = value.template as Node | undefined;
      if (template?.kind === "const" && typeof template.value === "string") {
        uses.templates.push({ name: template.value, line: value.line });
      }
    }
    Object.values(value).forEach(visit);
  };
  visit(parseTemplate(source, options).body);
  return uses;
}
