import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { AnyMap } from "../../language/python/values.ts";
import { entriesOf, isMap, lookup, OrderedMap, repr, sizeOf, str, truthy } from "../../language/python/values.ts";
import type { Pipeline } from "../../language/render/pipeline.ts";
import { compileGlob } from "../../language/python/glob.ts";
import type { PillarFiles } from "./files.ts";
import { merge } from "../../language/python/merge_strategy.ts";
import type { PillarOptions } from "./options.ts";
import type { PillarTemplates } from "./templates.ts";
import { topKind } from "./top.ts";

interface SlsScope {
  files: PillarFiles;
  pipeline: Pipeline;
  options: PillarOptions;
  log: Logger;
  /** Environment → directories. */
  roots: ReadonlyMap<string, readonly string[]>;
  /** Known environments, also those without roots. */
  envs: readonly string[];
  /** Environment → names whose files may be missing. */
  optional: ReadonlyMap<string, ReadonlySet<string>>;
  /** Renders files with the names that the minion's templates see. */
  templates: PillarTemplates;
}

/** One environment's files while they are rendered. */
interface Environment {
  name: string;
  /** Name of an SLS file → its data without its includes; undefined if the file could not be rendered. */
  done: Map<string, unknown>;
}

/** The merged data of a file and all its includes; undefined if there is none. */
interface Rendered {
  value: unknown;
  errors: string[];
}

const NOTHING: Rendered = { value: undefined, errors: [] };

/**
 * Renders SLS files and merges them. An error in one file is noted, and the others are still rendered.
 *
 * @see salt/pillar/__init__.py Pillar.render_pillar, Pillar.render_pstate
 */
export class PillarSlsReader {
  readonly #scope: SlsScope;
  /** Circular includes that were logged already. */
  readonly #circles = new Set<string>();

  constructor(scope: SlsScope) {
    this.#scope = scope;
  }

  /** @param matches environment → names, which may be globs */
  async read(
    matches: ReadonlyMap<string, readonly string[]>,
    start: AnyMap,
  ): Promise<{ pillar: AnyMap; errors: string[] }> {
    const { options } = this.#scope;
    const errors: string[] = [];
    let pillar = start;
    const order = [...options.envOrder.filter((env) => matches.has(env)), ...matches.keys()];
    for (const name of new Set(order)) {
      const environment: Environment = { name, done: new Map() };
      const wanted: string[] = [];
      for (const pattern of matches.get(name)!) {
        const found = this.#names(name, pattern);
        if (found === undefined) errors.push(noEnvironment(name));
        wanted.push(...found === undefined || found.length === 0 ? [pattern] : found);
      }
      for (const sls of wanted) {
        const rendered = await this.#render(sls, environment, {}, []);
        errors.push(...rendered.errors);
        if (isMap(rendered.value)) pillar = merge(pillar, rendered.value, options.rules);
      }
    }
    return { pillar, errors };
  }

  /** Names of SLS files that match a glob; undefined for an unknown environment. */
  #names(env: string, pattern: string): string[] | undefined {
    const { files, roots, envs } = this.#scope;
    if (!envs.includes(env)) return undefined;
    const dirs = roots.get(env) ?? [];
    // To look for one file is cheaper than to list all files.
    if (!/[*?[]/.test(pattern)) {
      return !pattern.includes("/") && files.findSls(dirs, pattern) !== undefined ? [pattern] : [];
    }
    return files.names(dirs).filter(compileGlob(pattern));
  }

  async #render(
    sls: string,
    environment: Environment,
    defaults: AnyMap,
    above: readonly string[],
  ): Promise<Rendered> {
    const { files, log, roots } = this.#scope;
    const env = environment.name;
    const file = files.findSls(roots.get(env) ?? [], sls);
    if (file === undefined) return this.#missing(sls, environment);
    let state: unknown;
    try {
      state = await this.#renderFile(file, sls, env, defaults);
    } catch (error) {
      // The error may contain secrets: it goes to the master's log, and the minion learns only that there is one.
      log.critical("pillar file could not be rendered", { sls, saltenv: env, error: messageOf(error) });
      environment.done.set(sls, undefined);
      const text = this.#scope.options.safeErrors
        ? `Rendering SLS '${sls}' failed. Please see master log for details.`
        : `Rendering SLS '${sls}' failed, render error:\n${messageOf(error)}`;
      return { value: undefined, errors: [text] };
    }
    environment.done.set(sls, state);
    if (!truthy(state)) return { value: state, errors: [] };
    if (!isMap(state)) {
      log.error("pillar file: expected a map", { sls, saltenv: env, path: file.path, is: topKind(state) });
      return { value: state, errors: [`SLS '${sls}' does not render to a dictionary`] };
    }
    const include = lookup(state, "include");
    if (include === undefined) return { value: state, errors: [] };
    if (!Array.isArray(include)) {
      log.error("include of a pillar file: expected a list", {
        sls,
        saltenv: env,
        path: file.path,
        is: topKind(include),
      });
      return { value: state, errors: [`Include Declaration in SLS '${sls}' is not formed as a list`] };
    }
    const own = new OrderedMap(entriesOf(state).filter(([key]) => key !== "include"));
    environment.done.set(sls, own);
    return await this.#include(sls, file.isInit, own, include, environment, defaults, [...above, sls]);
  }

  /** The data that stands for a missing file. */
  #missing(sls: string, { name: env, done }: Environment): Rendered {
    const { log, roots, optional } = this.#scope;
    if (optional.get(env)?.has(sls)) return NOTHING;
    if ((roots.get(env) ?? []).length === 0) {
      log.debug("pillar file not found: the environment has no pillar_roots", { sls, saltenv: env });
      return NOTHING;
    }
    done.set(sls, {});
    return {
      value: {},
      errors: [`Specified SLS '${sls}' in environment '${env}' is not available on the salt master`],
    };
  }

  async #renderFile(
    { path, name }: { path: string; name: string },
    sls: string,
    saltenv: string,
    defaults: AnyMap,
  ): Promise<unknown> {
    const { files, pipeline, templates } = this.#scope;
    const context = Object.fromEntries(entriesOf(defaults).map(([key, value]) => [str(key), value]));
    return await pipeline.render(files.text(path), { ...templates.job({ path, name, sls, saltenv }), context });
  }

  /** Merges a file over its includes, or the includes over the file if the option says so. */
  async #include(
    sls: string,
    isInit: boolean,
    own: AnyMap,
    include: readonly unknown[],
    environment: Environment,
    inherited: AnyMap,
    above: readonly string[],
  ): Promise<Rendered> {
    const { options } = this.#scope;
    const errors: string[] = [];
    const included: AnyMap[] = [];
    let value = own;
    // Defaults and errors are kept from one include to the next, as in Salt: defaults apply until an include has its own, and
    // errors are repeated for each file that was rendered before.
    // repeated for each file that was rendered before.
    let defaults = inherited;
    let latest: string[] = [];
    for (const item of include) {
      const [name, how] = isMap(item) ? entriesOf(item)[0] ?? [] : [item];
      const asked = isMap(how) ? how : {};
      if (typeof name !== "string" || (how !== undefined && how !== null && !isMap(how))) {
        errors.push(`Include ${repr(item)} in SLS '${sls}' is neither a name nor a name with a map of options`);
        continue;
      }
      if (isMap(item)) {
        const wanted = lookup(asked, "defaults");
        defaults = isMap(wanted) ? wanted : {};
      }
      const key = lookup(asked, "key");
      const { names, error } = this.#included(sls, isInit, name, environment.name);
      if (error !== undefined) errors.push(error);
      for (const found of names) {
        let nested: unknown;
        if (environment.done.has(found)) {
          if (above.includes(found)) this.#warnOfCircle([...above, found].join(" → "));
          nested = environment.done.get(found);
        } else {
          const rendered = await this.#render(found, environment, defaults, above);
          nested = rendered.value;
          latest = rendered.errors;
        }
        errors.push(...latest);
        if (!isMap(nested) || sizeOf(nested) === 0) continue;
        const below = key === undefined || key === null || key === "" ? nested : under(str(key), nested);
        if (options.includesOverride) value = merge(value, below, options.rules);
        else included.push(below);
      }
    }
    if (!options.includesOverride) {
      value = [...included, own].reduce((before, one) => merge(before, one, options.rules));
    }
    return { value, errors };
  }

  #warnOfCircle(chain: string): void {
    if (this.#circles.has(chain)) return;
    this.#circles.add(chain);
    this.#scope.log.warning("pillar files include each other: each is used once", { chain });
  }

  /** The names of one include: `.x` beside or below the file, and every name that matches a glob. */
  #included(sls: string, isInit: boolean, name: string, env: string): { names: string[]; error?: string } {
    const plain = this.#names(env, name.replace(/^\.+/, "").replaceAll("/", "."));
    if (plain === undefined) return { names: [name], error: noEnvironment(env) };
    const parts = sls.split(".");
    const full = name.startsWith(".") ? [...isInit ? parts : parts.slice(0, -1), name.slice(1)].join(".") : name;
    const names = [...plain, ...this.#names(env, full)!];
    return { names: names.length === 0 ? [full] : names };
  }
}

const noEnvironment = (env: string) => `No matching pillar environment for environment '${env}' found`;

/** Nests a value below a path: `{a: {b: value}}` for `a:b`. */
function under(path: string, value: AnyMap): AnyMap {
  return path.split(":").reduceRight<AnyMap>((inner, key) => new OrderedMap<unknown, unknown>([[key, inner]]), value);
}
