/** What a template names, read without running it: filters, tests, other templates, and what it takes from its names. */
import type { JinjaOptions } from "./options.ts";
import { parseTemplate } from "./parser.ts";

/** Something that is named, and the line, from 1. */
export interface Named {
  name: string;
  line: number;
}

/** `salt['a.b'].c` takes `["a.b", "c"]` from `salt`. */
export interface Taken {
  from: string;
  keys: string[];
  line: number;
}

export interface TemplateUses {
  filters: Named[];
  tests: Named[];
  /** Templates that are included, imported or extended under a constant name. */
  templates: Named[];
  taken: Taken[];
  /** Names that the template gives a value: they are not those that it was given. */
  assigned: Set<string>;
}

interface Node {
  kind: string;
  line: number;
  [key: string]: unknown;
}

const isNode = (value: object): value is Node => "kind" in value && "line" in value;

/** The name and the constant keys that a node looks up one after the other; undefined for what is computed. */
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

/** The names that a statement gives a value. */
function assignedBy({ kind, target, names }: Node): string[] {
  if (kind === "from") return (names as { as: string }[]).map((one) => one.as);
  if (typeof target === "string") return [target];
  const to = target as Node | undefined;
  return to?.kind === "name" ? [String(to.name)] : [];
}

/**
 * Lists what a template names.
 *
 * @throws {TemplateSyntaxError} with Jinja2's text and line
 */
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
