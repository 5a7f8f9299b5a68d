/** The options of outputters, with their names in Salt's configuration. Unknown ones may be present. */
export interface OutputOptions {
  /** Use colours: decided by the program from `--force-color`, `--no-color` and whether stdout is a terminal. */
  color?: boolean;
  /** Codes that replace those of the standard colours: `{"RED": "1;31"}`, the contents of `color_theme`. */
  color_theme?: Record<string, string> | undefined;
  /** Replace ESC in data by `?`. @default true */
  strip_colors?: boolean;
  /** Blanks before everything that `nested` prints. @default 0 */
  nested_indent?: number;
  /** Blanks per level, where an outputter indents; if absent, each has its own default. */
  output_indent?: number | "pretty" | null;
  [name: string]: unknown;
}

/** Facts about the call that an outputter may use besides the data. */
export interface OutputContext {
  /** Return code of the printed function; `nested` is red if it is not 0. @default 0 */
  retcode?: number;
}

/** The data lacks a key that the outputter looks up. */
export class MissingKeyError extends TypeError {}

/** Renders data as text; white space at the end is ignored. It is pure, and throws `TypeError` on data of another shape. */
export type Outputter = (data: unknown, options: OutputOptions, context: OutputContext) => string;
