import type { ExecutionFunction, ExecutionModule, JobContext, ReturnerModule } from "../../model/loader/family.ts";
import { executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { messageOf } from "../../base/errors.ts";
import { codeRenderers } from "../../model/loader/code_renderers.ts";
import { customRenderers } from "../../model/loader/custom_renderers.ts";
import { withCustomReturners } from "../../model/loader/custom_returners.ts";
import { withCustomRunners } from "../../model/loader/custom_runners.ts";
import type { FunctionDescription } from "../../model/loader/function_catalog.ts";
import { parseSignature } from "../../model/loader/signature.ts";
import { hostStates } from "../../model/loader/state_table.ts";
import { str } from "../../language/python/values.ts";
import { compileGlob } from "../../language/python/glob.ts";

/** The functions that names mean: each a function, a whole module or a glob; none means all. */
function matching<T extends { name: string }>(all: T[], names: unknown[]): T[] {
  const wanted = names.map(str).filter((name) => name !== "");
  if (wanted.length === 0) return all;
  const matches = wanted.map((name) => {
    if (/[*?[]/.test(name)) return compileGlob(name);
    const module = name.endsWith(".") ? name : `${name}.`;
    return (fun: string) => fun === name || fun.startsWith(module);
  });
  return all.filter(({ name }) => matches.some((match) => match(name)));
}

async function select(context: JobContext, names: unknown[]): Promise<FunctionDescription[]> {
  return matching(await context.functions.list(), names);
}

/** The signature of a function in the terms of Python's `inspect`; null for parts that it lacks. */
function argspec({ signature }: Pick<FunctionDescription, "signature">): Record<string, unknown> {
  const { params, varargs, keywords } = signature;
  const defaults = params.filter((param) => "default" in param).map((param) => param.default ?? null);
  return {
    args: params.length === 0 ? null : params.map(({ name }) => name),
    defaults: defaults.length === 0 ? null : defaults,
    varargs: varargs === undefined ? null : true,
    kwargs: keywords === undefined ? null : true,
  };
}

/** A function for what does not exist on a minion of Brine: its map is empty. */
const none = (what: string, signature: string) =>
  executionFunction({
    inline: true,
    signature,
    doc: `Nothing yet: ${what}.`,
    run: () => ({}),
  });

const SCHEMAS = "there are no schemas of states";

/** Functions of other families than execution modules, as far as they can be listed. */
type Listed = Pick<FunctionDescription, "name" | "signature"> & { function: { doc: string } };

/** Every function of all runners, custom ones included. */
async function runners(context: JobContext): Promise<Listed[]> {
  const { RUNNERS } = await import("../runners/mod.ts");
  const found: Listed[] = [];
  for (const [module, load] of Object.entries(withCustomRunners(RUNNERS, context))) {
    const { functions, name = module } = (await load()).runner;
    for (const [fun, body] of Object.entries(functions)) {
      found.push({ name: `${name}.${fun}`, signature: parseSignature(body.signature), function: { doc: body.doc } });
    }
  }
  return found.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The functions of a returner under Salt's names, with signature and documentation. */
const RETURNER_FUNCTIONS: Record<string, { key: keyof ReturnerModule; signature: string; doc: string }> = {
  get_jid: { key: "getJid", signature: "jid", doc: "What the minions of a job returned." },
  get_jids: { key: "getJids", signature: "", doc: "The saved jobs." },
  get_load: { key: "getLoad", signature: "jid", doc: "The publication of a job." },
  returner: { key: "returner", signature: "ret", doc: "Saves the return of a job." },
  save_load: { key: "saveLoad", signature: "jid, load, minions=None", doc: "Saves the publication of a job." },
};

/** The functions of the returners that can be used on this host, custom ones included. */
async function returners(context: JobContext): Promise<Listed[]> {
  const { RETURNERS } = await import("../returners/mod.ts");
  const { runtime, log, opts } = context;
  const disabled = Array.isArray(opts.disable_returners) ? opts.disable_returners : [];
  const found: Listed[] = [];
  for (const [name, load] of Object.entries(withCustomReturners(RETURNERS, context))) {
    if (disabled.includes(name)) continue;
    try {
      const { returner } = await load();
      if ((returner.virtual?.({ runtime, log, opts }) ?? true) !== true) continue;
      const known = Object.entries(RETURNER_FUNCTIONS).filter(([, { key }]) => returner[key] !== undefined);
      for (const [fun, { signature, doc }] of returner.listed ?? known) {
        found.push({
          name: `${returner.name ?? name}.${fun}`,
          signature: parseSignature(signature),
          function: { doc },
        });
      }
    } catch (error) {
      log.error("returner failed to load", { returner: name, error: messageOf(error) });
    }
  }
  return found.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The state functions that can be called on this host, custom ones included. */
async function states(context: JobContext): Promise<Listed[]> {
  const { STATES } = await import("../states/mod.ts");
  return await hostStates(STATES, context.opts, () => context).list();
}

const moduleOf = (name: string) => name.slice(0, name.indexOf("."));

/** The four functions that list and describe a family. */
function family(
  what: string,
  all: (context: JobContext) => Promise<Listed[]>,
): Record<"list" | "functions" | "doc" | "argspec", ExecutionFunction> {
  const example = (fun: string, words = "") => `\n\n    salt '*' sys.${fun}${words}`;
  return executionFunctions({
    "list(*args)": {
      doc: `The names of ${what}s: all, or those that match a glob.${example(`list_${what}s`)}`,
      async run(context, { args }) {
        const matches = args.map((name) => compileGlob(str(name)));
        const names = [...new Set((await all(context)).map(({ name }) => moduleOf(name)))];
        return matches.length === 0 ? names : names.filter((name) => matches.some((match) => match(name)));
      },
    },
    "functions(*args, **kwargs)": {
      doc: `The names of the functions of ${what}s.${example(`list_${what}_functions`)}`,
      run: async (context, { args }) => matching(await all(context), args).map(({ name }) => name),
    },
    "doc(*args)": {
      doc: `The documentation of functions of ${what}s.${example(`${what}_doc`)}`,
      run: async (context, { args }) =>
        Object.fromEntries(
          matching(await all(context), args).map(({ name, function: { doc } }) => [name, doc || null]),
        ),
    },
    "argspec(module='')": {
      doc: `How functions of ${what}s are called.${example(`${what}_argspec`)}`,
      run: async (context, { module }) =>
        Object.fromEntries(matching(await all(context), [module]).map((found) => [found.name, argspec(found)])),
    },
  });
}

const RUNNER = family("runner", runners);
const RETURNER = family("returner", returners);
const STATE = family("state", states);

const RENDERER_DOCS: Record<string, string> = {
  gpg: "Decrypts values in PGP armour.",
  jinja: "Renders Jinja templates.",
  js: "Runs JavaScript that exports the data.",
  json: "Reads JSON.",
  ts: "Runs TypeScript that exports the data.",
  yaml: "Reads YAML as Salt does.",
};

async function renderers(context: JobContext, names: unknown[]): Promise<string[]> {
  const { RENDERER_NAMES } = await import("../../language/render/renderers.ts");
  const all = [
    ...new Set([...RENDERER_NAMES, ...Object.keys({ ...codeRenderers(context), ...customRenderers(context) })]),
  ].sort();
  const matches = names.map((name) => compileGlob(str(name)));
  return matches.length === 0 ? all : all.filter((name) => matches.some((match) => match(name)));
}

/** The functions of this minion: names, signatures and documentation. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "doc(*args)": {
      doc: "The documentation of functions, of whole modules, or of those that match a glob.\n\n" +
        "    salt '*' sys.doc\n    salt '*' sys.doc test cmd.run 'grains.*'",
      run: async (context, { args }) =>
        Object.fromEntries((await select(context, args)).map(({ name, function: body }) => [name, body.doc || null])),
    },
    "argspec(module='')": {
      doc: "The signatures of functions: names of the arguments, and the defaults of the last ones.\n\n" +
        "    salt '*' sys.argspec cmd.run\n    salt '*' sys.argspec 'grains.*'",
      run: async (context, { module }) =>
        Object.fromEntries((await select(context, [module])).map((found) => [found.name, argspec(found)])),
    },
    "list_functions(*args, **kwargs)": {
      doc: "The names of functions: all, those of modules, or those that match a glob.\n\n" +
        "    salt '*' sys.list_functions test\n    salt '*' sys.list_functions 'sys.list_*'",
      run: async (context, { args }) => (await select(context, args)).map(({ name }) => name),
    },
    "list_modules(*args)": {
      doc: "The names of modules: all, or those that match a glob.\n\n    salt '*' sys.list_modules 's*'",
      async run(context, { args: names }): Promise<string[]> {
        const all = await context.functions.modules();
        if (names.length === 0) return all;
        const matches = names.map((name) => compileGlob(str(name)));
        return all.filter((name) => matches.some((match) => match(name)));
      },
    },
    "reload_modules(initial_load=False, context=None)": {
      inline: true,
      doc: "Checks again which modules are available.\n\n    salt '*' sys.reload_modules",
      run(context) {
        context.functions.reload();
        return null;
      },
    },
    list_state_functions: STATE.functions,
    list_state_modules: STATE.list,
    state_doc: STATE.doc,
    state_argspec: STATE.argspec,
    state_schema: none(SCHEMAS, "module=''"),
    list_runners: RUNNER.list,
    list_runner_functions: RUNNER.functions,
    runner_doc: RUNNER.doc,
    runner_argspec: RUNNER.argspec,
    list_returners: RETURNER.list,
    list_returner_functions: RETURNER.functions,
    returner_doc: RETURNER.doc,
    returner_argspec: RETURNER.argspec,
    "list_renderers(*args)": {
      doc: "The names of renderers: all, or those that match a glob.\n\n    salt '*' sys.list_renderers",
      run: (context, { args }) => renderers(context, args),
    },
    "renderer_doc(*args)": {
      doc: "The documentation of renderers.\n\n    salt '*' sys.renderer_doc yaml",
      run: async (context, { args }) =>
        Object.fromEntries(
          (await renderers(context, args)).flatMap((name) =>
            RENDERER_DOCS[name] === undefined ? [] : [[name, RENDERER_DOCS[name]]]
          ),
        ),
    },
  }),
};
