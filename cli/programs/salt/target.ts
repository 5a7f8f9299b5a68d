/** Reads the target of a job; options of the command line choose its type. */
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import { NO_MATCH } from "../../../src/model/job/outcome.ts";
import type { ProgramContext } from "../../program/context.ts";
import type { Printer } from "../../terminal/printer.ts";

/** Options that choose a type of target; each has the name of its type. */
const TARGET_OPTIONS = [
  "pcre",
  "list",
  "grain",
  "grain_pcre",
  "nodegroup",
  "range",
  "hosts",
  "compound",
  "pillar",
  "pillar_pcre",
  "ipcidr",
];

export interface JobTarget {
  tgt: string | string[];
  tgt_type: string;
}

/**
 * Reads the target of the command line, and inlines node groups.
 *
 * @returns undefined for an unknown node group, after printing a document about it as Salt does
 */
export async function readTarget(
  { options }: ProgramContext,
  opts: MasterOpts,
  printer: Printer,
  text: string,
): Promise<JobTarget | undefined> {
  const tgt_type = TARGET_OPTIONS.find((name) => options[name] === true) ?? "glob";
  if (tgt_type === "list") {
    const tgt = text.includes(",")
      ? text.split(",").map((id) => id.trim())
      : text.split(/\s+/).filter((id) => id !== "");
    return { tgt, tgt_type };
  }
  if (tgt_type !== "nodegroup" && tgt_type !== "compound") return { tgt: text, tgt_type };
  const { inlineNodegroups } = await import("../../../src/model/target/nodegroup.ts");
  const unknown: string[] = [];
  const target = inlineNodegroups({ tgt: text, tgt_type }, opts.nodegroups, (name) => void unknown.push(name));
  if (unknown.length === 0) return target;
  // A group that contains itself matches nothing: the master reports that.
  if (unknown.every((name) => Object.hasOwn(opts.nodegroups, name))) {
    return { tgt: tgt_type === "nodegroup" ? `N@${text}` : text, tgt_type: "compound" };
  }
  await printer.document(`Node group ${unknown[0]} unavailable in ${opts.conf_file}`);
  return undefined;
}

/**
 * Prints that no minion matched, and logs why: an unaccepted key, a bad pattern and a mistyped word look alike otherwise.
 *
 * @param more text after Salt's line, for `--batch-size`
 */
export async function reportNoMatch(
  { runtime, log }: ProgramContext,
  opts: MasterOpts,
  printer: Printer,
  target: { tgt: unknown; tgt_type: string },
  more = "",
): Promise<void> {
  printer.line(`${NO_MATCH}${more}`);
  const { whyNoMatch } = await import("./no_match.ts");
  const found = whyNoMatch({ runtime, log, opts }, target);
  if (found !== undefined) log[found.level](found.why);
}
