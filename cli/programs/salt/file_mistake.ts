import { JINJA_DEFAULTS, TemplateSyntaxError, templateUses } from "../../../src/language/jinja/mod.ts";
import { parseYaml, YamlError } from "../../../src/language/yaml/document.ts";

const MARKUP = /\{[{%#]/;

/** The mistake in the text of an SLS or top file, with line and column; undefined if it only shows when the file is rendered. */
export function mistakeIn(text: string): string | undefined {
  try {
    templateUses(text, JINJA_DEFAULTS);
    if (!MARKUP.test(text)) parseYaml(text);
    return undefined;
  } catch (error) {
    if (error instanceof YamlError) return error.message;
    if (error instanceof TemplateSyntaxError) return `line ${error.at}: ${error.message}`;
    throw error;
  }
}
