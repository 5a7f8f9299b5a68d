import type { ExtPillar } from "../../model/loader/ext_pillar.ts";
import { str } from "../../language/python/values.ts";
import { commandFor, outputOf, RUNS_COMMANDS } from "./command.ts";
import { parsed } from "./parsed.ts";

/** The YAML that a shell command writes; `%s` in the command is the minion's id. */
export const pillar: ExtPillar = {
  signature: "command",
  neverOnDemand: RUNS_COMMANDS,
  async run(context, { command }) {
    const text = await outputOf(context, ["/bin/sh", "-c", commandFor(context, str(command))]);
    return await parsed(context, text, "yaml", "its command");
  },
};
