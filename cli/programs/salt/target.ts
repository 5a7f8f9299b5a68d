/** The target of a job, as the options of a command line say how it is meant. */
import type { MasterOpts } from "../../../src/config/master_opts.ts";
import { NO_MATCH } from "../../../src/job/no_match.ts";
import type { Printer } from "../../terminal/printer.ts";
import { Exit } from "../../program/exit.ts";
import type { ProgramContext } from "../../program/context.ts";

/** Options that choose how the target is meant, and the target type of each. */
const TARGET_TYPES: Record<string, string> = {
  pcre: "pcre",
  list: "list",
  grain: "grain",
  grain_pcre: "grain_pcre",
  nodegroup: "nodegroup",
  range: "range",
  hosts: "hosts",
  compound: "compound",
  pillar: "pillar",
  pillar_pcre: "pillar_pcre",
  ipcidr: "ipcidr",
};

/**
 * The target and its type.
 *
 * @throws {Exit} for an unknown node group
 */
export async function targetOf(
  context: ProgramContext,
  opts: MasterOpts,
  text: string,
): Promise<{ tgt: string | string[]; tgt_type: string }> {
  const { options } = context;
  const chosen = Object.keys(TARGET_TYPES).find((name) => options[name] === true);
  const tgt_type = chosen === undefined ? "glob" : TARGET_TYPES[chosen]!;
  switch (tgt_type) {
    case "list":
      return {
        tgt: text.includes(",") ? text.split(",").map((id) => id.trim()) : text.split(/\s+/).filter((id) => id !== ""),
        tgt_type,
      };
    case "nodegroup":
    case "compound": {
      if (tgt_type === "compound" && !text.includes("N@")) return { tgt: text, tgt_type };
      const { inlineNodegroups } = await import("../../../src/target/nodegroup.ts");
      return inlineNodegroups({ tgt: text, tgt_type }, opts.nodegroups, (name) => {
        throw new Exit(0, `Node group ${name} unavailable in ${opts.conf_file}`);
      });
    }
    default:
      return { tgt: text, tgt_type };
  }
}

/**
 * Says that nobody matched, and in the log why: an unaccepted key, a bad pattern and a mistyped word look alike otherwise.
 *
 * @param more what follows Salt's line, as `--batch-size` has it
 */
export async function tellNobody(
  { runtime, log }: ProgramContext,
  opts: MasterOpts,
  printer: Printer,
  target: { tgt: unknown; tgt_type: string },
  more = "",
): Promise<void> {
  printer.line(`${NO_MATCH}${more}`);
  const { whyNobody } = await import("./no_match.ts");
  const found = whyNobody({ runtime, log, opts }, target);
  if (found !== undefined) log[found.level](found.why);
}
