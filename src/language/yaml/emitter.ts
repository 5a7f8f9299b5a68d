/** How a scalar may be written. */
type ScalarStyle = "plain" | "single" | "double" | "literal";

/** A scalar with the properties that decide its style. */
interface EmittedScalar {
  text: string;
  /** The preferred style; another is used where the text does not allow it. */
  style: "plain" | "literal";
  /** True if the unquoted text would be read back as the same value. */
  plainImplicit: boolean;
  /** Shorthand of the tag to write, such as `!!binary`. */
  tag?: string;
}

/** A node to be written. */
export type EmittedNode =
  | { kind: "scalar"; scalar: EmittedScalar }
  | { kind: "sequence"; items: EmittedNode[] } & Properties
  | { kind: "mapping"; entries: [EmittedNode, EmittedNode][] } & Properties
  | { kind: "alias"; of: Properties };

/** The anchor and tag of a collection. */
interface Properties {
  anchor?: string;
  /** Shorthand of a tag, such as `!!set`. */
  tag?: string;
}

/** Layout of a document. */
export interface EmitOptions {
  /** Blanks per level; a value outside 2 to 9 counts as 2. @default 2 */
  indent?: number;
  /** Writes collections in brackets instead of indented; `"leaves"` only collections that contain only scalars. @default false */
  flow?: boolean | "leaves";
  /** Escapes characters beyond ASCII. @default false */
  ascii?: boolean;
}

const WIDTH = 80;
/** The most characters of a key that is written without a question mark. */
const MAX_SIMPLE_KEY = 128;

const isBreak = (character: string) => "\r\n\x85\u2028\u2029".includes(character);
const isBlankOrEnd = (character: string | undefined) =>
  character === undefined || character === " " || character === "\t" || character === "\0" || isBreak(character);
const isAscii = (character: string) => /^[\n\x20-\x7e]$/.test(character);
const isPrintable = (character: string) => /^[\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/.test(character);

const ESCAPES: Record<string, string> = {
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

interface Analysis {
  characters: string[];
  multiline: boolean;
  flowPlain: boolean;
  blockPlain: boolean;
  single: boolean;
  block: boolean;
}

/** Finds which styles the characters of a text allow: emitter.c yaml_emitter_analyze_scalar. */
function analyze(text: string, printable: (character: string) => boolean): Analysis {
  const characters = Array.from(text);
  const marker = text.startsWith("---") || text.startsWith("...");
  let blockIndicators = marker;
  let flowIndicators = marker;
  let special = false;
  let breakSpace = false;
  let spaceBreak = false;
  let multiline = false;
  for (const [at, character] of characters.entries()) {
    const previous = characters[at - 1];
    const followed = isBlankOrEnd(characters[at + 1]);
    if (at === 0 && "#,[]{}&*!|>'\"%@`".includes(character)) flowIndicators = blockIndicators = true;
    if (at > 0 && ",?[]{}".includes(character)) flowIndicators = true;
    if (character === ":" || (at === 0 && character === "?")) {
      flowIndicators = true;
      if (followed) blockIndicators = true;
    }
    if (at === 0 && character === "-" && followed) flowIndicators = blockIndicators = true;
    if (at > 0 && character === "#" && isBlankOrEnd(previous)) flowIndicators = blockIndicators = true;
    if (!printable(character)) special = true;
    if (isBreak(character)) {
      multiline = true;
      if (previous === " ") spaceBreak = true;
    } else if (character === " " && previous !== undefined && isBreak(previous)) breakSpace = true;
  }
  const first = characters[0] ?? "";
  const last = characters[characters.length - 1] ?? "";
  const empty = characters.length === 0;
  const edges = !empty && (first === " " || isBreak(first) || last === " " || isBreak(last));
  const bad = spaceBreak || special;
  const plain = !edges && !breakSpace && !bad && !multiline;
  return {
    characters,
    multiline,
    flowPlain: plain && !flowIndicators && !empty,
    blockPlain: plain && !blockIndicators,
    single: !breakSpace && !bad,
    block: !empty && last !== " " && !bad,
  };
}

/**
 * Writes a document as libyaml does, which PyYAML uses where it can: line folding at 80 columns, lists not indented
 * below a key, quotes only where needed.
 *
 * @see libyaml src/emitter.c
 */
export function emit(root: EmittedNode, options: EmitOptions = {}): string {
  const emitter = new Emitter(options);
  emitter.node(root, { mapping: false, simpleKey: false });
  return emitter.finish();
}

interface Context {
  mapping: boolean;
  simpleKey: boolean;
}

class Emitter {
  readonly #out: string[] = [];
  readonly #step: number;
  readonly #flow: boolean | "leaves";
  readonly #printable: (character: string) => boolean;
  #indent = -1;
  #flowLevel = 0;
  #column = 0;
  #whitespace = true;
  #indention = true;

  constructor({ indent = 2, flow = false, ascii = false }: EmitOptions) {
    this.#step = indent < 2 || indent > 9 ? 2 : indent;
    this.#flow = flow;
    this.#printable = ascii ? isAscii : isPrintable;
  }

  finish(): string {
    if (this.#column > 0) this.#break();
    return this.#out.join("");
  }

  node(node: EmittedNode, context: Context): void {
    const before = this.#indent;
    if (node.kind === "scalar") {
      this.#increase(true, false);
      this.#scalar(node.scalar, context);
    } else if (node.kind === "alias") {
      this.#indicator(`*${node.of.anchor}`);
    } else if (node.kind === "sequence") {
      this.#properties(node);
      if (this.#inBrackets(node.items)) this.#flowSequence(node.items);
      else this.#blockSequence(node.items, context);
    } else {
      this.#properties(node);
      if (this.#inBrackets(node.entries.flat())) this.#flowMapping(node.entries);
      else this.#blockMapping(node.entries);
    }
    this.#indent = before;
  }

  #properties({ anchor, tag }: Properties): void {
    if (anchor !== undefined) this.#indicator(`&${anchor}`);
    if (tag !== undefined) this.#indicator(tag);
  }

  #inBrackets(children: EmittedNode[]): boolean {
    if (this.#flowLevel > 0 || this.#flow === true || children.length === 0) return true;
    return this.#flow === "leaves" &&
      children.every((child) => child.kind === "scalar" && child.scalar.style === "plain");
  }

  #put(text: string): void {
    this.#out.push(text);
    this.#column += Array.from(text).length;
  }

  #break(): void {
    this.#out.push("\n");
    this.#column = 0;
  }

  #increase(flow: boolean, indentless: boolean): void {
    if (this.#indent < 0) this.#indent = flow ? this.#step : 0;
    else if (!indentless) this.#indent += this.#step;
  }

  #writeIndent(): void {
    const indent = Math.max(0, this.#indent);
    if (!this.#indention || this.#column > indent || (this.#column === indent && !this.#whitespace)) this.#break();
    if (this.#column < indent) this.#put(" ".repeat(indent - this.#column));
    this.#whitespace = true;
    this.#indention = true;
  }

  #indicator(text: string, { need = true, whitespace = false, indention = false } = {}): void {
    this.#put(need && !this.#whitespace ? ` ${text}` : text);
    this.#whitespace = whitespace;
    this.#indention &&= indention;
  }

  #flowSequence(items: EmittedNode[]): void {
    this.#indicator("[", { whitespace: true });
    this.#increase(true, false);
    this.#flowLevel++;
    for (const [index, item] of items.entries()) {
      if (index > 0) this.#indicator(",", { need: false });
      if (this.#column > WIDTH) this.#writeIndent();
      this.node(item, { mapping: false, simpleKey: false });
    }
    this.#flowLevel--;
    this.#indicator("]", { need: false });
  }

  #flowMapping(entries: [EmittedNode, EmittedNode][]): void {
    this.#indicator("{", { whitespace: true });
    this.#increase(true, false);
    this.#flowLevel++;
    for (const [index, [key, value]] of entries.entries()) {
      if (index > 0) this.#indicator(",", { need: false });
      if (this.#column > WIDTH) this.#writeIndent();
      if (simpleKey(key)) {
        this.node(key, { mapping: true, simpleKey: true });
        this.#indicator(":", { need: false });
      } else {
        this.#indicator("?");
        this.node(key, { mapping: true, simpleKey: false });
        if (this.#column > WIDTH) this.#writeIndent();
        this.#indicator(":");
      }
      this.node(value, { mapping: true, simpleKey: false });
    }
    this.#flowLevel--;
    this.#indicator("}", { need: false });
  }

  #blockSequence(items: EmittedNode[], { mapping }: Context): void {
    this.#increase(false, mapping && !this.#indention);
    for (const item of items) {
      this.#writeIndent();
      this.#indicator("-", { indention: true });
      this.node(item, { mapping: false, simpleKey: false });
    }
  }

  #blockMapping(entries: [EmittedNode, EmittedNode][]): void {
    this.#increase(false, false);
    for (const [key, value] of entries) {
      this.#writeIndent();
      if (simpleKey(key)) {
        this.node(key, { mapping: true, simpleKey: true });
        this.#indicator(":", { need: false });
      } else {
        this.#indicator("?", { indention: true });
        this.node(key, { mapping: true, simpleKey: false });
        this.#writeIndent();
        this.#indicator(":", { indention: true });
      }
      this.node(value, { mapping: true, simpleKey: false });
    }
  }

  #style(scalar: EmittedScalar, analysis: Analysis, { simpleKey }: Context): ScalarStyle {
    const flow = this.#flowLevel > 0;
    if (simpleKey && analysis.multiline) return "double";
    if (scalar.style === "literal") return analysis.block && !flow && !simpleKey ? "literal" : "double";
    const allowed = flow ? analysis.flowPlain : analysis.blockPlain;
    const empty = analysis.characters.length === 0 && (flow || simpleKey);
    if (allowed && !empty && scalar.plainImplicit) return "plain";
    return analysis.single ? "single" : "double";
  }

  #scalar(scalar: EmittedScalar, context: Context): void {
    const analysis = analyze(scalar.text, this.#printable);
    const style = this.#style(scalar, analysis, context);
    if (scalar.tag !== undefined) this.#indicator(scalar.tag);
    const { characters } = analysis;
    const folds = !context.simpleKey;
    if (style === "plain") this.#plain(characters, folds);
    else if (style === "single") this.#single(characters, folds);
    else if (style === "double") this.#double(characters, folds);
    else return this.#literal(characters);
    this.#whitespace = false;
    this.#indention = false;
  }

  #plain(characters: string[], folds: boolean): void {
    if (!this.#whitespace && (characters.length > 0 || this.#flowLevel > 0)) this.#put(" ");
    this.#text(characters, folds, (at) => characters[at + 1] !== " ");
  }

  #single(characters: string[], folds: boolean): void {
    this.#indicator("'");
    const last = characters.length - 1;
    const broken = this.#text(characters, folds, (at) => at > 0 && at < last && characters[at + 1] !== " ", "'");
    if (broken) this.#writeIndent();
    this.#indicator("'", { need: false });
  }

  /** Writes characters, folding at blanks and doubling breaks; returns true if it ended with a break. */
  #text(characters: string[], folds: boolean, mayFold: (at: number) => boolean, quote = ""): boolean {
    let spaces = false;
    let breaks = false;
    for (const [at, character] of characters.entries()) {
      if (character === " ") {
        if (folds && !spaces && this.#column > WIDTH && mayFold(at)) this.#writeIndent();
        else this.#put(" ");
        spaces = true;
        continue;
      }
      if (isBreak(character)) {
        if (!breaks && character === "\n") this.#break();
        this.#writeBreak(character);
        this.#indention = true;
        breaks = true;
        continue;
      }
      if (breaks) this.#writeIndent();
      this.#put(character === quote ? quote + quote : character);
      this.#indention = false;
      spaces = false;
      breaks = false;
    }
    return breaks;
  }

  #writeBreak(character: string): void {
    if (character === "\n") return this.#break();
    this.#out.push(character);
    this.#column = 0;
  }

  #double(characters: string[], folds: boolean): void {
    this.#indicator('"');
    let spaces = false;
    const last = characters.length - 1;
    for (const [at, character] of characters.entries()) {
      if (!this.#printable(character) || isBreak(character) || character === '"' || character === "\\") {
        this.#put(escape(character));
        spaces = false;
      } else if (character === " ") {
        if (folds && !spaces && this.#column > WIDTH && at > 0 && at < last) {
          this.#writeIndent();
          // A blank at the start of a line would be lost.
          if (characters[at + 1] === " ") this.#put("\\");
        } else this.#put(" ");
        spaces = true;
      } else {
        this.#put(character);
        spaces = false;
      }
    }
    this.#indicator('"', { need: false });
  }

  #literal(characters: string[]): void {
    const last = characters[characters.length - 1] ?? "";
    this.#indicator(isBreak(last) ? "|" : "|-");
    this.#break();
    this.#indention = true;
    this.#whitespace = true;
    let breaks = true;
    for (const character of characters) {
      if (isBreak(character)) {
        this.#writeBreak(character);
        this.#indention = true;
        breaks = true;
        continue;
      }
      if (breaks) this.#writeIndent();
      this.#put(character);
      this.#indention = false;
      breaks = false;
    }
  }
}

/** A character as it is written in double quotes. */
export function escape(character: string): string {
  const short = ESCAPES[character];
  if (short !== undefined) return `\\${short}`;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** True for a key that can be written on one line with its colon. */
function simpleKey(node: EmittedNode): boolean {
  if (node.kind === "alias") return true;
  if (node.kind === "sequence") return node.items.length === 0;
  if (node.kind === "mapping") return node.entries.length === 0;
  const { text, tag = "" } = node.scalar;
  if (Array.from(text).some(isBreak)) return false;
  return new TextEncoder().encode(text).length + tag.length <= MAX_SIMPLE_KEY;
}
