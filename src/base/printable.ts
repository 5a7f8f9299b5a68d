/**
 * Makes untrusted text safe to show. A control character in it could redraw the reader's terminal,
 * hide the text beside it, or begin a forged line.
 */

// C0, DEL and C1; the separators of lines and paragraphs; and what changes the direction of writing.
// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
// deno-lint-ignore no-control-regex
const CONTROL_IN_LINES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`;
}

/**
 * Returns one line of text with every control character escaped: ESC is `\x1b`, a line feed `\x0a`.
 *
 * @param most characters that are shown; for a longer text, the number of the others is added
 */
export function printable(text: string, most: number = Infinity): string {
  const shown = text.length > most ? text.slice(0, most) : text;
  const line = shown.replace(CONTROL, escaped);
  return shown === text ? line : `${line}… (${text.length - most} characters more)`;
}

/** Returns text of several lines with its control characters escaped, except line feeds and tabs. */
export function printableLines(text: string): string {
  return text.replace(CONTROL_IN_LINES, escaped);
}

// Colour sequences and Windows line ends are harmless.
// deno-lint-ignore no-control-regex
const FOR_TERMINAL = /\x1b\[[0-9;]{0,20}m|\r\n|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text of any kind on its way to a terminal: line feeds, tabs and colours stay, all other control characters are escaped. */
export function terminalText(text: string): string {
  return text.replace(FOR_TERMINAL, (found) => found.length > 1 ? found : escaped(found));
}
