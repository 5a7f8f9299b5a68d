/** How this process was started: by a program's own file, or as a subcommand of `brine`. */

let words: readonly string[] = [];

/**
 * The words between the file and the program's own words when it starts itself again: its name, if one file contains all
 * programs.
 */
export function programWords(): readonly string[] {
  return words;
}

/** Records which program this process is from now on. */
export function becomeProgram(program: string): void {
  words = [program];
}
