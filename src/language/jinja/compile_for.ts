import { truthy } from "../python/values.ts";
import { iterate } from "../python/iterate.ts";
import { assign } from "./assign.ts";
import { compileExpression, type Compiler } from "./compile_expression.ts";
import { then } from "./compiled.ts";
import { LoopContext } from "./loop.ts";
import { usesName } from "./names_used.ts";
import type { Statement } from "./nodes.ts";
import { BREAK, type Ending, type Evaluate, type Execute, type Frame, RenderOutput } from "./runtime.ts";
import { Undefined } from "./undefined.ts";

type ForNode = Extract<Statement, { kind: "for" }>;

interface Rounds {
  next(): boolean;
  readonly current: unknown;
}

/** The values of a loop that does not use the name `loop`. */
class PlainRounds implements Rounds {
  readonly #values: Iterator<unknown>;
  current: unknown;

  constructor(source: unknown) {
    this.#values = iterate(source)[Symbol.iterator]();
  }

  next(): boolean {
    const step = this.#values.next();
    if (step.done) return false;
    this.current = step.value ?? null;
    return true;
  }
}

export function compileFor(
  node: ForNode,
  compiler: Compiler,
  compileBody: (body: readonly Statement[], compiler: Compiler) => Execute,
): Execute {
  const inner = { ...compiler, isSoft: false, inLoop: true };
  const usesLoop = node.recursive || usesName(node.body, "loop");
  const iterable = compileExpression(node.iterable, compiler);
  const body = compileBody(node.body, inner);
  const otherwise = compileBody(node.otherwise, inner);
  const filter = node.test === undefined ? undefined : compileExpression(node.test, inner);

  /** Runs the loop for values, writing to the frame. */
  const run = (frame: Frame, values: unknown, depth: number): Ending | Promise<Ending> => {
    frame.unit.line = node.line;
    if (values instanceof Undefined && !values.isLenient) values.fail();
    return then(filter === undefined ? values : kept(node, filter, values, frame), (source) => {
      const recurse = node.recursive ? (more: unknown, level: number) => recursed(frame, more, level) : undefined;
      const rounds = usesLoop ? new LoopContext(source, depth, recurse) : new PlainRounds(source);
      return then(
        runRounds(node, body, rounds, frame, usesLoop),
        (reachedEnd) => reachedEnd ? undefined : then(otherwise(frame.inner()), () => undefined),
      );
    }) as Ending | Promise<Ending>;
  };

  /** The result of calling `loop`: the text of the loop for other values. */
  const recursed = (frame: Frame, values: unknown, depth: number): unknown => {
    frame.run.budget.enter();
    const out = new RenderOutput(frame.run.budget);
    const { line } = frame.unit;
    return then(run(frame.inner(out), values, depth), () => {
      frame.run.budget.leave();
      frame.unit.line = line;
      return out.text;
    });
  };

  return (frame) => {
    frame.unit.line = node.line;
    return then(iterable(frame), (values) => run(frame, values, 0)) as Ending | Promise<Ending>;
  };
}

/** The values for which the condition of the loop is true. */
function kept(node: ForNode, test: Evaluate, values: unknown, frame: Frame): unknown[] | Promise<unknown[]> {
  const source = iterate(values)[Symbol.iterator]();
  const left: unknown[] = [];
  const inner = frame.inner();
  const take = (): unknown[] | Promise<unknown[]> => {
    for (let step = source.next(); !step.done; step = source.next()) {
      frame.run.budget.step();
      const value = step.value ?? null;
      assign(node.target, value, inner);
      const holds = test(inner);
      if (holds instanceof Promise) {
        return holds.then((known) => {
          if (truthy(known)) left.push(value);
          return take();
        });
      }
      if (truthy(holds)) left.push(value);
    }
    return left;
  };
  return take();
}

/** Runs the rounds of a loop. @returns true if a round reached its end: otherwise the `else` of the loop runs */
function runRounds(
  node: ForNode,
  body: Execute,
  rounds: Rounds,
  frame: Frame,
  usesLoop: boolean,
): boolean | Promise<boolean> {
  let reachedEnd = false;
  const round = (): Ending | Promise<Ending> => {
    frame.run.budget.step();
    const scope = frame.inner();
    if (usesLoop) scope.set("loop", rounds);
    assign(node.target, rounds.current, scope);
    return body(scope);
  };
  /** Notes the end of a round. @returns true if the loop continues */
  const ended = (ending: Ending): boolean => {
    if (ending === undefined) reachedEnd = true;
    return ending !== BREAK;
  };
  const goOn = async (pending: Promise<Ending>): Promise<boolean> => {
    if (!ended(await pending)) return reachedEnd;
    while (rounds.next()) if (!ended(await round())) break;
    return reachedEnd;
  };
  while (rounds.next()) {
    const ending = round();
    if (ending instanceof Promise) return goOn(ending);
    if (!ended(ending)) break;
  }
  return reachedEnd;
}
