import type { YamlBudget } from "../budget.ts";
import { YamlLimitError } from "../construct.ts";
import { emptyNode, type MappingNode, type ScalarNode, type SequenceNode, type YamlNode } from "../node.ts";
import { MAX_NESTING, Scanner, type TokenKind, type YamlToken } from "./scanner.ts";
import { YamlProblem } from "./yaml_problem.ts";

/** A document before its value is built. */
interface ComposedYaml {
  root: YamlNode;
  /** True if the document has no aliases, so that no node occurs twice. */
  isTree: boolean;
}

/**
 * The node of a YAML document as libyaml and PyYAML compose it, with libyaml's places.
 *
 * @param budget the limit of nodes, for a sender of many documents
 * @throws {YamlProblem} if libyaml or PyYAML refuses the document
 * @throws {RangeError} if the document is nested too deeply
 */
export function compose(text: string, budget?: YamlBudget): ComposedYaml {
  return new Composer(text, budget).document();
}

/** Composes the nodes of one document. @see libyaml src/parser.c */
class Composer {
  readonly #scanner: Scanner;
  readonly #budget: YamlBudget | undefined;
  readonly #anchors = new Map<string, YamlNode>();
  #isTree = true;
  #depth = 0;

  constructor(text: string, budget: YamlBudget | undefined) {
    this.#scanner = new Scanner(text);
    this.#budget = budget;
  }

  #is(kind: TokenKind): boolean {
    return this.#scanner.peek().kind === kind;
  }

  #take(kind: TokenKind): boolean {
    return this.#scanner.take(kind);
  }

  #fail(context: string, start: number, problem: string): YamlProblem {
    return new YamlProblem("parser", problem, this.#scanner.peek().at, { text: context, at: start });
  }

  document(): ComposedYaml {
    const root = this.#root();
    return { root, isTree: this.#isTree };
  }

  #root(): YamlNode {
    const hasDirectives = this.#directives();
    if (!hasDirectives && this.#is("end")) return emptyNode();
    const isMarked = this.#take("document-start");
    if (hasDirectives && !isMarked) throw this.#noStart();
    const isEmpty = isMarked && (this.#is("document-start") || this.#is("document-end") || this.#is("end"));
    const node = isEmpty ? emptyNode(this.#scanner.peek().at) : this.#node(true, false);
    while (this.#take("document-end"));
    const { at: next } = this.#scanner.peek();
    if (!this.#directives() && this.#is("end")) return node;
    if (!this.#is("document-start")) throw this.#noStart();
    const context = { text: "expected a single document in the stream", at: node.offset ?? 0 };
    throw new YamlProblem("composer", "but found another document", next, context);
  }

  #directives(): boolean {
    const hasSome = this.#take("directive");
    while (this.#take("directive"));
    return hasSome;
  }

  #noStart(): YamlProblem {
    return new YamlProblem("parser", "did not find expected <document start>", this.#scanner.peek().at);
  }

  #node(isBlock: boolean, mayBeIndentless: boolean): YamlNode {
    const first = this.#scanner.peek();
    if (first.kind === "alias") {
      this.#scanner.next();
      this.#isTree = false;
      const known = this.#anchors.get(first.text);
      if (known !== undefined) return known;
      throw new YamlProblem("composer", "found undefined alias", first.at);
    }
    if (++this.#depth > MAX_NESTING) throw new RangeError("lists and maps are nested too deeply");
    const node = first.kind === "anchor" || first.kind === "tag"
      ? this.#withProperties(first, isBlock, mayBeIndentless)
      : this.#content(first.at, undefined, undefined, isBlock, mayBeIndentless);
    this.#depth--;
    if (this.#budget?.spend(1) === false) throw new YamlLimitError(this.#budget, node);
    return node;
  }

  #withProperties({ at }: YamlToken, isBlock: boolean, mayBeIndentless: boolean): YamlNode {
    let anchor: string | undefined;
    let tag: string | undefined;
    for (;;) {
      const token = this.#scanner.peek();
      if (token.kind === "anchor" && anchor === undefined) anchor = token.text;
      else if (token.kind === "tag" && tag === undefined) tag = fullTag(token.text, at);
      else return this.#content(at, tag, anchor, isBlock, mayBeIndentless);
      this.#scanner.next();
    }
  }

  /** Notes the anchor of a node, before the content of the node is read. */
  #name(node: YamlNode, anchor: string | undefined): void {
    if (anchor === undefined) return;
    const first = this.#anchors.get(anchor);
    if (first !== undefined) {
      const context = { text: "found duplicate anchor; first occurrence", at: first.offset ?? 0 };
      throw new YamlProblem("composer", "second occurrence", node.offset, context);
    }
    this.#anchors.set(anchor, node);
  }

  /** Reads the content of a node. @param offset where the node begins, including its tag and anchor */
  #content(
    offset: number,
    tag: string | undefined,
    anchor: string | undefined,
    isBlock: boolean,
    mayBeIndentless: boolean,
  ): YamlNode {
    const { kind, text, isPlain, at } = this.#scanner.peek();
    if (kind === "scalar") {
      this.#scanner.next();
      const node: ScalarNode = { kind: "scalar", text, plain: isPlain, offset, tag };
      this.#name(node, anchor);
      return node;
    }
    const isSequence = kind === "flow-sequence" || isBlock && kind === "block-sequence" ||
      mayBeIndentless && kind === "entry";
    if (isSequence) {
      const node: SequenceNode = { kind: "sequence", items: [], offset, tag };
      this.#name(node, anchor);
      if (kind === "entry") node.items = this.#indentless();
      else if (kind === "block-sequence") node.items = this.#blockSequence();
      else this.#flowSequence(node.items);
      return node;
    }
    if (kind === "flow-mapping" || isBlock && kind === "block-mapping") {
      const node: MappingNode = { kind: "mapping", entries: [], offset, tag };
      this.#name(node, anchor);
      if (kind === "block-mapping") node.entries = this.#blockMapping();
      else this.#flowMapping(node.entries);
      return node;
    }
    if (anchor !== undefined || tag !== undefined) {
      // "!" without a value is a text, while "! 5" is an integer.
      const node = { ...emptyNode(offset), tag: tag === "!" ? "tag:yaml.org,2002:str" : tag };
      this.#name(node, anchor);
      return node;
    }
    const context = `while parsing a ${isBlock ? "block" : "flow"} node`;
    throw new YamlProblem("parser", "did not find expected node content", at, { text: context, at: offset });
  }

  // An array that is created with its first item takes a tenth of the memory of an empty one with a push, and most have only one item.

  #indentless(): YamlNode[] {
    this.#take("entry");
    const items = [this.#item(true)];
    while (this.#take("entry")) items.push(this.#item(true));
    return items;
  }

  #blockSequence(): YamlNode[] {
    const { at } = this.#scanner.next();
    const items = this.#take("entry") ? [this.#item(false)] : [];
    while (this.#take("entry")) items.push(this.#item(false));
    if (this.#take("block-end")) return items;
    throw this.#fail("while parsing a block collection", at, "did not find expected '-' indicator");
  }

  /** An item of a block sequence, which may be absent. */
  #item(isIndentless: boolean): YamlNode {
    const { kind, at } = this.#scanner.peek();
    const isAbsent = kind === "entry" || kind === "block-end" || isIndentless && (kind === "key" || kind === "value");
    return isAbsent ? emptyNode(at) : this.#node(true, false);
  }

  #blockMapping(): [YamlNode, YamlNode][] {
    const { at } = this.#scanner.next();
    const entries = this.#take("key") ? [this.#blockPair()] : [];
    while (this.#take("key")) entries.push(this.#blockPair());
    if (this.#take("block-end")) return entries;
    throw this.#fail("while parsing a block mapping", at, "did not find expected key");
  }

  #blockPair(): [YamlNode, YamlNode] {
    const key = this.#blockPart();
    return [key, this.#take("value") ? this.#blockPart() : emptyNode()];
  }

  /** A key or a value of a block mapping, which may be absent. */
  #blockPart(): YamlNode {
    const { kind, at } = this.#scanner.peek();
    return kind === "key" || kind === "value" || kind === "block-end" ? emptyNode(at) : this.#node(true, true);
  }

  #flowSequence(items: YamlNode[]): void {
    const { at } = this.#scanner.next();
    while (!this.#take("flow-sequence-end")) {
      if (items.length > 0) {
        if (!this.#take("flow-entry")) {
          throw this.#fail("while parsing a flow sequence", at, "did not find expected ',' or ']'");
        }
        if (this.#take("flow-sequence-end")) return;
      }
      const { kind, at: offset } = this.#scanner.peek();
      if (kind !== "key") items.push(this.#node(false, false));
      else items.push({ kind: "mapping", entries: [this.#pair("flow-sequence-end")], offset, tag: undefined });
    }
  }

  #flowMapping(entries: [YamlNode, YamlNode][]): void {
    const { at } = this.#scanner.next();
    while (!this.#take("flow-mapping-end")) {
      if (entries.length > 0) {
        if (!this.#take("flow-entry")) {
          throw this.#fail("while parsing a flow mapping", at, "did not find expected ',' or '}'");
        }
        if (this.#take("flow-mapping-end")) return;
      }
      if (this.#is("key")) entries.push(this.#pair("flow-mapping-end"));
      else entries.push([this.#node(false, false), emptyNode()]);
    }
  }

  /** A key and its value inside of a flow collection. */
  #pair(end: TokenKind): [YamlNode, YamlNode] {
    this.#scanner.next();
    const { kind, at } = this.#scanner.peek();
    const isEmpty = kind === "value" || kind === "flow-entry" || kind === end;
    const key = isEmpty ? emptyNode(at) : this.#node(false, false);
    if (!this.#take("value")) return [key, emptyNode()];
    const value = this.#scanner.peek();
    const isAbsent = value.kind === "flow-entry" || value.kind === end;
    return [key, isAbsent ? emptyNode(value.at) : this.#node(false, false)];
  }
}

/** The full form of a tag. @param at where the node begins */
function fullTag(text: string, at: number): string {
  const [, verbatim, handle, suffix] = /^!(?:<(.*)>|([\w-]*!)?(.*))$/s.exec(text) ?? [];
  if (verbatim !== undefined) return verbatim;
  if (handle === "!") return `tag:yaml.org,2002:${suffix}`;
  if (handle === undefined) return `!${suffix}`;
  throw new YamlProblem("parser", "found undefined tag handle", at, { text: "while parsing a node", at });
}
