import { tryIterate } from "../python/iterate.ts";
import { repr } from "../python/values.ts";
import { receiver } from "./attributes.ts";
import { compileExpression, type Compiler } from "./compile_expression.ts";
import { then } from "./compiled.ts";
import { TemplateNotFound } from "./errors.ts";
import { TemplateModule } from "./module.ts";
import type { Statement } from "./nodes.ts";
import { loadTemplate, runTemplate } from "./run_template.ts";
import type { CompiledTemplate, Ending, Execute, Frame } from "./runtime.ts";
import { templateName } from "./template_name.ts";
import { Undefined } from "./undefined.ts";

type Node<K extends Statement["kind"]> = Extract<Statement, { kind: K }>;

/** The names that `include` tries: one, or a list. */
function namesOf(value: unknown): string[] {
  if (value instanceof Undefined) value.fail();
  const names = receiver(value);
  if (typeof names === "string") return [names];
  return Array.from(tryIterate(names) ?? [names], templateName);
}

/** Loads the first template that exists. @throws {TemplateNotFound} */
function loadFirst(frame: Frame, names: readonly string[], at = 0): CompiledTemplate | Promise<CompiledTemplate> {
  const failed = (error: unknown): CompiledTemplate | Promise<CompiledTemplate> => {
    if (!(error instanceof TemplateNotFound) || names.length === 1) throw error;
    if (at + 1 < names.length) return loadFirst(frame, names, at + 1);
    throw new TemplateNotFound(`none of the templates given were found: ${names.join(", ")}`);
  };
  if (names.length === 0) throw new TemplateNotFound("Tried to select from an empty list of templates.");
  try {
    const loaded = loadTemplate(frame, names[at]!);
    return loaded instanceof Promise ? loaded.catch(failed) : loaded;
  } catch (error) {
    return failed(error);
  }
}

/** Compiles `include`: writes the text of another template, which sees the scope of the statement. */
export function compileInclude(node: Node<"include">, compiler: Compiler): Execute {
  const template = compileExpression(node.template, compiler);
  const missing = (error: unknown): undefined => {
    if (node.ignoreMissing && error instanceof TemplateNotFound) return undefined;
    throw error;
  };
  return (frame) => {
    frame.unit.line = node.line;
    const write = (loaded: unknown) => {
      const template = loaded as CompiledTemplate;
      return then(
        node.withContext
          ? then(runTemplate(frame.run, template, frame), (done) => (done as { text: string }).text)
          : then(moduleOf(frame, template, false), (module) => (module as TemplateModule).str()),
        (text) => {
          if (frame.page.extended === undefined || !frame.isRoot) frame.out.write(text as string);
          return undefined;
        },
      );
    };
    return then(template(frame), (value) => {
      let loaded: unknown;
      try {
        loaded = loadFirst(frame, namesOf(value));
      } catch (error) {
        return missing(error);
      }
      if (!(loaded instanceof Promise)) return write(loaded);
      return loaded.then(write, missing);
    }) as Ending | Promise<Ending>;
  };
}

/** A template as a module; without context it runs once for each render. */
function moduleOf(frame: Frame, template: CompiledTemplate, withContext: boolean): unknown {
  const { run } = frame;
  const known = withContext ? undefined : run.modules.get(template);
  if (known !== undefined) return known;
  return then(runTemplate(run, template, withContext ? frame : undefined), (done) => {
    const { text, frame: own } = done as { text: string; frame: Frame };
    const module = new TemplateModule(template.name, text, own);
    if (!withContext) run.modules.set(template, module);
    return module;
  });
}

const importModule = (frame: Frame, value: unknown, withContext: boolean): unknown =>
  then(loadTemplate(frame, templateName(value)), (loaded) => moduleOf(frame, loaded as CompiledTemplate, withContext));

/** Compiles `import … as x`. */
export function compileImport({ template, target, withContext, line }: Node<"import">, compiler: Compiler): Execute {
  const name = compileExpression(template, compiler);
  return (frame) => {
    frame.unit.line = line;
    return then(
      name(frame),
      (value) => then(importModule(frame, value, withContext), (module) => void frame.set(target, module)),
    ) as Ending | Promise<Ending>;
  };
}

/** Compiles `from … import x, y as z`. */
export function compileFrom({ template, names, withContext, line }: Node<"from">, compiler: Compiler): Execute {
  const name = compileExpression(template, compiler);
  return (frame) => {
    frame.unit.line = line;
    return then(name(frame), (value) =>
      then(importModule(frame, value, withContext), (module) => {
        for (const { name: own, as } of names) {
          const found = (module as TemplateModule).attribute(own);
          frame.set(
            as,
            found === undefined
              ? new Undefined(
                `the template ${
                  repr(String(receiver(value)))
                } (imported on line ${line}) does not export the requested name ${repr(own)}`,
              )
              : found,
          );
        }
        return undefined;
      })) as Ending | Promise<Ending>;
  };
}

/** Compiles Salt's `import_yaml`, `import_json` and `import_text`: the file is rendered, then read as data. */
export function compileImportData(node: Node<"import data">, compiler: Compiler): Execute {
  const { format, template, target, withContext, line } = node;
  const name = compileExpression(template, compiler);
  return (frame) => {
    frame.unit.line = line;
    return then(name(frame), (value) =>
      then(importModule(frame, value, withContext), (module) => {
        frame.set(target, frame.run.environment.data(format, (module as TemplateModule).str()));
        return undefined;
      })) as Ending | Promise<Ending>;
  };
}
