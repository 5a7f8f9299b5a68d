/** What a template can fail with. The texts are Jinja2's, because scripts and people compare them. */

import type { SourceFile } from "./source_file.ts";

/** The template is not valid; the line counts from 1. */
export class TemplateSyntaxError extends Error {
  override name = "TemplateSyntaxError";
  readonly at: number;
  /** The template that is not valid: the one to render, or one that it imports. */
  file?: SourceFile;

  constructor(message: string, line: number) {
    super(message);
    // Not `line`: JavaScriptCore gives errors a property of that name.
    this.at = line;
  }
}

/** A value that is not there was used. */
export class UndefinedError extends Error {
  override name = "UndefinedError";
}

/** The template reached for what the sandbox keeps from it. */
export class SecurityError extends Error {
  override name = "SecurityError";
}

/** Something that only shows when the template runs: an unknown filter behind a condition, an import without a template. */
export class TemplateRuntimeError extends Error {
  override name = "TemplateRuntimeError";
}

/** A filter was given what it cannot use. */
export class FilterArgumentError extends TemplateRuntimeError {
  override name = "FilterArgumentError";
}

/** There is no template of that name; the message is the name alone, as in Jinja2. */
export class TemplateNotFound extends Error {
  override name = "TemplateNotFound";
}

/** The template takes more rounds or makes more text than its limit. */
export class TemplateLimitError extends Error {
  override name = "TemplateLimitError";
  /** Which limit that was, by its name in `Limits`. */
  readonly limit: "steps" | "characters" | "depth";

  constructor(message: string, limit: TemplateLimitError["limit"]) {
    super(message);
    this.limit = limit;
  }
}
