import { SaltError } from "../../base/errors.ts";

/** Where in a file, counted from 1. */
export interface Place {
  line?: number;
  column?: number;
}

export interface RenderErrorOptions {
  cause?: unknown;
  /** The problem is the whole message: it names the place itself, in Salt's words. @default false */
  isWhole?: boolean;
  /** In Salt it is an exception of the library that reads, which Salt reports in other words. @default false */
  isForeign?: boolean;
  /** What Salt says of it. @default the problem */
  text?: string;
}

/** A file that no pipeline could make data of; the message names file, line and column; only that of a template quotes lines of its file. */
export class RenderError extends SaltError {
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The problem without the file, as Salt says it. */
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
    this.path = path;
    this.line = line;
    this.column = column;
    this.text = text;
    this.isForeign = isForeign;
  }
}
