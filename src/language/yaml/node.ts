/** The value of a YAML document, and the lines of its top-level keys. */
export interface YamlDocument {
  /** Null if the document is empty. */
  value: unknown;
  /** Line of a top-level key, counted from 1. */
  lineOf(key: string): number | undefined;
}

/** One node of a YAML document before its value is built; both readers of this folder produce it. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode;

/** Offset of a node in its text, if the reader kept it. */
interface Placed {
  offset?: number;
}

export interface ScalarNode extends Placed {
  kind: "scalar";
  text: string;
  /** Unquoted, so the text decides the type. */
  plain: boolean;
  /** Full tag, such as `tag:yaml.org,2002:int`; `!` is the non-specific tag. */
  tag?: string;
}

export interface SequenceNode extends Placed {
  kind: "sequence";
  items: YamlNode[];
  tag?: string;
}

export interface MappingNode extends Placed {
  kind: "mapping";
  entries: [key: YamlNode, value: YamlNode][];
  tag?: string;
}

/** An absent scalar, as the value in `{a}` or `key:`. */
export const emptyNode = (): ScalarNode => ({ kind: "scalar", text: "", plain: true });
