/**
 * Options that outputters know, under the names that Salt's configuration gives them. Unknown ones may be present.
 */
export interface OutputOptions {
  /** Use colours: decided by the program from `--force-color`, `--no-color` and whether stdout is a terminal. */
  color?: boolean;
  /** Codes that replace those of the standard colours: `{"RED": "1;31"}`, the contents of `color_theme`. */
  color_theme?: Record<string, string> | undefined;
  /** Replace ESC in data by `?`. @default true */
  strip_colors?: boolean;
  /** Blanks before everything that `nested` prints. @default 0 */
  nested_indent?: number;
  /** Blanks per level, where an outputter indents; absent means its own default. */
  output_indent?: number | "pretty" | null;
  [name: string]: unknown;
}

/** What an outputter may know of the call besides its data. */
export interface OutputContext {
  /** Return code of what is printed; other than 0 makes `nested` red. @default 0 */
  retcode?: number;
}

/** The data lacks what the outputter looks up by name. */
export class MissingKeyError extends TypeError {}

/** Renders data as text; white space at the end does not count. It is pure, and may throw on data of another form. */
export type Outputter = (data: unknown, options: OutputOptions, context: OutputContext) => string;
