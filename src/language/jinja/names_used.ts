import type { AssignTarget, CallArguments, Expression, Statement } from "./nodes.ts";

/** True if a body uses one of the names outside of the macros in it. */
export function usesName(body: readonly Statement[], name: string): boolean {
  return body.some((statement) => statementUses(statement, name));
}

function statementUses(node: Statement, name: string): boolean {
  const expression = (one: Expression | undefined) => one !== undefined && uses(one, name);
  const within = (list: readonly Statement[]) => usesName(list, name);
  switch (node.kind) {
    case "output":
      return node.parts.some((part) => typeof part !== "string" && uses(part, name));
    case "if":
      return node.branches.some(({ test, body }) => uses(test, name) || within(body)) || within(node.otherwise);
    case "for":
      return expression(node.iterable) || expression(node.test) || within(node.body) || within(node.otherwise);
    case "set":
      return uses(node.value, name) || targetUses(node.target, name);
    case "set block":
      return within(node.body) || expression(node.filter);
    case "with":
      return node.values.some((value) => uses(value, name)) || within(node.body);
    case "autoescape":
    case "profile":
      return within(node.body);
    case "macro":
      return node.signature.defaults.some((value) => uses(value, name)) || within(node.body);
    case "call block":
      return uses(node.call, name) || within(node.body);
    case "filter block":
      return expression(node.filter) || within(node.body);
    case "block":
    case "load":
      return within(node.body);
    case "extends":
    case "include":
    case "import":
    case "from":
    case "import data":
      return uses(node.template, name);
    case "do":
      return uses(node.value, name);
  }
  return false;
}

function targetUses(target: AssignTarget, name: string): boolean {
  return target.kind === "namespace" && target.name === name;
}

function argumentsUse({ positional, keywords, rest, restKeywords }: CallArguments, name: string): boolean {
  return positional.some((one) => uses(one, name)) || keywords.some(({ value }) => uses(value, name)) ||
    rest !== undefined && uses(rest, name) || restKeywords !== undefined && uses(restKeywords, name);
}

function uses(node: Expression, name: string): boolean {
  switch (node.kind) {
    case "const":
    case "namespace":
      return false;
    case "name":
      return node.name === name;
    case "tuple":
    case "list":
    case "concat":
      return node.items.some((item) => uses(item, name));
    case "dict":
      return node.items.some(({ key, value }) => uses(key, name) || uses(value, name));
    case "if":
      return [node.test, node.then, node.otherwise].some((one) => one !== undefined && uses(one, name));
    case "and":
    case "or":
    case "binary":
      return uses(node.left, name) || uses(node.right, name);
    case "not":
    case "negative":
    case "positive":
      return uses(node.value, name);
    case "compare":
      return uses(node.first, name) || node.rest.some(({ value }) => uses(value, name));
    case "attribute":
      return uses(node.of, name);
    case "item":
      return uses(node.of, name) || uses(node.key, name);
    case "slice":
      return [node.start, node.stop, node.step].some((one) => one !== undefined && uses(one, name));
    case "call":
      return uses(node.callee, name) || argumentsUse(node.args, name);
    case "filter":
      return node.value !== undefined && uses(node.value, name) || argumentsUse(node.args, name);
    case "test":
      return uses(node.value, name) || argumentsUse(node.args, name);
  }
}
