import { SaltError } from "../../base/errors.ts";

/** A place in a file, with line and column counted from 1. */
interface Place {
  line?: number;
  column?: number;
}

interface RenderErrorOptions {
  cause?: unknown;
  /** True if the problem is the whole message, which names the place in Salt's words. @default false */
  isWhole?: boolean;
  /** True if Salt gets this error as an exception of the library that reads, and reports it in other words. @default false */
  isForeign?: boolean;
  /** Salt's text for the problem. @default the problem */
  text?: string | undefined;
}

/** A file that could not be rendered; the message names file, line and column. Only messages about templates quote lines of the file. */
export class RenderError extends SaltError {
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The problem in Salt's words, without the file. */
  readonly text: string;
  readonly isForeign: boolean;

  constructor(path: string, problem: string, place: Place = {}, options: RenderErrorOptions = {}) {
    const { line, column } = place;
    const where = [
      path,
      ...(line === undefined ? [] : [`line ${line}`]),
      ...(column === undefined ? [] : [`column ${column}`]),
    ];
    const { cause, isWhole = false, isForeign = false, text = problem } = options;
    super("RENDER", isWhole ? problem : `${where.join(", ")}: ${problem}`, { cause });
    // Salt's name, which the comment of a state may show.
    this.name = "SaltRenderError";
    this.path = path;
    this.line = line;
    this.column = column;
    this.text = text;
    this.isForeign = isForeign;
  }
}
