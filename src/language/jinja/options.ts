/** How templates are read: Jinja2's options of an environment, under its names. */
export interface JinjaOptions {
  block_start_string: string;
  block_end_string: string;
  variable_start_string: string;
  variable_end_string: string;
  comment_start_string: string;
  comment_end_string: string;
  line_statement_prefix: string | null;
  line_comment_prefix: string | null;
  /** The first line feed behind a block is dropped. */
  trim_blocks: boolean;
  /** Blanks from the start of a line to a block are dropped. */
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
