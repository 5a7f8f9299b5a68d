/**
 * YAML as libyaml and PyYAML read it, with their places and in their words. It has the last say on documents that the usual reader
 * refuses: some of them are good after all, and of the others it says why.
 */
export { compose } from "./compose.ts";
export { explainYaml, type Explanation } from "./explain_yaml.ts";
