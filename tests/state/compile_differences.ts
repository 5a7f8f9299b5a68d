/** Cases that come out otherwise here, each with its reason. */
const YAML = "the reader of YAML says it in other words than libyaml";
const YAMLEX = "the renderer yamlex is not here: the file is refused by its name";

export const KNOWN_DIFFERENCES: Record<string, string> = {
  "rendering-5": YAML,
  "rendering-6": YAML,
  "rendering-7": YAML,
  "rendering-10": YAML,
  "rendering-11": YAML,
  "rendering-12": YAML,
  "rendering-31": YAML,
  "rendering-41": YAML,
  "rendering-42": YAML,
  "rendering-44": YAML,
  "rendering-45": YAML,
  "rendering-46": YAML,
  "rendering-49": YAML,
  "shape-40": YAML,
  "rendering-25": YAMLEX,
};
