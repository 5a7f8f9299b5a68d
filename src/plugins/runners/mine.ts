import { runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";
import { str } from "../../language/python/values.ts";

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "get(tgt, fun, tgt_type: str='glob')": {
      doc:
        "The mine's values of minions under a name: minion → value. A caller who may run this can read all of the mine.\n\n" +
        "    salt-run mine.get '*' network.ip_addrs",
      run(context, { tgt, fun, tgt_type }) {
        const several = Array.isArray(fun) || str(fun).includes(",");
        const functions = (Array.isArray(fun) ? fun.map(str) : str(fun).split(",")).map((name) => name.trim());
        const found: Record<string, Record<string, unknown>> = {};
        for (const id of context.expand({ tgt, tgt_type })) {
          const mine = context.minions.mine(id) ?? {};
          for (const name of functions) {
            if (!Object.hasOwn(mine, name)) continue;
            const entry = mine[name];
            const wrapped = typeof entry === "object" && entry !== null && "__saltmine_acl__" in entry;
            (found[name] ??= {})[id] = wrapped ? (entry as Record<string, unknown>).__data__ : entry;
          }
        }
        return several ? found : found[functions[0]!] ?? {};
      },
    },
    "update(tgt, tgt_type: str='glob', clear=False, mine_functions=None)": {
      doc: "Makes minions update their values in the mine: minion → whether that succeeded.\n\n" +
        "    salt-run mine.update 'web*'",
      async run(context, { tgt, tgt_type, clear, mine_functions }) {
        const arg = [{ __kwarg__: true, clear, mine_functions }];
        return await context.command({
          tgt: tgt as string | string[],
          tgt_type,
          fun: "mine.update",
          arg,
        }) ?? {};
      },
    },
  }),
};
