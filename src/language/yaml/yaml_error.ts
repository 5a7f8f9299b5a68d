/** The document cannot be read; lines and columns count from 1. */
export class YamlError extends SyntaxError {
  /** The problem, without line and column. */
  readonly problem: string;
  readonly line: number;
  readonly column: number;

  constructor(problem: string, line: number, column: number, options?: ErrorOptions) {
    super(`line ${line}, column ${column}: ${problem}`, options);
    this.name = "YamlError";
    this.problem = problem;
    this.line = line;
    this.column = column;
  }

  static at(text: string, problem: string, offset: number, cause: unknown): YamlError {
    const before = contextLines(text.slice(0, offset));
    return new YamlError(problem, before.length, (before.at(-1) ?? "").length + 1, { cause });
  }
}

/** The lines of a text, without line ends; a line end at the end of the text adds an empty line. */
export const contextLines = (text: string): string[] => text.split(/\r\n|\n|\r/);

/** The problem of a very deep document, which would overflow the stack of recursive readers. */
export const TOO_DEEP = "lists and maps are nested too deeply";
