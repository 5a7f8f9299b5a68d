/** The options for reading templates: Jinja2's options of an environment, with Jinja2's names. */
export interface JinjaOptions {
  block_start_string: string;
  block_end_string: string;
  variable_start_string: string;
  variable_end_string: string;
  comment_start_string: string;
  comment_end_string: string;
  line_statement_prefix: string | null;
  line_comment_prefix: string | null;
  /** Removes the first line feed after a block. */
  trim_blocks: boolean;
  /** Removes blanks from the start of a line up to a block. */
  lstrip_blocks: boolean;
  keep_trailing_newline: boolean;
  newline_sequence: string;
  autoescape: boolean;
}

/** Jinja2's defaults. */
export const JINJA_DEFAULTS: Readonly<JinjaOptions> = {
  block_start_string: "{%",
  block_end_string: "%}",
  variable_start_string: "{{",
  variable_end_string: "}}",
  comment_start_string: "{#",
  comment_end_string: "#}",
  line_statement_prefix: null,
  line_comment_prefix: null,
  trim_blocks: false,
  lstrip_blocks: false,
  keep_trailing_newline: false,
  newline_sequence: "\n",
  autoescape: false,
};
