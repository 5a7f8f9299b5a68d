/** How this program was started: by its file, or as a subcommand of `brine`. */

let words: readonly string[] = [];

/** What stands between the file and the words of the program when it starts itself again: its name, where one file holds all programs. */
export function programWords(): readonly string[] {
  return words;
}

/** From now on this process is that program. */
export function becomeProgram(program: string): void {
  words = [program];
}
