import { compileExpression, type Compiler } from "./compile_expression.ts";
import { runBlock } from "./blocks.ts";
import { then } from "./compiled.ts";
import { TemplateRuntimeError } from "./errors.ts";
import type { Statement } from "./nodes.ts";
import type { CompiledTemplate, Ending, Execute, Frame } from "./runtime.ts";
import { loadTemplate } from "./run_template.ts";
import { templateName } from "./template_name.ts";

type Node<K extends Statement["kind"]> = Extract<Statement, { kind: K }>;

/** Compiles a block: at its place, the most derived block of the same name is written. */
export function compileBlock(node: Node<"block">): Execute {
  const { name, scoped, line } = node;
  return (frame) => {
    if (frame.page.extended !== undefined && frame.isRoot) return undefined;
    frame.unit.line = line;
    return then(runBlock(frame.page, name, 0, scoped ? frame : rootOf(frame), frame.out), () => undefined);
  };
}

function rootOf(frame: Frame): Frame {
  return frame.page.root ?? frame;
}

/** Compiles `extends`: text after it outside of blocks is not written; at the end, the extended template is written. */
export function compileExtends({ template, line }: Node<"extends">, compiler: Compiler): Execute {
  const name = compileExpression(template, compiler);
  return (frame) => {
    frame.unit.line = line;
    const { page } = frame;
    if (page.extended !== undefined) throw new TemplateRuntimeError("extended multiple times");
    return then(name(frame), (value) =>
      then(loadTemplate(frame, templateName(value)), (loaded) => {
        page.extended = loaded as CompiledTemplate;
        page.add(page.extended);
        return undefined;
      })) as Ending | Promise<Ending>;
  };
}
