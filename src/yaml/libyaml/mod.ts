/** YAML as libyaml and PyYAML read it, with their places and in their words: all YAML is read by this. */
export { compose, type ComposedYaml } from "./compose.ts";
export { explainYaml, type Explanation } from "./explain_yaml.ts";
