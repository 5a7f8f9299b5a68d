import { runnerFunction, runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";
import { ownKeywords } from "../keywords.ts";

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "cmd(fun: str, *args, **kwargs)": {
      doc: "Calls an execution function on the master's own host.\n\n    salt-run salt.cmd test.version",
      run: (context, { fun, args, kwargs }) => context.callFunction(fun, args, ownKeywords(kwargs)),
    },
    execute: runnerFunction({
      signature:
        "tgt, fun: str, arg=(), timeout=None, tgt_type: str='glob', ret: str='', jid: str='', kwarg=None, **kwargs",
      doc:
        "Runs a function on minions: minion → return; False for one that did not answer.\n\n    salt-run salt.execute 'web*' test.echo arg='[hello]'",
      async run(context, { tgt, fun, arg, timeout, tgt_type, ret, jid, kwarg, kwargs }) {
        const keyword = { ...(kwarg as Record<string, unknown> | null ?? {}), ...ownKeywords(kwargs) };
        const positional = Array.isArray(arg) ? arg : [arg];
        const named = Object.keys(keyword).length === 0 ? [] : [{ __kwarg__: true, ...keyword }];
        const request = {
          tgt: tgt as string | string[],
          tgt_type,
          fun,
          arg: [...positional, ...named],
        };
        const answers = await context.command(
          { ...request, ret, jid },
          timeout === null ? {} : { timeoutMs: Number(timeout) * 1000 },
        );
        if (answers === undefined) return {};
        // As in Salt, one that did not answer is False.
        const silent = context.expand({ tgt, tgt_type }).filter((id) => !Object.hasOwn(answers, id));
        return { ...answers, ...Object.fromEntries(silent.map((id) => [id, false])) };
      },
    }),
  }),
};
