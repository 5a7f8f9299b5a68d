import type { RunnerContext, RunnerModule } from "../../model/loader/family.ts";
import { runnerFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import type { RunnerPillar } from "../../model/loader/pillar_link.ts";
import { mapOf, str } from "../../language/python/values.ts";

type Values = Record<string, unknown>;

function pillarOf(context: RunnerContext): RunnerPillar {
  if (context.pillar === undefined) throw new SaltInvocationError("Pillar cannot be compiled here");
  return context.pillar;
}

const given = (value: unknown): string | null => value === null || value === undefined ? null : str(value);

/** The grains of a minion in the master's cache; at least the id for an unknown minion. */
function grainsOf(context: RunnerContext, id: string): Values {
  const grains = context.minions.data(id)?.grains;
  return grains === undefined ? { fqdn: id } : { ...grains };
}

/** Calls for each minion of a target whose pillar is kept; false if the master keeps none at all. */
function eachKept(
  context: RunnerContext,
  { minion, kwargs }: Values,
  pick: (cache: NonNullable<RunnerPillar["cache"]>, id: string, pillarenv: string | null) => unknown,
): unknown {
  const { cache } = pillarOf(context);
  if (cache === undefined) {
    context.log.info("The pillar_cache is set to False or not enabled.");
    return false;
  }
  const pillarenv = given((kwargs as Values).pillarenv);
  const found: [string, unknown][] = [];
  for (const id of context.expand({ tgt: str(minion), tgt_type: "glob" })) {
    const value = pick(cache, id, pillarenv);
    if (value !== undefined) found.push([id, value]);
  }
  return mapOf(found);
}

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "show_pillar(minion='*', **kwargs)": {
      doc:
        "The pillar of a minion, compiled from the grains that the master remembers of it, under other grains where " +
        "they are given by name. `pillarenv` and `saltenv` are no grains.\n\n" +
        "    salt-run pillar.show_pillar web1 role=db pillarenv=dev",
      async run(context, { minion, kwargs }): Promise<unknown> {
        const { saltenv = "base", pillarenv = null, ...more } = kwargs;
        const id = str(minion);
        const grains = { ...grainsOf(context, id), ...more };
        return await pillarOf(context).compile({ id, grains, saltenv: given(saltenv), pillarenv: given(pillarenv) });
      },
    },
    "show_top(minion=None, saltenv='base')": {
      doc: "The merged top files of all environments.\n\n    salt-run pillar.show_top",
      async run(context, { minion, saltenv }): Promise<unknown> {
        const id = given(minion) ?? "";
        const grains = id === "" ? {} : grainsOf(context, id);
        const { top, errors } = await pillarOf(context).top({ id, grains, saltenv: given(saltenv) });
        if (errors.length === 0) return top;
        await context.progress?.({ data: errors, outputter: "nested" });
        return errors;
      },
    },
    "clear_pillar_cache(minion='*', **kwargs)": {
      doc: "Deletes the cached pillars (pillar_cache) of minions.\n\n" +
        "    salt-run pillar.clear_pillar_cache 'web*'",
      run: (context, args) => eachKept(context, args, (cache, id) => void cache.clear(id)),
    },
    "show_pillar_cache(minion='*', **kwargs)": {
      doc: "The cached pillars (pillar_cache) of minions.\n\n" +
        "    salt-run pillar.show_pillar_cache 'web*'",
      run: (context, args) => eachKept(context, args, (cache, id, pillarenv) => cache.get(id, pillarenv)),
    },
  }),
};
