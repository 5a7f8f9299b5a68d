import { messageOf } from "../../../base/errors.ts";
import {
  errorPlace,
  SecurityError,
  TemplateLimitError,
  TemplateRuntimeError,
  TemplateSyntaxError,
  UndefinedError,
} from "../../jinja/mod.ts";
import { pythonName, writtenTraceback } from "../../python/python_error.ts";
import { RenderError } from "../render_error.ts";
import { SaltFunctionError } from "./salt_functions.ts";

const MARK = "    <======================";
/** The number of lines that are shown before and after the failing one. */
const AROUND = 5;

/** The lines around a failing one, which is marked, as Salt shows them. */
function context(source: string, line: number): string {
  const lines = source.split(/\r\n|[\n\r]/);
  if (lines.at(-1) === "") lines.pop();
  if (line > lines.length) return source;
  const start = Math.max(0, line - AROUND - 1);
  const end = Math.min(lines.length, line + AROUND);
  const shown = lines.slice(start, end);
  shown[line - start - 1] += MARK;
  if (start > 0) shown.unshift("[...]");
  if (end < lines.length) shown.push("[...]");
  return `---\n${shown.join("\n")}\n---`;
}

/** The name of an error before its message, and its class if Salt shows it. */
function kindOf(error: Error): { kind: string; shownClass?: string } {
  if (error instanceof UndefinedError) return { kind: "Jinja variable " };
  const isJinja = error instanceof TemplateSyntaxError || error instanceof TemplateRuntimeError ||
    error instanceof SecurityError;
  if (isJinja) return { kind: "Jinja syntax error: " };
  if (error instanceof SaltFunctionError) return { kind: "Problem running salt function in Jinja template: " };
  return { kind: "Jinja error: ", shownClass: pythonName(error.name) };
}

/** The options that stand for the limits of a render. */
const OPTIONS: Readonly<Record<string, string>> = { steps: "template_max_steps", characters: "template_max_size" };

function remedyOf(error: Error): string {
  const option = error instanceof TemplateLimitError ? OPTIONS[error.limit] : undefined;
  return option === undefined ? "" : `: it may never end. If it has to take more, set the option ${option}`;
}

interface FailedTemplate {
  path: string;
  source: string;
}

/**
 * The error of a failed template, in Salt's words: the problem, its line, and the lines around it.
 *
 * @param main the template that was to be rendered; the error may be in one that it imports
 */
export function templateError(error: unknown, main: FailedTemplate): RenderError {
  if (error instanceof RenderError) return error;
  const known = error instanceof Error ? error : new Error(messageOf(error));
  const { kind, shownClass } = kindOf(known);
  const place = errorPlace(known);
  const line = known instanceof TemplateSyntaxError ? known.at : place?.line ?? 1;
  const file = known instanceof TemplateSyntaxError && known.file !== undefined
    ? known.file
    : place?.unit.template.file;
  const problem = kind + known.message + remedyOf(known);
  const traceback = shownClass === undefined
    ? ""
    : `\n${writtenTraceback(known)?.trimEnd() ?? `${shownClass}: ${known.message}`}\n`;
  if (file !== undefined && !file.isMain) {
    const text = `${problem}\n${file.path}(${line}):\n${context(file.source, line)}`;
    return new RenderError(file.path, traceback === "" ? text : `${text}${traceback}\n`, { line }, {
      cause: known,
      isWhole: true,
    });
  }
  const separator = traceback === "" ? "; " : "\n; ";
  const text = `${problem}${traceback}${separator}line ${line}\n\n${context(main.source, line)}`;
  return new RenderError(main.path, text, { line }, { cause: known, isWhole: true });
}
