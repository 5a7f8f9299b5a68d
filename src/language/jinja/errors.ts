/** The errors of templates. The messages are Jinja2's, because scripts and people compare them. */

import { SaltError } from "../../base/errors.ts";
import type { SourceFile } from "./source_file.ts";

export class TemplateError extends SaltError {
  constructor(message: string) {
    super("TEMPLATE", message);
  }
}

/** The template is not valid; the line counts from 1. */
export class TemplateSyntaxError extends TemplateError {
  readonly at: number;
  /** The template that is not valid: the one to render, or one that it imports. */
  file?: SourceFile;

  constructor(message: string, line: number) {
    super(message);
    // The property is not called `line`: JavaScriptCore gives errors a property of that name.
    this.at = line;
  }
}

/** An undefined value was used. */
export class UndefinedError extends TemplateError {}

/** The template accessed a value that the sandbox forbids. */
export class SecurityError extends TemplateError {}

/** An error that appears only when the template runs: an unknown filter behind a condition, an import without a template. */
export class TemplateRuntimeError extends TemplateError {}

/** A filter got an argument that it cannot use. */
export class FilterArgumentError extends TemplateRuntimeError {}

/** There is no template of that name; the message is the name alone, as in Jinja2. */
export class TemplateNotFound extends TemplateError {}

/** The template took more rounds or made more text than its limit. */
export class TemplateLimitError extends TemplateError {
  readonly limit: "steps" | "characters" | "depth";

  constructor(message: string, limit: TemplateLimitError["limit"]) {
    super(message);
    this.limit = limit;
  }
}
