/** Reads the text of a JavaScript or TypeScript file: parameters of its functions, and the comments before them. */
import type { Parameter, Signature } from "./signature.ts";

const CLOSING: Record<string, string> = { "(": ")", "[": "]", "{": "}", "<": ">" };

/** The end of a quoted text, comment or regular expression that begins at `at`; undefined if none begins there. */
function skipLiteral(text: string, at: number, before: string): number | undefined {
  const char = text[at]!;
  if (char === '"' || char === "'" || char === "`") {
    for (let next = at + 1; next < text.length; next++) {
      if (text[next] === "\\") next++;
      else if (text[next] === char) return next + 1;
    }
    return text.length;
  }
  if (char !== "/") return undefined;
  if (text[at + 1] === "*") return text.indexOf("*/", at + 2) < 0 ? text.length : text.indexOf("*/", at + 2) + 2;
  if (text[at + 1] === "/") return text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at);
  // After a value, a slash means division.
  if (!"=(,[{:".includes(before)) return undefined;
  return at + (/^\/(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n\\[])+\/[a-z]*/.exec(text.slice(at))?.[0].length ?? 1);
}

interface Written {
  name: string;
  optional: boolean;
  /** The expression of the default, after the equals sign. */
  value: string | undefined;
}

/** Reads a list of parameters, including their types. @param open position of the opening parenthesis */
function readParameters(text: string, open: number): Written[] {
  const found: Written[] = [];
  let part: "name" | "type" | "value" = "name";
  const texts = { name: "", type: "", value: "" };
  const ends: string[] = [];
  let before = "(";
  const finish = () => {
    const name = texts.name.trim();
    if (name !== "") {
      found.push({
        name: name.replace(/\?$/, "").trim(),
        optional: name.endsWith("?"),
        value: part === "value" ? texts.value.trim() : undefined,
      });
    }
    part = "name";
    texts.name = texts.type = texts.value = "";
  };
  for (let at = open + 1; at < text.length; at++) {
    const char = text[at]!;
    const after = skipLiteral(text, at, before);
    if (after !== undefined) {
      const literal = text.slice(at, after);
      if (!literal.startsWith("/*") && !literal.startsWith("//")) {
        texts[part] += literal;
        before = '"';
      }
      at = after - 1;
      continue;
    }
    if (char === "=" && text[at + 1] === ">") {
      texts[part] += "=>";
      at++;
      continue;
    }
    if (ends.length === 0) {
      if (char === ")") {
        finish();
        return found;
      }
      if (char === "," || (char === ":" && part === "name") || (char === "=" && part !== "value")) {
        if (char === ",") finish();
        else part = char === ":" ? "type" : "value";
        before = char;
        continue;
      }
    }
    // In an expression, `<` is a comparison, not a bracket.
    if (char in CLOSING && (char !== "<" || part === "type")) ends.push(CLOSING[char]!);
    else if (char === ends[ends.length - 1]) ends.pop();
    texts[part] += char;
    if (char.trim() !== "") before = char;
  }
  return found;
}

/** The value of a literal; undefined for any other expression, because the function evaluates that itself. */
function literalValue(text: string): unknown {
  switch (text) {
    case "null":
      return null;
    case "true":
      return true;
    case "false":
      return false;
  }
  if (/^'(?:[^'"\\]|"|\\.)*'$/.test(text)) return literalValue(`"${text.slice(1, -1).replace(/\\'|"/g, quoteAgain)}"`);
  if (/^-?(?:0[xob][\da-f_]+|[\d_.]+(?:e[+-]?\d+)?)$/i.test(text)) {
    const value = Number(text.replaceAll("_", ""));
    return Number.isNaN(value) ? undefined : value;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const quoteAgain = (found: string) => found === '"' ? '\\"' : "'";

/** Converts parameters to a signature in Python's terms; the first parameter, the context, is left out. */
function toSignature([, ...written]: Written[]): Signature {
  const signature: Signature = { params: [], varargs: undefined, keywords: undefined };
  let optional = false;
  for (const [index, { name, value, ...rest }] of written.entries()) {
    if (name.startsWith("...")) {
      signature.varargs = /^\.\.\.([A-Za-z_$][\w$]*)$/.exec(name)?.[1] ?? "args";
      continue;
    }
    const plain = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `arg${index + 1}`;
    if (plain === "kwargs" && index === written.length - 1) {
      signature.keywords = plain;
      continue;
    }
    // A parameter after an optional one is optional, too: Python has no other form.
    optional ||= value !== undefined || rest.optional;
    const parameter: Parameter = { name: plain };
    if (optional) parameter.default = value === undefined ? undefined : literalValue(value);
    signature.params.push(parameter);
  }
  return signature;
}

const escaped = (name: string) => name.replaceAll("$", "\\$");

/** The local name of an export that the file renames (`export { local as name }`). */
function localName(source: string, name: string): string {
  return new RegExp(`^[ \\t]*export\\s*\\{[^}]*?([\\w$]+)\\s+as\\s+${escaped(name)}\\b`, "m").exec(source)?.[1] ?? name;
}

/** Positions of the functions with that name, with the positions of their parameter lists where these can be found. */
function declarations(source: string, name: string): { at: number; parameters: number | undefined }[] {
  const own = escaped(localName(source, name));
  const expressions = [
    `^[ \\t]*(?:export\\s+)?(?:async\\s+)?function\\s*\\*?\\s*${own}\\s*(?:<[^(]*>)?\\(`,
    `^[ \\t]*(?:export\\s+)?(?:const|let|var)\\s+${own}\\s*=\\s*(?:async\\b\\s*)?(?:function\\b\\s*\\*?\\s*[\\w$]*\\s*)?(?:<[^(]*>)?\\(`,
    `^[ \\t]*(?:export\\s+)?(?:const|let|var)\\s+${own}\\b`,
  ];
  for (const [index, expression] of expressions.entries()) {
    const found = [...source.matchAll(new RegExp(expression, "gm"))].map((match) => ({
      at: match.index,
      parameters: index < 2 ? match.index + match[0].length - 1 : undefined,
    }));
    if (found.length > 0) return found;
  }
  return [];
}

/**
 * The parameters of an exported function in Python's terms, without the context and types. A default that is not a literal
 * shows as None; the function itself knows it.
 *
 * @param source text of the file
 */
export function exportedSignature(source: string, name: string, fn: (...args: never[]) => unknown): Signature {
  // Of several overloads, the last one is the implementation.
  const place = declarations(source, name).at(-1)?.parameters;
  if (place !== undefined) return toSignature(readParameters(source, place));
  const text = String(fn);
  const single = /^(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>/.exec(text);
  if (single !== null) return { params: [], varargs: undefined, keywords: undefined };
  const open = text.indexOf("(");
  if (open < 0 || /\{\s*\[native code\]\s*\}\s*$/.test(text)) {
    return { params: [], varargs: "args", keywords: undefined };
  }
  return toSignature(readParameters(text, open));
}

/** The JSDoc comment directly before an exported function, without its asterisks; empty if there is none. */
export function exportedDocumentation(source: string, name: string): string {
  for (const { at } of declarations(source, name)) {
    const before = source.slice(0, at).trimEnd();
    const start = before.lastIndexOf("/**");
    if (!before.endsWith("*/") || start < 0 || before.slice(start, -2).includes("*/")) continue;
    const lines = before.slice(start + 3, -2).split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
    return lines.join("\n").replace(/^\n+/, "").trim();
  }
  return "";
}
