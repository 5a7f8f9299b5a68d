/** Reads calls from text: `test.arg(1, 'a b', key=value)`. */

const BRACKETS: Record<string, string> = { "[": "]", "{": "}", "(": ")" };
const WORD = /[\p{L}\p{N}_]/u;

/** Splits a text into words and punctuation, as Python's `shlex.shlex(text, posix=True)` does. */
function* tokens(text: string): Generator<string> {
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === "'" || character === '"') {
      const [inner, end] = quoted(text, at);
      word = (word ?? "") + inner;
      at = end;
    } else if (character === "\\" && at + 1 < text.length) {
      at += 1;
      word = (word ?? "") + text[at];
    } else if (WORD.test(character)) word = (word ?? "") + character;
    else {
      if (word !== undefined) yield word;
      word = undefined;
      if (character === "#") at = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at);
      else if (!/[ \t\r\n]/.test(character)) yield character;
    }
  }
  if (word !== undefined) yield word;
}

/**
 * The text between the quote at `at` and its closing quote, and the position of the latter. A backslash escapes a quote or a
 * backslash.
 */
function quoted(text: string, at: number): [string, number] {
  const quote = text[at]!;
  let inner = "";
  for (let next = at + 1; next < text.length; next++) {
    const character = text[next]!;
    if (character === quote) return [inner, next];
    if (character === "\\" && (text[next + 1] === quote || text[next + 1] === "\\")) next += 1;
    inner += text[next];
  }
  throw new SyntaxError(`Cannot read the call ${JSON.stringify(text)}: it has no closing quotation`);
}

/** A parsed call; all its values are texts. */
interface CallText {
  fun: string;
  args: string[];
  keyword: Record<string, string>;
}

/**
 * Parses a call.
 *
 * @returns undefined if the text is not a call
 * @throws {SyntaxError} if a quotation is not closed
 * @see salt/utils/args.py parse_function
 */
export function readCall(text: string): CallText | undefined {
  const rest = tokens(text);
  let fun = "";
  for (let token = rest.next();; token = rest.next()) {
    if (token.done) return undefined;
    if (token.value === "(") break;
    fun += token.value;
  }
  const read = fun === "" ? undefined : readArguments(rest);
  return read === undefined ? undefined : { fun, ...read };
}

function readArguments(rest: Generator<string>): Omit<CallText, "fun"> | undefined {
  const args: string[] = [];
  const keyword: [string, string][] = [];
  const open: string[] = [];
  let key: string | undefined;
  let words: string[] = [];
  for (const token of rest) {
    if ((token === "," || token === ")") && open.length === 0) {
      if (key !== undefined && key !== "") keyword.push([key, words.join("")]);
      else if (words.length > 0) args.push(words.join(""));
      if (token === ")") return { args, keyword: Object.fromEntries(keyword) };
      key = undefined;
      words = [];
    } else if (token === "=" && open.length === 0) {
      key = words.join("");
      words = [];
    } else {
      if (Object.hasOwn(BRACKETS, token)) open.push(BRACKETS[token]!);
      else if (/^[\]})]$/.test(token) && open.pop() !== token) return undefined;
      words.push(token);
    }
  }
  return undefined;
}
