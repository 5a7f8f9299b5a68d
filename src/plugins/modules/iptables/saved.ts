/** What `iptables-save` writes. */
import { splitLines } from "../../../language/python/text.ts";
import { shellWords } from "../../linux/words.ts";

/** One chain: its policy, its counters, and its rules as options with their values. */
interface SavedChain {
  policy: string;
  "packet count": string;
  "byte count": string;
  rules: Record<string, string[]>[];
  rules_comment: Record<string, Record<string, string[]>>;
}

/** Table → chain. */
export type SavedRules = Record<string, Record<string, SavedChain>>;

/** The long names of short options. */
const LONG: Readonly<Record<string, string>> = {
  A: "append",
  p: "protocol",
  s: "source",
  d: "destination",
  j: "jump",
  g: "goto",
  i: "in-interface",
  o: "out-interface",
  f: "fragment",
  c: "set-counters",
  m: "match",
};

/** Long options that are known by another name. */
const RENAMED: Readonly<Record<string, string>> = {
  sport: "source_port",
  "source-port": "source_port",
  dport: "destination_port",
  "destination-port": "destination_port",
  sports: "source-ports",
  dports: "destination-ports",
  "src-cc": "source-country",
  "dst-cc": "destination-country",
};

/** `-A INPUT ! -p tcp -j DROP` → options with the words behind them; a `!` goes in front of these. */
function optionsOf(line: string): Record<string, string[]> {
  const words = shellWords(line);
  const found: Record<string, string[]> = {};
  for (let at = 0; at < words.length; at++) {
    const negated = words[at] === "!" && (words[at + 1] ?? "").startsWith("-");
    if (negated) at++;
    const word = words[at]!;
    if (!word.startsWith("-")) continue;
    const name = word.replace(/^-+/, "");
    const values: string[] = negated ? ["!"] : [];
    while (at + 1 < words.length && words[at + 1] !== "!" && !words[at + 1]!.startsWith("-")) values.push(words[++at]!);
    (found[(word.startsWith("--") ? RENAMED : LONG)[name] ?? name] ??= []).push(values.join(" "));
  }
  return found;
}

export function parseSaved(text: string): SavedRules {
  const found: SavedRules = {};
  let table: Record<string, SavedChain> = {};
  for (const line of splitLines(text)) {
    if (line.startsWith("*")) table = found[line.slice(1)] = {};
    else if (line.startsWith(":")) {
      const [chain = "", policy = "", counters = ""] = line.slice(1).split(/\s+/);
      const [packets = "", bytes = ""] = counters.replace(/[[\]]/g, "").split(":");
      table[chain] = { policy, "packet count": packets, "byte count": bytes, rules: [], rules_comment: {} };
    } else if (line.startsWith("-A")) {
      const { append: [chain = ""] = [], ...options } = optionsOf(line);
      const place = table[chain];
      if (place === undefined) continue;
      const shown = Object.fromEntries(Object.entries(options));
      const comment = options.comment?.[0]?.replace(/^"+|"+$/g, "");
      if (comment !== undefined) place.rules_comment[comment] = shown;
      place.rules.push(shown);
    }
  }
  return found;
}
