import { typeError } from "../python/python_error.ts";
import { repr, tupleOf } from "../python/values.ts";
import type { Described } from "./attributes.ts";
import { Callable, type Keywords } from "./callable.ts";
import { inUnit } from "./located_error.ts";
import { type Evaluate, type Execute, Frame, RenderOutput } from "./runtime.ts";
import { Undefined } from "./undefined.ts";

interface MacroCode {
  /** The name of the macro; undefined for the body of a call block. */
  name: string | undefined;
  parameters: readonly string[];
  /** The defaults of the last parameters. */
  defaults: readonly Evaluate[];
  body: Execute;
  line: number;
  /** Special names that the body uses: with them, a macro takes more than its parameters. */
  uses: { caller: boolean; varargs: boolean; kwargs: boolean };
}

/** A macro of a template, with the scope that it was defined in. */
export class Macro extends Callable implements Described {
  override readonly typeName = "Macro";
  readonly qualifiedType = "jinja2.runtime.Macro";
  readonly #code: MacroCode;
  readonly #defined: Frame;

  constructor(code: MacroCode, defined: Frame) {
    super();
    this.#code = code;
    this.#defined = defined;
  }

  override attribute(name: string): unknown {
    const { name: own, parameters, uses } = this.#code;
    switch (name) {
      case "name":
        return own ?? null;
      case "arguments":
        return tupleOf(parameters);
      case "catch_kwargs":
        return uses.kwargs;
      case "catch_varargs":
        return uses.varargs;
      case "caller":
        return uses.caller;
    }
    return undefined;
  }

  override repr(): string {
    return `<Macro ${this.#code.name === undefined ? "anonymous" : repr(this.#code.name)}>`;
  }

  override call(args: readonly unknown[], keywords: Keywords): unknown {
    const { run, page, unit } = this.#defined;
    const own = { template: unit.template, line: this.#code.line };
    const out = new RenderOutput(run.budget);
    const frame = new Frame(this.#defined, run, own, page, out);
    this.#bindSpecial(frame, args, this.#bindParameters(frame, args, keywords));
    return inUnit(own, run.budget, () => {
      const missing = this.#evaluateDefaults(frame);
      const text = () => out.text;
      if (missing !== undefined) return missing.then(() => this.#code.body(frame)).then(text);
      const ending = this.#code.body(frame);
      return ending instanceof Promise ? ending.then(text) : out.text;
    });
  }

  /** Sets the parameters that the call gives. @returns the remaining keywords */
  #bindParameters(frame: Frame, args: readonly unknown[], keywords: Keywords): Map<string, unknown> {
    const { parameters } = this.#code;
    const rest = new Map(keywords);
    for (let at = 0; at < parameters.length; at++) {
      const name = parameters[at]!;
      if (at < args.length) frame.set(name, args[at]);
      else if (rest.has(name)) {
        frame.set(name, rest.get(name));
        rest.delete(name);
      }
    }
    return rest;
  }

  /** Sets `caller`, `varargs` and `kwargs` if the body uses them. @throws {PythonError} for arguments that the macro does not take */
  #bindSpecial(frame: Frame, args: readonly unknown[], rest: Map<string, unknown>): void {
    const { parameters, uses, name } = this.#code;
    const shown = name === undefined ? "None" : repr(name);
    if (uses.caller && !parameters.includes("caller")) {
      frame.set("caller", rest.get("caller") ?? new Undefined("No caller defined"));
      rest.delete("caller");
    }
    if (uses.kwargs && !parameters.includes("kwargs")) frame.set("kwargs", rest);
    else if (rest.size > 0) {
      if (rest.has("caller")) {
        throw typeError(
          `macro ${shown} was invoked with two values for the special caller argument. This is most likely a bug.`,
        );
      }
      throw typeError(`macro ${shown} takes no keyword argument ${repr([...rest.keys()][0])}`);
    }
    if (uses.varargs && !parameters.includes("varargs")) frame.set("varargs", tupleOf(args.slice(parameters.length)));
    else if (args.length > parameters.length) {
      throw typeError(`macro ${shown} takes not more than ${parameters.length} argument(s)`);
    }
  }

  /** Evaluates the defaults of parameters that are not set yet; they see the parameters before them. */
  #evaluateDefaults(frame: Frame): Promise<void> | undefined {
    const { parameters, defaults } = this.#code;
    const first = parameters.length - defaults.length;
    for (let at = 0; at < parameters.length; at++) {
      const name = parameters[at]!;
      if (frame.names.has(name)) continue;
      const value = at < first
        ? new Undefined(`parameter ${repr(name)} was not provided`)
        : defaults[at - first]!(frame);
      if (value instanceof Promise) {
        return value.then((known) => {
          frame.set(name, known);
          return this.#evaluateDefaults(frame);
        });
      }
      frame.set(name, value);
    }
    return undefined;
  }
}
