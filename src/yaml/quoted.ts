const SHORT: Readonly<Record<string, string>> = {
  "\0": "0",
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "e",
  '"': '"',
  "\\": "\\",
  "\x85": "N",
  "\xa0": "_",
  "\u2028": "L",
  "\u2029": "P",
};

function escaped(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return `\\${short}`;
  const code = character.codePointAt(0)!;
  const hex = code.toString(16).toUpperCase();
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** A text as a YAML scalar in double quotes, on one line, in ASCII. */
export function doubleQuoted(text: string): string {
  return `"${text.replace(/["\\]|[^\x20-\x7e]/gu, escaped)}"`;
}

/** A text as a YAML scalar in single quotes, on one line: line feeds become empty lines. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''").replace(/\n+/g, (breaks) => `${breaks}\n`)}'`;
}
