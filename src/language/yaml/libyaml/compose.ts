import { emptyNode, type YamlNode } from "../node.ts";
import { Scanner, type Token, type TokenKind } from "./scanner.ts";
import { YamlProblem } from "./yaml_problem.ts";

/** The node of a YAML document as libyaml and PyYAML compose it, with libyaml's places. @throws {YamlProblem} where they refuse it */
export function compose(text: string): YamlNode {
  return new Composer(text).document();
}

/** What stands in front of a node. */
interface Properties {
  at: number;
  anchor?: string;
  tag?: string;
}

/** @see libyaml src/parser.c */
class Composer {
  readonly #scanner: Scanner;
  readonly #anchors = new Map<string, YamlNode>();

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  #is(...kinds: TokenKind[]): boolean {
    return kinds.includes(this.#scanner.peek().kind);
  }

  #take(kind: TokenKind): boolean {
    if (!this.#is(kind)) return false;
    this.#scanner.next();
    return true;
  }

  #fail(context: string, start: number, problem: string): YamlProblem {
    return new YamlProblem("parser", problem, this.#scanner.peek().at, { text: context, at: start });
  }

  document(): YamlNode {
    while (this.#take("directive"));
    if (this.#is("end")) return emptyNode();
    const { at } = this.#scanner.peek();
    const isEmpty = this.#take("document-start") && this.#is("document-start", "document-end", "end");
    const node = isEmpty ? emptyNode() : this.#node(true, false);
    while (this.#take("document-end"));
    if (this.#is("end")) return node;
    const next = this.#scanner.peek();
    if (!this.#is("document-start", "directive")) {
      throw new YamlProblem("parser", "did not find expected <document start>", next.at);
    }
    const context = { text: "expected a single document in the stream", at };
    throw new YamlProblem("composer", "but found another document", next.at, context);
  }

  #node(isBlock: boolean, mayBeIndentless: boolean): YamlNode {
    const first = this.#scanner.peek();
    if (first.kind === "alias") {
      this.#scanner.next();
      const known = this.#anchors.get(first.text);
      if (known !== undefined) return known;
      throw new YamlProblem("composer", "found undefined alias", first.at);
    }
    const properties = this.#properties(first);
    return this.#content(properties, isBlock, mayBeIndentless);
  }

  #properties({ at }: Token): Properties {
    const properties: Properties = { at };
    while (this.#is("anchor", "tag")) {
      const { kind, text } = this.#scanner.peek();
      if (kind === "anchor" ? properties.anchor !== undefined : properties.tag !== undefined) break;
      this.#scanner.next();
      if (kind === "anchor") properties.anchor = text;
      else properties.tag = this.#fullTag(text, at);
    }
    return properties;
  }

  #fullTag(text: string, at: number): string {
    const [, verbatim, handle, suffix] = /^!(?:<(.*)>|([\w-]*!)?(.*))$/s.exec(text) ?? [];
    if (verbatim !== undefined) return verbatim;
    if (handle === "!") return `tag:yaml.org,2002:${suffix}`;
    if (handle === undefined) return `!${suffix}`;
    throw new YamlProblem("parser", "found undefined tag handle", at, { text: "while parsing a node", at });
  }

  #content(properties: Properties, isBlock: boolean, mayBeIndentless: boolean): YamlNode {
    const { kind, text, isPlain, at } = this.#scanner.peek();
    const { tag, anchor } = properties;
    const place = { offset: properties.at, ...(tag === undefined ? {} : { tag }) };
    /** A node is known by its anchor before what it holds. */
    const named = <T extends YamlNode>(node: T): T => {
      if (anchor !== undefined) this.#anchors.set(anchor, node);
      return node;
    };
    if (kind === "scalar") {
      this.#scanner.next();
      return named({ kind: "scalar", text, plain: isPlain, ...place });
    }
    const isSequence = kind === "flow-sequence" || isBlock && kind === "block-sequence" ||
      mayBeIndentless && kind === "entry";
    if (isSequence) {
      const node = named<YamlNode & { kind: "sequence" }>({ kind: "sequence", items: [], ...place });
      if (kind === "entry") this.#indentless(node.items);
      else if (kind === "block-sequence") this.#blockSequence(node.items);
      else this.#flowSequence(node.items);
      return node;
    }
    if (kind === "flow-mapping" || isBlock && kind === "block-mapping") {
      const node = named<YamlNode & { kind: "mapping" }>({ kind: "mapping", entries: [], ...place });
      if (kind === "block-mapping") this.#blockMapping(node.entries);
      else this.#flowMapping(node.entries);
      return node;
    }
    if (anchor !== undefined || tag !== undefined) return named({ ...emptyNode(), ...place });
    const context = `while parsing a ${isBlock ? "block" : "flow"} node`;
    throw new YamlProblem("parser", "did not find expected node content", at, { text: context, at: properties.at });
  }

  #nodeUnless(kinds: TokenKind[], isBlock: boolean, mayBeIndentless: boolean): YamlNode {
    const { at } = this.#scanner.peek();
    return this.#is(...kinds) ? { ...emptyNode(), offset: at } : this.#node(isBlock, mayBeIndentless);
  }

  #indentless(items: YamlNode[]): void {
    while (this.#take("entry")) items.push(this.#nodeUnless(["entry", "key", "value", "block-end"], true, false));
  }

  #blockSequence(items: YamlNode[]): void {
    const { at } = this.#scanner.next();
    while (this.#take("entry")) items.push(this.#nodeUnless(["entry", "block-end"], true, false));
    if (!this.#take("block-end")) {
      throw this.#fail("while parsing a block collection", at, "did not find expected '-' indicator");
    }
  }

  #blockMapping(entries: [YamlNode, YamlNode][]): void {
    const { at } = this.#scanner.next();
    const ends: TokenKind[] = ["key", "value", "block-end"];
    while (this.#take("key")) {
      const key = this.#nodeUnless(ends, true, true);
      entries.push([key, this.#take("value") ? this.#nodeUnless(ends, true, true) : emptyNode()]);
    }
    if (!this.#take("block-end")) throw this.#fail("while parsing a block mapping", at, "did not find expected key");
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
      const start = this.#scanner.peek().at;
      if (this.#is("key")) items.push({ kind: "mapping", entries: [this.#pair("flow-sequence-end")], offset: start });
      else items.push(this.#node(false, false));
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
    const key = this.#nodeUnless(["value", "flow-entry", end], false, false);
    return [key, this.#take("value") ? this.#nodeUnless(["flow-entry", end], false, false) : emptyNode()];
  }
}
