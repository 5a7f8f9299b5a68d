/** The tree of a template. Lines count from 1. */

export type Expression =
  | { kind: "const"; value: unknown; line: number }
  | { kind: "name"; name: string; line: number }
  | { kind: "tuple" | "list"; items: Expression[]; line: number }
  | { kind: "dict"; items: { key: Expression; value: Expression }[]; line: number }
  | { kind: "if"; test: Expression; then: Expression; otherwise: Expression | undefined; line: number }
  | { kind: "and" | "or"; left: Expression; right: Expression; line: number }
  | { kind: "not" | "negative" | "positive"; value: Expression; line: number }
  | { kind: "binary"; operator: string; left: Expression; right: Expression; line: number }
  | { kind: "concat"; items: Expression[]; line: number }
  | { kind: "compare"; first: Expression; rest: { operator: string; value: Expression }[]; line: number }
  | { kind: "attribute"; of: Expression; name: string; line: number }
  | { kind: "item"; of: Expression; key: Expression; line: number }
  | SliceNode
  | CallNode
  | FilterNode
  | TestNode
  | NamespaceTarget;

export interface SliceNode {
  kind: "slice";
  start: Expression | undefined;
  stop: Expression | undefined;
  step: Expression | undefined;
  line: number;
}

export interface CallArguments {
  positional: Expression[];
  keywords: { name: string; value: Expression }[];
  /** The expression after `*`: `*list`. */
  rest: Expression | undefined;
  /** The expression after `**`: `**map`. */
  restKeywords: Expression | undefined;
}

export interface CallNode {
  kind: "call";
  callee: Expression;
  args: CallArguments;
  line: number;
}

export interface FilterNode {
  kind: "filter";
  /** The filtered value; undefined in a filter block, whose value is its body. */
  value: Expression | undefined;
  name: string;
  args: CallArguments;
  line: number;
}

export interface TestNode {
  kind: "test";
  value: Expression;
  name: string;
  args: CallArguments;
  line: number;
}

/** The target `ns.x` on the left side of an assignment. */
interface NamespaceTarget {
  kind: "namespace";
  name: string;
  attribute: string;
  line: number;
}

export type AssignTarget =
  | { kind: "name"; name: string; line: number }
  | { kind: "tuple" | "list"; items: AssignTarget[]; line: number }
  | NamespaceTarget;

/** Parameters of a macro or a call block; the defaults belong to the last of them. */
export interface MacroSignature {
  names: string[];
  defaults: Expression[];
}

export interface IfNode {
  kind: "if";
  branches: { test: Expression; body: Statement[] }[];
  otherwise: Statement[];
  line: number;
}

export type DataFormat = "yaml" | "json" | "text";

export type Statement =
  | { kind: "output"; parts: (string | Expression)[]; line: number }
  | IfNode
  | {
    kind: "for";
    target: AssignTarget;
    iterable: Expression;
    test: Expression | undefined;
    recursive: boolean;
    body: Statement[];
    otherwise: Statement[];
    line: number;
  }
  | { kind: "set"; target: AssignTarget; value: Expression; line: number }
  | { kind: "set block"; target: AssignTarget; filter: FilterNode | undefined; body: Statement[]; line: number }
  | { kind: "with"; targets: AssignTarget[]; values: Expression[]; body: Statement[]; line: number }
  | { kind: "autoescape"; value: Expression; body: Statement[]; line: number }
  | { kind: "macro"; name: string; signature: MacroSignature; body: Statement[]; line: number }
  | { kind: "call block"; call: CallNode; signature: MacroSignature; body: Statement[]; line: number }
  | { kind: "filter block"; filter: FilterNode; body: Statement[]; line: number }
  | { kind: "block"; name: string; scoped: boolean; required: boolean; body: Statement[]; line: number }
  | { kind: "extends"; template: Expression; line: number }
  | { kind: "include"; template: Expression; ignoreMissing: boolean; withContext: boolean; line: number }
  | { kind: "import"; template: Expression; target: string; withContext: boolean; line: number }
  | {
    kind: "from";
    template: Expression;
    names: { name: string; as: string }[];
    withContext: boolean;
    line: number;
  }
  | { kind: "do"; value: Expression; line: number }
  | { kind: "break" | "continue"; line: number }
  | { kind: "load"; format: DataFormat; target: AssignTarget; body: Statement[]; line: number }
  | {
    kind: "import data";
    format: DataFormat;
    template: Expression;
    target: string;
    withContext: boolean;
    line: number;
  }
  | { kind: "profile"; label: Expression; body: Statement[]; line: number };

export interface TemplateNode {
  body: Statement[];
  blocks: Map<string, Extract<Statement, { kind: "block" }>>;
  tokens: number;
}
