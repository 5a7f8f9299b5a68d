/** The value of a YAML document, and the lines of its top-level keys. */
export interface YamlDocument {
  /** The value of the document; null if it is empty. */
  value: unknown;
  /** Line of a top-level key, counted from 1. */
  lineOf(key: string): number | undefined;
}

/** One node of a YAML document before its value is built. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode;

interface Node {
  /** The offset of the node in its text; undefined for an absent node. */
  offset: number | undefined;
  /** Full tag, such as `tag:yaml.org,2002:int`; `!` is the non-specific tag. */
  tag: string | undefined;
}

export interface ScalarNode extends Node {
  kind: "scalar";
  text: string;
  /** True for an unquoted scalar, whose text decides its type. */
  plain: boolean;
}

export interface SequenceNode extends Node {
  kind: "sequence";
  items: YamlNode[];
}

export interface MappingNode extends Node {
  kind: "mapping";
  entries: [key: YamlNode, value: YamlNode][];
}

/** The node of an absent scalar, such as the value in `{a}` or `key:`. */
export const emptyNode = (offset?: number): ScalarNode => ({
  kind: "scalar",
  text: "",
  plain: true,
  offset,
  tag: undefined,
});
