import { SaltError } from "../../../base/errors.ts";
import { PythonObject } from "../../python/values.ts";
import { Callable, type Described, type Keywords, then, withoutMarkup } from "../../jinja/mod.ts";

/** A Salt function reported a failure: it was called wrongly, or could not do its work. */
export class SaltFunctionError extends SaltError {
  constructor(message: string) {
    super("FAILED", message);
  }
}

/** The execution modules as templates call them. */
export interface TemplateFunctionTable {
  /** True for a function such as `test.echo`. */
  has(name: string): boolean | Promise<boolean>;
  /** True for a module such as `test`. */
  hasModule(name: string): boolean | Promise<boolean>;
  /**
   * Calls a function.
   *
   * @throws {SaltFunctionError} if the function reports a failure
   * @throws {PythonError} for any other exception
   */
  call(name: string, args: readonly unknown[], keywords: Keywords): unknown;
}

class SaltFunction extends Callable {
  override readonly typeName = "LoadedFunc";
  readonly #name: string;
  readonly #table: TemplateFunctionTable;

  constructor(name: string, table: TemplateFunctionTable) {
    super();
    this.#name = name;
    this.#table = table;
  }

  override call(args: readonly unknown[], keywords: Keywords): unknown {
    const given = new Map([...keywords].map(([key, value]) => [key, withoutMarkup(value)]));
    const result = this.#table.call(this.#name, args.map(withoutMarkup), given);
    return result instanceof Promise ? result.then((value) => value ?? null) : result ?? null;
  }

  override repr(): string {
    return `<LoadedFunc name='${this.#name}'>`;
  }
}

class SaltModule extends PythonObject implements Described {
  override readonly typeName = "LoadedMod";
  readonly qualifiedType = "salt.utils.templates.AliasedModule";
  readonly #name: string;
  readonly #table: TemplateFunctionTable;

  constructor(name: string, table: TemplateFunctionTable) {
    super();
    this.#name = name;
    this.#table = table;
  }

  attribute(name: string): unknown {
    const whole = `${this.#name}.${name}`;
    return then(this.#table.has(whole), (known) => known ? new SaltFunction(whole, this.#table) : undefined);
  }

  override repr(): string {
    return `<LoadedMod '${this.#name}'>`;
  }
}

/** The name `salt` of templates: functions by name, and modules as attributes. */
export class SaltFunctions extends PythonObject implements Described {
  override readonly typeName = "AliasedLoader";
  readonly qualifiedType = "salt.utils.templates.AliasedLoader";
  readonly #table: TemplateFunctionTable;

  constructor(table: TemplateFunctionTable) {
    super();
    this.#table = table;
  }

  /** Calls a function by its name, as a filter does. */
  run(name: string, args: readonly unknown[], keywords: Keywords): unknown {
    return new SaltFunction(name, this.#table).call(args, keywords);
  }

  item(key: unknown): unknown {
    if (typeof key !== "string") return undefined;
    return then(this.#table.has(key), (known) => known ? new SaltFunction(key, this.#table) : undefined);
  }

  attribute(name: string): unknown {
    return then(this.#table.hasModule(name), (known) => known ? new SaltModule(name, this.#table) : undefined);
  }

  contains(value: unknown): boolean | Promise<boolean> {
    return typeof value === "string" ? this.#table.has(value) : false;
  }

  override repr(): string {
    return "<AliasedLoader>";
  }
}
