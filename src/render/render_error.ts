import { SaltError } from "../errors.ts";

/** Where in a file, counted from 1. */
export interface Place {
  line?: number;
  column?: number;
}

export interface RenderErrorOptions {
  cause?: unknown;
  /** The problem is the whole message: it names the place itself, in Salt's words. @default false */
  isWhole?: boolean;
}

/** A file that no pipeline could make data of; the message names file, line and column; only that of a template quotes lines of its file. */
export class RenderError extends SaltError {
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(path: string, problem: string, place: Place = {}, options: RenderErrorOptions = {}) {
    const { line, column } = place;
    const where = [
      path,
      ...(line === undefined ? [] : [`line ${line}`]),
      ...(column === undefined ? [] : [`column ${column}`]),
    ];
    const { cause, isWhole = false } = options;
    super("RENDER", isWhole ? problem : `${where.join(", ")}: ${problem}`, { cause });
    this.path = path;
    this.line = line;
    this.column = column;
  }
}
