import { PythonObject, repr } from "../python/values.ts";
import type { Described } from "./attributes.ts";
import { Callable } from "./callable.ts";
import { then } from "./compiled.ts";
import { TemplateRuntimeError } from "./errors.ts";
import { inUnit } from "./located_error.ts";
import { Frame, type Page, RenderOutput } from "./runtime.ts";
import { Undefined } from "./undefined.ts";

/** Writes a block by its name. @param level the number of templates to skip, counted from the most derived one */
export function runBlock(page: Page, name: string, level: number, scope: Frame, out: RenderOutput): unknown {
  const body = page.blocks.get(name)?.[level];
  if (body === undefined) throw new TemplateRuntimeError(`there is no block called ${repr(name)}`);
  if (body.required && level === 0) throw new TemplateRuntimeError(`Required block ${repr(name)} not found`);
  const unit = { template: body.template, line: 1 };
  const frame = new Frame(scope, scope.run, unit, page, out);
  frame.set("self", new TemplateReference(page, scope));
  frame.set(
    "super",
    page.blocks.get(name)!.length > level + 1
      ? new BlockReference(page, name, level + 1, scope)
      : new Undefined(`there is no parent block called ${repr(name)}.`),
  );
  return inUnit(unit, scope.run.budget, () => body.execute(frame));
}

/** The value of `super` in a block, or of a block in `self`: calling it returns the text of the block. */
export class BlockReference extends Callable implements Described {
  override readonly typeName = "BlockReference";
  readonly qualifiedType = "jinja2.runtime.BlockReference";
  readonly #page: Page;
  readonly #name: string;
  readonly #level: number;
  readonly #scope: Frame;

  constructor(page: Page, name: string, level: number, scope: Frame) {
    super();
    this.#page = page;
    this.#name = name;
    this.#level = level;
    this.#scope = scope;
  }

  override attribute(name: string): unknown {
    if (name !== "super") return undefined;
    const above = this.#level + 1;
    return (this.#page.blocks.get(this.#name)?.length ?? 0) > above
      ? new BlockReference(this.#page, this.#name, above, this.#scope)
      : new Undefined(`there is no parent block called ${repr(this.#name)}.`);
  }

  override call(): unknown {
    const out = new RenderOutput(this.#scope.run.budget);
    return then(runBlock(this.#page, this.#name, this.#level, this.#scope, out), () => out.text);
  }

  override repr(): string {
    return `<BlockReference ${repr(this.#name)}>`;
  }
}

export class TemplateReference extends PythonObject implements Described {
  override readonly typeName = "TemplateReference";
  readonly qualifiedType = "jinja2.runtime.TemplateReference";
  readonly #page: Page;
  readonly #scope: Frame;

  constructor(page: Page, scope: Frame) {
    super();
    this.#page = page;
    this.#scope = scope;
  }

  item(key: unknown): unknown {
    return typeof key === "string" && this.#page.blocks.has(key)
      ? new BlockReference(this.#page, key, 0, this.#scope)
      : undefined;
  }

  override repr(): string {
    return `<TemplateReference ${repr(this.#scope.unit.template.name)}>`;
  }
}
