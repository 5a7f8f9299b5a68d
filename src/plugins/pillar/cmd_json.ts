import type { ExtPillar } from "../../model/loader/ext_pillar.ts";
import { str } from "../../language/python/values.ts";
import { shellWords } from "../linux/words.ts";
import { commandFor, outputOf, RUNS_COMMANDS } from "./command.ts";
import { parsed } from "./parsed.ts";

/** The JSON that a command writes; no shell looks at it. `%s` in the command is the minion's id. */
export const pillar: ExtPillar = {
  signature: "command",
  neverOnDemand: RUNS_COMMANDS,
  async run(context, { command }) {
    const text = await outputOf(context, shellWords(commandFor(context, str(command))));
    return await parsed(context, text, "json", "its command");
  },
};
