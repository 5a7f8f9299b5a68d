import { printable } from "../../base/printable.ts";
import type { OutputOptions } from "./outputter.ts";

const CODES = {
  BLACK: "0;30",
  DARK_GRAY: "0;1;30",
  RED: "0;31",
  LIGHT_RED: "0;1;31",
  GREEN: "0;32",
  LIGHT_GREEN: "0;1;32",
  YELLOW: "0;33",
  LIGHT_YELLOW: "0;1;33",
  BLUE: "0;34",
  LIGHT_BLUE: "0;1;34",
  MAGENTA: "0;35",
  LIGHT_MAGENTA: "0;1;35",
  CYAN: "0;36",
  LIGHT_CYAN: "0;1;36",
  LIGHT_GRAY: "0;37",
  WHITE: "0;1;37",
  DEFAULT_COLOR: "0;39",
  ENDC: "0;0",
} as const;

/** Names of the colours; `ENDC` ends a colour. */
export type ColorName = keyof typeof CODES;

/** Escape sequences by colour; all empty if colours are off. */
export type Colors = Record<ColorName, string>;

/** The colours that the options select. */
export function colorsOf({ color = false, color_theme: theme = {} }: OutputOptions): Colors {
  const names = Object.keys(CODES) as ColorName[];
  return Object.fromEntries(
    names.map((name) => [name, color ? `\x1b[${theme[name] ?? CODES[name]}m` : ""]),
  ) as Colors;
}

/** Data with ESC replaced by `?`, so that what a minion returns cannot steer the operator's terminal. */
export function stripEscapes(text: string, { strip_colors: strip = true }: OutputOptions): string {
  return strip ? text.replaceAll("\x1b", "?") : text;
}

/**
 * An id as it is shown: ESC replaced as in all data, other control characters written out. The program that asks for a key
 * chooses its id, and a line feed in it could otherwise start a second line that looks like another id.
 */
export function shownId(id: string, options: OutputOptions): string {
  return printable(stripEscapes(id, options));
}
