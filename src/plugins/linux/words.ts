/**
 * Splits a text into words as a POSIX shell does, and does nothing else that a shell does: quotes group, a backslash
 * takes the next character as it is, inside double quotes only before `"` and `\`.
 *
 * @throws {SyntaxError} in the words of Python's `shlex.split`
 */
export function shellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === " " || character === "\t" || character === "\r" || character === "\n") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "\\") {
      at += 1;
      if (at === text.length) throw new SyntaxError("No escaped character");
      word = (word ?? "") + text[at];
    } else if (character === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) throw new SyntaxError("No closing quotation");
      word = (word ?? "") + text.slice(at + 1, end);
      at = end;
    } else if (character === '"') {
      word ??= "";
      for (at += 1; text[at] !== '"'; at++) {
        if (at >= text.length) throw new SyntaxError("No closing quotation");
        if (text[at] === "\\" && (text[at + 1] === '"' || text[at + 1] === "\\")) at += 1;
        word += text[at];
      }
    } else word = (word ?? "") + character;
  }
  if (word !== undefined) words.push(word);
  return words;
}
