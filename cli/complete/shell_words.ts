/** A command line as a shell cuts it into words, as far as completion needs it. */

/** A word, and where it begins in the line. */
export interface ShellWord {
  text: string;
  start: number;
}

/** The words of the line up to the cursor; the last one is that at the cursor, and may be empty. Quotes and backslashes are taken out. */
export function shellWords(line: string): ShellWord[] {
  const found: ShellWord[] = [];
  let word: ShellWord | undefined;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const letter = line[at]!;
    if (quote === "" && /\s/.test(letter)) {
      if (word !== undefined) found.push(word);
      word = undefined;
      continue;
    }
    word ??= { text: "", start: at };
    if (quote === "" && (letter === "'" || letter === '"')) quote = letter;
    else if (letter === quote) quote = "";
    else if (letter === "\\" && quote !== "'" && at + 1 < line.length) word.text += line[++at]!;
    else word.text += letter;
  }
  found.push(word ?? { text: "", start: line.length });
  return found;
}
