import type { JobContext } from "../../loader/context.ts";
import type { ExecutionModule } from "../../loader/family.ts";
import type { LoadedFunction } from "../../loader/loader.ts";
import { str } from "../../python/repr.ts";
import { compileGlob } from "../../target/glob.ts";

/** The functions that names mean: each a function, a whole module or a glob; none means all. */
async function select(context: JobContext, names: unknown[]): Promise<LoadedFunction[]> {
  const wanted = names.map(str).filter((name) => name !== "");
  const all = await context.functions.list();
  if (wanted.length === 0) return all;
  const matches = wanted.map((name) => {
    if (/[*?[]/.test(name)) return compileGlob(name);
    const module = name.endsWith(".") ? name : `${name}.`;
    return (fun: string) => fun === name || fun.startsWith(module);
  });
  return all.filter(({ name }) => matches.some((match) => match(name)));
}

async function selectModules(context: JobContext, names: unknown[]): Promise<string[]> {
  const all = await context.functions.modules();
  if (names.length === 0) return all;
  const matches = names.map((name) => compileGlob(str(name)));
  return all.filter((name) => matches.some((match) => match(name)));
}

/** How a function is called, in the words of Python's inspection; what there is none of is null. */
function argspec({ signature }: LoadedFunction): Record<string, unknown> {
  const { params, varargs, keywords } = signature;
  const defaults = params.filter((param) => "default" in param).map((param) => param.default);
  return {
    args: params.length === 0 ? null : params.map(({ name }) => name),
    defaults: defaults.length === 0 ? null : defaults,
    varargs: varargs === undefined ? null : true,
    kwargs: keywords === undefined ? null : true,
  };
}

/** A function of a family that does not exist on a minion of Brine: its list is empty. */
const none = (what: string, shape: "list" | "map", signature: string) => ({
  inline: true,
  signature,
  doc: `Nothing yet: ${what}.`,
  run: () => shape === "list" ? [] : {},
});

const STATES = "there are no state modules";
const RUNNERS = "runners are functions of the master, and a minion has none";
const RETURNERS = "there are no returners besides the master";
const RENDERERS = "there are no renderers";

/** What functions there are, and how each is called. */
export const module: ExecutionModule = {
  functions: {
    doc: {
      signature: "*args",
      doc: "The documentation of functions, of whole modules, or of what a glob matches.\n\n" +
        "    salt '*' sys.doc\n    salt '*' sys.doc test cmd.run 'grains.*'",
      run: async (context, { args }) =>
        Object.fromEntries((await select(context, args)).map(({ name, function: body }) => [name, body.doc || null])),
    },
    argspec: {
      signature: "module=''",
      doc: "How functions are called: names of the arguments, and defaults of the last of them.\n\n" +
        "    salt '*' sys.argspec cmd.run\n    salt '*' sys.argspec 'grains.*'",
      run: async (context, { module }) =>
        Object.fromEntries((await select(context, [module])).map((found) => [found.name, argspec(found)])),
    },
    list_functions: {
      signature: "*args, **kwargs",
      doc: "The names of functions: all, those of modules, or those that a glob matches.\n\n" +
        "    salt '*' sys.list_functions test\n    salt '*' sys.list_functions 'sys.list_*'",
      async run(context, { args }) {
        // Unlike elsewhere, a full name without a glob finds nothing.
        const names = (await select(context, args)).map(({ name }) => name);
        return names.filter((name) => !(args as unknown[]).includes(name));
      },
    },
    list_modules: {
      signature: "*args",
      doc: "The names of modules: all, or those that a glob matches.\n\n    salt '*' sys.list_modules 's*'",
      run: (context, { args }) => selectModules(context, args),
    },
    reload_modules: {
      inline: true,
      signature: "initial_load=False, context=None",
      doc: "Decides anew which modules are available.\n\n    salt '*' sys.reload_modules",
      run(context) {
        context.functions.reload();
        return true;
      },
    },
    list_state_functions: none(STATES, "list", "*args, **kwargs"),
    list_state_modules: none(STATES, "list", "*args"),
    state_doc: none(STATES, "map", "*args"),
    state_argspec: none(STATES, "map", "module=''"),
    state_schema: none(STATES, "map", "module=''"),
    list_runners: none(RUNNERS, "list", "*args"),
    list_runner_functions: none(RUNNERS, "list", "*args, **kwargs"),
    runner_doc: none(RUNNERS, "map", "*args"),
    runner_argspec: none(RUNNERS, "map", "module=''"),
    list_returners: none(RETURNERS, "list", "*args"),
    list_returner_functions: none(RETURNERS, "list", "*args, **kwargs"),
    returner_doc: none(RETURNERS, "map", "*args"),
    returner_argspec: none(RETURNERS, "map", "module=''"),
    list_renderers: none(RENDERERS, "list", "*args"),
    renderer_doc: none(RENDERERS, "map", "*args"),
  },
};
