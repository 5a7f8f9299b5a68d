/** Splits a command line into words like a shell, as far as completion needs it. */

interface ShellWord {
  text: string;
  start: number;
}

/**
 * The words of the line up to the cursor, without quotes and backslashes. The last one is the word at the cursor, and may be
 * empty.
 */
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
