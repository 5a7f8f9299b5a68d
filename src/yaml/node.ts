/** One node of a YAML document before it becomes a value: what both readers of this folder produce. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode;

/** Where a node begins in its text, if the reader kept that. */
interface Placed {
  offset?: number;
}

export interface ScalarNode extends Placed {
  kind: "scalar";
  text: string;
  /** Unquoted, so that the text decides the type. */
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

/** A scalar that is not there, as the value of `{a}` or `key:`. */
export const emptyNode = (): ScalarNode => ({ kind: "scalar", text: "", plain: true });
