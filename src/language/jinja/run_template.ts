import { TemplateReference } from "./blocks.ts";
import { then } from "./compiled.ts";
import { inUnit } from "./located_error.ts";
import { type CompiledTemplate, Frame, Output, Page, type Run } from "./runtime.ts";

/**
 * Runs a whole template, and those that it extends.
 *
 * @param scope what it sees beside the globals
 * @param names what is set in its own scope to begin with
 * @returns its text and its scope
 */
export function runTemplate(
  run: Run,
  template: CompiledTemplate,
  scope: Frame | undefined,
  names?: Map<string, unknown>,
): { text: string; frame: Frame } | Promise<{ text: string; frame: Frame }> {
  const page = new Page();
  page.add(template);
  const out = new Output(run.budget);
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
