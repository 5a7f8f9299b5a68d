import { executionFunction, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { checkHeld } from "../../packages/shared_functions.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { runAll } from "../../commands.ts";
import { aptTargets } from "./change.ts";
import { askApt } from "./dpkg.ts";

/** The selection states of packages: state → names. */
export async function selections(
  context: JobContext,
  pattern: unknown,
  state: unknown,
): Promise<Record<string, string[]>> {
  const { stdout } = await askApt(context, ["dpkg", "--get-selections", truthy(pattern) ? str(pattern) : "*"]);
  const found: Record<string, string[]> = {};
  for (const line of splitLines(stdout)) {
    const [name, word] = splitWords(line);
    if (name !== undefined && word !== undefined) (found[word] ??= []).push(name);
  }
  return truthy(state) ? { [str(state)]: found[str(state)] ?? [] } : found;
}

async function select(context: JobContext, name: string, state: string): Promise<void> {
  await runAll(context, ["dpkg", "--set-selections"], { stdin: `${name} ${state}\n`, ignore_retcode: true });
}

async function stateOf(context: JobContext, name: string): Promise<string | undefined> {
  return Object.entries(await selections(context, name, null)).find(([, names]) =>
    names.some((other) => other.replace(/:.*/, "") === name.replace(/:.*/, ""))
  )?.[0];
}

/** Holds packages at their version, or lets them go. */
export async function hold(context: JobContext, args: Args, wanted: boolean): Promise<Record<string, unknown>> {
  checkHeld(args);
  const names = aptTargets(truthy(args.pkgs) ? args.pkgs : truthy(args.sources) ? args.sources : args.name).keys();
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const state = await stateOf(context, name);
    const result = (changes: unknown, ok: boolean | null, comment: string) => {
      found[name] = { name, changes, result: ok, comment: `Package ${name} ${comment}` };
    };
    if (!wanted && state === undefined) result({}, false, "does not have a state.");
    else if ((state === "hold") === wanted) {
      result({}, true, `is already set ${wanted ? "to be held" : "not to be held"}.`);
    } else if (context.opts.test === true) result({}, null, `is set ${wanted ? "to be held" : "not to be held"}.`);
    else {
      await select(context, name, wanted ? "hold" : "install");
      result(
        { old: state ?? null, new: wanted ? "hold" : "install" },
        true,
        wanted ? "is now being held." : "is no longer being held.",
      );
    }
  }
  return found;
}

/** Sets the selection states of packages from a map state → names, or from a file that dpkg has written. */
export const setSelections = executionFunction({
  signature: "path=None, selection=None, clear: bool=False, saltenv='base'",
  doc: "Sets the selection states of packages.\n\n    salt '*' pkg.set_selections selection='{install: [netcat]}'",
  async run(context, args): Promise<unknown> {
    if (truthy(args.path) && truthy(args.selection)) {
      throw new SaltInvocationError(
        "The 'selection' and 'path' arguments cannot be used together, and only one must be set.",
      );
    }
    const wanted: [string, string][] = [];
    if (truthy(args.path)) {
      const path = await context.call("cp.cache_file", [args.path], { saltenv: args.saltenv });
      for (const line of splitLines(context.runtime.fs.readText(str(path)))) {
        const [name, state] = splitWords(line);
        if (name !== undefined && state !== undefined) wanted.push([name, state]);
      }
    } else if (isMap(args.selection)) {
      for (const [state, names] of entriesOf(args.selection)) {
        for (const name of aptTargets(names).keys()) wanted.push([name, str(state)]);
      }
    }
    if (args.clear) await runAll(context, ["dpkg", "--clear-selections"]);
    const found: Record<string, unknown> = {};
    for (const [name, state] of wanted) {
      const old = await stateOf(context, name) ?? null;
      if (old === state) continue;
      await select(context, name, state);
      found[name] = { old, new: state };
    }
    return found;
  },
});
