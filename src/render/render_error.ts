import { SaltError } from "../errors.ts";

/** Where in a file, counted from 1. */
export interface Place {
  line?: number;
  column?: number;
}

/** A file that no pipeline could make data of; the message names file, line and column, and never quotes the file. */
export class RenderError extends SaltError {
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(path: string, problem: string, place: Place = {}, options: { cause?: unknown } = {}) {
    const { line, column } = place;
    const where = [
      path,
      ...(line === undefined ? [] : [`line ${line}`]),
      ...(column === undefined ? [] : [`column ${column}`]),
    ];
    super("RENDER", `${where.join(", ")}: ${problem}`, options);
    this.path = path;
    this.line = line;
    this.column = column;
  }
}
