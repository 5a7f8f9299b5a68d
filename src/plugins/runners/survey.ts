import type { RunnerContext, RunnerModule } from "../../model/loader/family.ts";
import { runnerFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { unifiedDiff } from "../../language/python/difflib.ts";
import { repr, str } from "../../language/python/values.ts";

/** Minions that returned the same. */
interface Pool {
  pool: string[];
  result: string;
}

/** Runs a function on minions and groups those that returned the same, the largest pool first. */
async function survey(context: RunnerContext, args: unknown[], kwargs: Record<string, unknown>): Promise<Pool[]> {
  if (args.length < 2) throw new SaltInvocationError("A survey needs a target and a function");
  const [tgt, fun, ...arg] = args;
  const { survey_sort = "down", tgt_type = "compound", ...rest } = kwargs;
  const type = str(tgt_type) === "pcre" ? "pcre" : "compound";
  const keyword = Object.fromEntries(Object.entries(rest).filter(([key]) => !key.startsWith("_")));
  const named = Object.keys(keyword).length === 0 ? [] : [{ __kwarg__: true, ...keyword }];
  const answers = await context.command({ tgt: str(tgt), tgt_type: type, fun: str(fun), arg: [...arg, ...named] });
  const expected = answers === undefined ? [] : context.expand({ tgt: str(tgt), tgt_type: type });
  const pools = new Map<string, Pool>();
  for (const id of [...new Set([...expected, ...Object.keys(answers ?? {})])].sort()) {
    // A minion that did not answer is a result, too.
    const result = str(answers !== undefined && id in answers ? answers[id] : false);
    const pool = pools.get(result);
    if (pool === undefined) pools.set(result, { pool: [id], result });
    else pool.pool.push(id);
  }
  const down = survey_sort !== "up";
  return [...pools.values()].sort((a, b) => down ? b.pool.length - a.pool.length : a.pool.length - b.pool.length);
}

const lines = (text: string) => text === "" ? [] : text.replace(/\n$/, "").split("\n").map((line) => `${line}\n`);

const SORT = "survey_sort=up begins with the smallest pool. Targets are compound, or with tgt_type=pcre expressions.";

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "hash(*args, **kwargs)": {
      doc: "Runs a function on minions and groups those that returned the same.\n\n" +
        `    salt-run survey.hash '*' file.get_hash /etc/hosts survey_sort=up\n\n${SORT}`,
      run: (context, { args, kwargs }) => survey(context, args, kwargs),
    },
    "diff(*args, **kwargs)": {
      doc: "Runs a function on minions and shows how the returns differ from those of the first pool.\n\n" +
        `    salt-run survey.diff '*' cp.get_file_str file:///etc/hosts\n\n${SORT}`,
      async run(context, { args, kwargs }) {
        const pools = await survey(context, args, kwargs);
        const [first] = pools;
        for (const { pool, result } of pools) {
          const head = `minion pool :\n------------\n${repr(pool)}\npool size :\n----------\n    ${pool.length}`;
          if (pool === first!.pool) {
            context.print(`${head}\npool result :\n------------\n    ${result}\n`);
            continue;
          }
          const title = `differences from "${first!.pool[0]}" results :`;
          const names = { from: first!.pool[0]!, to: pool[0]! };
          const text = unifiedDiff(lines(first!.result), lines(result), { ...names, context: 0 }).join("");
          context.print(`${head}\n${title}\n${"-".repeat(title.length - 1)}\n${text}\n`);
        }
        return pools;
      },
    },
  }),
};
