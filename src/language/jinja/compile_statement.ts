import { truthy } from "../python/values.ts";
import { receiver } from "./attributes.ts";
import { assign } from "./assign.ts";
import { compileExpression, compileFilter, compileFilters, type Compiler } from "./compile_expression.ts";
import { callValue, compileArguments } from "./call.ts";
import { sequence, then } from "./compiled.ts";
import { isConstant, rememberText } from "./constants.ts";
import { compileFor } from "./compile_for.ts";
import { compileBlock, compileExtends } from "./compile_block.ts";
import { compileFrom, compileImport, compileImportData, compileInclude } from "./compile_import.ts";
import { TemplateSyntaxError } from "./errors.ts";
import { Macro } from "./macro.ts";
import { asMarkup, escapeMarkup, Markup } from "./markup.ts";
import { usesName } from "./names_used.ts";
import type { AssignTarget, Expression, MacroSignature, Statement } from "./nodes.ts";
import { BREAK, CONTINUE, type Ending, type Evaluate, type Execute, type Frame } from "./runtime.ts";

type Compile = (node: never, compiler: Compiler) => Execute;
type Node<K extends Statement["kind"]> = Extract<Statement, { kind: K }>;

/** Compiles statements, which run one after the other. @throws {TemplateSyntaxError} */
export function compileBody(body: readonly Statement[], compiler: Compiler): Execute {
  return sequence(body.map((statement) => compileStatement(statement, compiler)));
}

function compileStatement(node: Statement, compiler: Compiler): Execute {
  return (COMPILE[node.kind] as (node: Statement, compiler: Compiler) => Execute)(node, compiler);
}

const COMPILE: Readonly<Record<Statement["kind"], Compile>> = {
  output: compileOutput,
  if: compileIf,
  for: (node: Node<"for">, compiler) => compileFor(node, compiler, compileBody),
  set: (node: Node<"set">, compiler) => compileSet(node.target, compileExpression(node.value, compiler), node.line),
  "set block": compileSetBlock,
  with: compileWith,
  autoescape: (node: Node<"autoescape">, compiler) => {
    const [escaping, plain] = [true, false].map((autoescape) => compileBody(node.body, { ...compiler, autoescape }));
    const value = compileExpression(node.value, compiler);
    return (frame) => then(value(frame), (known) => (truthy(known) ? escaping! : plain!)(frame.inner()));
  },
  macro: compileMacro,
  "call block": compileCallBlock,
  "filter block": compileFilterBlock,
  block: compileBlock,
  extends: compileExtends,
  include: compileInclude,
  import: compileImport,
  from: compileFrom,
  do: (node: Node<"do">, compiler) => {
    const value = compileExpression(node.value, compiler);
    return atLine(node.line, (frame) => then(value(frame), () => undefined));
  },
  break: (node: Node<"break">, compiler) => compileEnding(node, compiler, BREAK),
  continue: (node: Node<"continue">, compiler) => compileEnding(node, compiler, CONTINUE),
  load: compileLoad,
  "import data": compileImportData,
  profile: compileProfile,
};

/** Wraps a statement, so that it notes its line first, for errors. */
function atLine(line: number, execute: Execute): Execute {
  return (frame) => {
    frame.unit.line = line;
    return execute(frame);
  };
}

function compileEnding({ kind, line }: Node<"break" | "continue">, { inLoop }: Compiler, ending: Ending): Execute {
  if (!inLoop) throw new TemplateSyntaxError(`'${kind}' outside loop`, line);
  return atLine(line, () => ending);
}

/** Compiles text and printed values. */
function compileOutput({ parts }: Node<"output">, compiler: Compiler): Execute {
  return sequence(parts.map((part) => typeof part === "string" ? writeText(part) : writeValue(part, compiler)));
}

function writeText(text: string): Execute {
  return (frame) => {
    if (frame.page.extended === undefined || !frame.isRoot) frame.out.write(text);
    return undefined;
  };
}

function writeValue(part: Expression, compiler: Compiler): Execute {
  const inner = compileExpression(part, compiler);
  const textOf = (frame: Frame, known: unknown) =>
    !compiler.autoescape
      ? typeof known === "string" ? known : frame.run.environment.finalize(known)
      : known instanceof Markup
      ? known.text
      : escapeMarkup(frame.run.environment.finalize(known)).text;
  const value = !compiler.autoescape && isConstant(part, compiler.steady)
    ? rememberText((frame) => then(inner(frame), (known) => textOf(frame, known)))
    : inner;
  const { line } = part;
  const write = (frame: Frame, known: unknown): undefined => {
    frame.out.write(textOf(frame, known));
  };
  return (frame) => {
    // Text outside of blocks is dropped once the template extends another one.
    if (frame.page.extended !== undefined && frame.isRoot) return undefined;
    frame.unit.line = line;
    const known = value(frame);
    return known instanceof Promise ? known.then((late) => write(frame, late)) : write(frame, known);
  };
}

function compileIf(node: Node<"if">, compiler: Compiler): Execute {
  const soft = { ...compiler, isSoft: true };
  const branches = node.branches.map(({ test, body }) => ({
    line: test.line,
    test: compileExpression(test, soft),
    body: compileBody(body, soft),
  }));
  const otherwise = compileBody(node.otherwise, soft);
  const from = (frame: Frame, at: number): Ending | Promise<Ending> => {
    if (at === branches.length) return otherwise(frame);
    const { test, body, line } = branches[at]!;
    frame.unit.line = line;
    const holds = test(frame);
    if (holds instanceof Promise) return holds.then((known) => truthy(known) ? body(frame) : from(frame, at + 1));
    return truthy(holds) ? body(frame) : from(frame, at + 1);
  };
  return (frame) => from(frame, 0);
}

function compileSet(target: AssignTarget, value: Evaluate, line: number): Execute {
  return atLine(line, (frame) => {
    const known = value(frame);
    if (known instanceof Promise) return known.then((late) => void assign(target, late, frame));
    assign(target, known, frame);
    return undefined;
  });
}

/** Captures the text of a body, which runs in a new scope. */
function captured(body: Execute): Evaluate {
  return (frame) => {
    const inner = frame.capture();
    return then(body(inner), () => inner.out.text);
  };
}

/** Captures the text of a body as a value: as markup if texts are escaped, because its parts are escaped already. */
function capturedFor(body: Statement[], compiler: Compiler): Evaluate {
  const text = captured(compileBody(body, { ...compiler, isSoft: false }));
  return compiler.autoescape ? (frame) => then(text(frame), asMarkup) : text;
}

function compileSetBlock({ target, filter, body, line }: Node<"set block">, compiler: Compiler): Execute {
  const text = capturedFor(body, compiler);
  return compileSet(target, filter === undefined ? text : compileFilters(filter, compiler, text), line);
}

function compileWith({ targets, values, body, line }: Node<"with">, compiler: Compiler): Execute {
  // The values are evaluated in the outer scope, so that they do not see each other.
  const parts = values.map((value) => compileExpression(value, compiler));
  const run = compileBody(body, { ...compiler, isSoft: false });
  return atLine(line, (frame) => {
    const inner = frame.inner();
    const from = (at: number): Ending | Promise<Ending> => {
      if (at === parts.length) return run(inner);
      return then(parts[at]!(frame), (value) => {
        assign(targets[at]!, value, inner);
        return from(at + 1);
      }) as Ending | Promise<Ending>;
    };
    return from(0);
  });
}

function macroCode(
  name: string | undefined,
  signature: MacroSignature,
  body: Statement[],
  line: number,
  compiler: Compiler,
) {
  const { names, defaults } = signature;
  const twice = names.find((one, at) => names.indexOf(one) !== at);
  if (twice !== undefined) {
    throw new TemplateSyntaxError(`duplicate argument '${twice}' in function definition`, line);
  }
  const inner = { ...compiler, isSoft: false, inLoop: false };
  return {
    name,
    parameters: names,
    defaults: defaults.map((value) => compileExpression(value, inner)),
    body: compileBody(body, inner),
    line,
    uses: {
      caller: usesName(body, "caller"),
      varargs: usesName(body, "varargs"),
      kwargs: usesName(body, "kwargs"),
    },
  };
}

function compileMacro({ name, signature, body, line }: Node<"macro">, compiler: Compiler): Execute {
  const code = macroCode(name, signature, body, line, compiler);
  return (frame) => {
    frame.set(name, new Macro(code, frame));
    return undefined;
  };
}

function compileCallBlock({ call, signature, body, line }: Node<"call block">, compiler: Compiler): Execute {
  const code = macroCode(undefined, signature, body, line, compiler);
  const callee = compileExpression(call.callee, compiler);
  const args = compileArguments(call.args, (part) => compileExpression(part, compiler));
  return atLine(line, (frame) => {
    const caller = new Macro(code, frame);
    const result = then(
      callee(frame),
      (value) => args(frame, (list, keywords) => callValue(value, list, new Map([...keywords, ["caller", caller]]))),
    );
    return then(result, (value) => void frame.out.write(frame.run.environment.finalize(value)));
  });
}

function compileFilterBlock({ filter, body, line }: Node<"filter block">, compiler: Compiler): Execute {
  const text = capturedFor(body, compiler);
  const value = filter.value === undefined
    ? compileFilter(filter, compiler, text)
    : compileFilters(filter, compiler, text);
  return atLine(
    line,
    (frame) => then(value(frame), (known) => void frame.out.write(frame.run.environment.finalize(known))),
  );
}

function compileLoad({ format, target, body, line }: Node<"load">, compiler: Compiler): Execute {
  const text = captured(compileBody(body, { ...compiler, isSoft: false }));
  return compileSet(
    target,
    (frame) => {
      // The text is parsed when it is complete, and an error in it is reported at that line.
      const read = (known: unknown) => {
        frame.unit.line = line;
        return frame.run.environment.data(format, String(known));
      };
      return then(text(frame), read);
    },
    line,
  );
}

function compileProfile({ label, body }: Node<"profile">, compiler: Compiler): Execute {
  const name = compileExpression(label, compiler);
  const run = compileBody(body, compiler);
  return (frame) =>
    then(name(frame), (known) => {
      const { environment } = frame.run;
      const start = environment.now();
      return then(run(frame), (ending) => {
        environment.profiled(String(receiver(known)), environment.now() - start);
        return ending as Ending;
      });
    }) as Ending | Promise<Ending>;
}
