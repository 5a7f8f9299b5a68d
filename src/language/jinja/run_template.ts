import { TemplateReference } from "./blocks.ts";
import { then } from "./compiled.ts";
import { inUnit } from "./located_error.ts";
import { type CompiledTemplate, Frame, Page, RenderOutput, type Run } from "./runtime.ts";

/** Loads a template, or takes it was loaded before. @throws {TemplateNotFound} */
export function loadTemplate({ run, unit }: Frame, name: string): CompiledTemplate | Promise<CompiledTemplate> {
  const known = run.templates.get(name);
  if (known !== undefined) return known;
  return then(run.environment.load(run, name, unit), (loaded) => {
    run.templates.set(name, loaded as CompiledTemplate);
    return loaded;
  }) as CompiledTemplate | Promise<CompiledTemplate>;
}

/**
 * Runs a whole template, and the templates that it extends.
 *
 * @param scope the names that the template sees in addition to the globals
 * @param names the initial names of the template's own scope
 * @returns the text and the scope of the template
 */
export function runTemplate(
  run: Run,
  template: CompiledTemplate,
  scope: Frame | undefined,
  names?: Map<string, unknown>,
): { text: string; frame: Frame } | Promise<{ text: string; frame: Frame }> {
  const page = new Page();
  page.add(template);
  const out = new RenderOutput(run.budget);
  const runOne = (current: CompiledTemplate, parent: Frame | undefined, own?: Map<string, unknown>): unknown => {
    const unit = { template: current, line: 1 };
    const frame = new Frame(parent, run, unit, page, out, own);
    page.root = frame;
    page.extended = undefined;
    if (current.blocks.size > 0 || parent === undefined) frame.set("self", new TemplateReference(page, frame));
    return then(inUnit(unit, run.budget, () => current.body(frame)), () => {
      const { extended } = page;
      return extended === undefined ? { text: out.text, frame } : runOne(extended, frame);
    });
  };
  return runOne(template, scope, names) as { text: string; frame: Frame };
}
