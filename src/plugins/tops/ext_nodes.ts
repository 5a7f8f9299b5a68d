import type { MasterTops } from "../../model/loader/custom_tops.ts";
import { type AnyMap, entriesOf, isMap, lookup, str } from "../../language/python/values.ts";
import { shellWords } from "../linux/words.ts";
import { idAsWord, outputOf } from "../pillar/command.ts";
import { parsed } from "../pillar/parsed.ts";

/** The names of `classes`: the keys of a map, or a list. Anything else is none, as in Salt. */
function classesOf(classes: unknown): unknown[] | undefined {
  if (isMap(classes)) return entriesOf(classes).map(([name]) => name);
  return Array.isArray(classes) ? classes : undefined;
}

/**
 * Asks a command, with the id of the minion as its last word: YAML with `classes` and `environment`.
 *
 * @see salt/tops/ext_nodes.py
 */
export const tops: MasterTops = {
  async run(context, command): Promise<AnyMap> {
    const argv = [...shellWords(str(command)), idAsWord(context.id)];
    const data = await parsed(context, await outputOf(context, argv, { mustSucceed: true }), "yaml", "its command");
    if (!isMap(data)) throw new Error("its command did not print a map");
    const classes = classesOf(lookup(data, "classes"));
    return classes === undefined ? {} : new Map([[lookup(data, "environment") ?? "base", classes]]);
  },
};
