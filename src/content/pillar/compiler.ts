import { Pool } from "../../base/async/pool.ts";
import type { RenderJob } from "../../language/render/renderer.ts";
import { SALT_MASTER_DEFAULTS, withoutSdbValues, withSaltDefaults } from "../../model/config/salt_defaults.ts";
import { messageOf } from "../../base/errors.ts";
import type { ExtPillarRegistry, TemplateScope } from "../../model/loader/ext_pillar.ts";
import { templateAdditions } from "../../model/loader/template_additions.ts";
import type { Logger } from "../../base/log.ts";
import { type AnyMap, entriesOf, isMap, lookup, mapOf, OrderedMap, sizeOf } from "../../language/python/values.ts";
import { compilePattern } from "../../language/python/regexp.ts";
import { decryptionOf, decryptValue } from "../../language/render/decrypt.ts";
import { SaltFunctions, type TemplateFunctionTable } from "../../language/render/jinja/salt_functions.ts";
import { Pipeline } from "../../language/render/pipeline.ts";
import type { RendererTable } from "../../language/render/renderer.ts";
import { compileGlob } from "../../language/python/glob.ts";
import { matchMinion } from "../../model/target/match.ts";
import { PatternCache } from "../../model/target/patterns.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { SALT_COMPAT } from "../../base/version.ts";
import { decryptPillar } from "./decrypt.ts";
import { addExtPillars } from "./ext_pillar.ts";
import { PillarFiles } from "./files.ts";
import { aggregates, isStrategy, merge } from "../../language/python/merge_strategy.ts";
import { type PillarOptions, readPillarOptions, rootsFor } from "./options.ts";
import { PillarSlsReader } from "./sls.ts";
import { PillarTemplates } from "./templates.ts";
import { matchPillarTop, type MergedTop, mergeTops, type PillarTop, topKind } from "./top.ts";
import { sameBytes } from "../../runtime/bytes.ts";
import { encode, Packed } from "../../protocol/wire/msgpack.ts";

/** The minion whose pillar is compiled, and the environments and data to use. */
export interface PillarRequest {
  id: string;
  grains: Record<string, unknown>;
  saltenv?: unknown;
  pillarenv?: unknown;
  /** Values of the call, merged over everything else. */
  override?: AnyMap;
  /** An external pillar that the minion asks for. */
  ext?: unknown;
  /** The pillar that a minion with its own files has: templates see it, and the new one is merged over it. @default none */
  inUse?: AnyMap;
  /** Options of the minion that external pillars receive. */
  extraMinionData?: Record<string, unknown>;
}

interface PillarCompilerOptions {
  runtime: Runtime;
  log: Logger;
  /** Options of the master, or of a minion without a master. */
  opts: Record<string, unknown>;
  renderers: RendererTable;
  /** Custom renderers; called before each file is rendered. @default none */
  customRenderers?(): RendererTable;
  extPillars: ExtPillarRegistry;
  /** External pillars with the custom ones, asked for when one is to run. @default those of {@link extPillars} alone */
  customPillars?(known: ExtPillarRegistry): ExtPillarRegistry;
  /** The execution functions that the templates of a minion's pillar may call. @default none */
  functions?(request: PillarRequest): TemplateFunctionTable;
}

/** The request, and what was derived from it for this compilation. */
interface Scene {
  request: PillarRequest;
  saltenv: string | undefined;
  pillarenv: string | undefined;
  roots: ReadonlyMap<string, readonly string[]>;
  envs: readonly string[];
  functions: TemplateFunctionTable | undefined;
  additions: RenderJob["additions"];
}

/** External pillars that run at the same time, at most, for all minions together. */
const AT_ONCE = 5;

/** Compilers that are kept, at most, for other directories than `pillar_roots`. */
const MAX_OTHERS = 32;

const envOf = (value: unknown): string | undefined =>
  value === null || value === undefined || value === "" ? undefined : String(value);

/**
 * Compiles pillar from top files, SLS files and external pillars, for one minion at a time. Files are cached
 * between requests.
 */
export class PillarCompiler {
  readonly #options: PillarCompilerOptions;
  readonly #pillar: PillarOptions;
  readonly #files: PillarFiles;
  readonly #pipeline: Pipeline;
  readonly #patterns = new PatternCache();
  readonly #pool: Pool;
  readonly #others = new Map<string, PillarCompiler>();

  constructor(options: PillarCompilerOptions) {
    const { runtime, opts, log, renderers, customRenderers: custom } = options;
    const pillar = readPillarOptions(opts);
    this.#options = options;
    this.#pillar = pillar;
    const globs = pillar.ignoreGlobs.map(compileGlob);
    const regexps = pillar.ignoreRegexps.map((pattern) => compilePattern(pattern));
    this.#files = new PillarFiles(
      runtime.fs,
      runtime.clock,
      (name) => [...globs, ...regexps].some((matches) => matches(name)),
    );
    this.#pipeline = new Pipeline({
      renderers,
      ...(custom === undefined ? {} : { custom }),
      fallback: pillar.renderer,
      whitelist: pillar.rendererWhitelist,
      blacklist: pillar.rendererBlacklist,
    });
    this.#pool = new Pool(AT_ONCE);
    const { strategy } = pillar.rules;
    if (!isStrategy(strategy)) {
      log.warning("unknown pillar_source_merging_strategy: recurse is used instead", { strategy });
    }
  }

  /** Compiles the pillar of a minion. Errors are listed under `_errors`. */
  async compile(request: PillarRequest): Promise<AnyMap> {
    const { log, opts } = this.#options;
    const { rules, extPillarFirst, showOpts, mergesInUse } = this.#pillar;
    const { override = {}, inUse } = request;
    const scene = this.#scene(request);
    const { top, optional, errors: topErrors } = await this.#top(scene);
    const external = (pillar: AnyMap) => this.#external(pillar, scene);
    let pillar: AnyMap;
    let errors: string[];
    let under = inUse;
    if (extPillarFirst) {
      const first = await external(override);
      const rendered = await this.#render(top, optional, scene, first.pillar);
      pillar = merge(first.pillar, rendered.pillar, rules);
      under = undefined;
      errors = [...first.errors, ...rendered.errors];
    } else {
      const rendered = await this.#render(top, optional, scene, inUse);
      // External pillars see the values of the call as part of the pillar.
      const before = sizeOf(override) === 0 ? rendered.pillar : merge(rendered.pillar, override, rules);
      const last = await external(before);
      pillar = last.pillar;
      errors = [...rendered.errors, ...last.errors];
    }
    errors.push(...topErrors);
    const added = new OrderedMap(entriesOf(pillar));
    if (showOpts) {
      const { grains: _grains, pillar: _pillar, ...shown } = withoutSdbValues(opts);
      added.set("master", {
        ...withSaltDefaults(shown, SALT_MASTER_DEFAULTS),
        id: request.id,
        saltversion: SALT_COMPAT,
      });
    }
    for (const error of errors) log.critical("pillar render error", { id: request.id, error });
    const over = under === undefined || !mergesInUse ? added : new OrderedMap(entriesOf(merge(under, added, rules)));
    if (errors.length > 0) over.set("_errors", errors);
    // What was wrong in the one in use is wrong no more if it was compiled anew; that of another environment is as it was.
    else if (!added.has("_errors") && scene.pillarenv === this.#pillar.pillarenv) over.delete("_errors");
    const merged = sizeOf(override) === 0 ? over : merge(over, override, rules);
    const whole = await this.#decrypted(merged, scene);
    // Salt keeps the order of keys only in maps from files; the pillar as a whole is sorted when it is shown.
    return aggregates(rules) ? whole : new Map(entriesOf(whole));
  }

  async #decrypted(pillar: AnyMap, scene: Scene): Promise<AnyMap> {
    const { log, opts } = this.#options;
    const { encrypted } = this.#pillar;
    if (encrypted.keys.size === 0 && !encrypted.isMalformed) return pillar;
    const decryption = decryptionOf(opts);
    const job = this.#templates(scene, pillar).job({
      path: "decrypt_pillar",
      name: "decrypt_pillar",
      sls: "",
      saltenv: scene.saltenv ?? "base",
    });
    const { pillar: whole, errors } = await decryptPillar(
      pillar,
      encrypted,
      (value, renderer) =>
        decryptValue(this.#pipeline, value, { ...decryption, ...renderer === undefined ? {} : { renderer } }, job),
    );
    if (errors.length === 0) return whole;
    for (const error of errors) log.error("pillar not decrypted", { id: scene.request.id, error });
    const before = lookup(whole, "_errors");
    return new OrderedMap([
      ...entriesOf(whole).filter(([key]) => key !== "_errors"),
      ["_errors", [...Array.isArray(before) ? before : [], ...errors]],
    ]);
  }

  /** The merged top files, for all minions, and the errors in them. */
  async top(request: PillarRequest): Promise<{ top: PillarTop; errors: string[] }> {
    const { top, errors } = await this.#top(this.#scene(request));
    return { top, errors };
  }

  #scene(request: PillarRequest): Scene {
    const options = this.#pillar;
    const asked = envOf(request.pillarenv);
    const inherited = options.pillarenvFromSaltenv ? envOf(request.saltenv) : undefined;
    const saltenv = envOf(request.saltenv) ?? options.saltenv;
    const pillarenv = asked ?? inherited ?? options.pillarenv;
    const roots = rootsFor(options.roots, pillarenv, saltenv);
    const envs = [...new Set(["base", ...roots.keys()])];
    const additions = templateAdditions(this.#options);
    return { request, saltenv, pillarenv, roots, envs, functions: this.#options.functions?.(request), additions };
  }

  #templates({ request, roots, functions, additions }: Scene, pillar: AnyMap | undefined): PillarTemplates {
    const { opts, log } = this.#options;
    const { id, grains } = request;
    return new PillarTemplates({ opts, log, files: this.#files, roots, id, grains, functions, additions }, pillar);
  }

  async #top(scene: Scene): Promise<MergedTop & { errors: string[] }> {
    const { log } = this.#options;
    const { errors, tops } = await this.#tops(scene);
    try {
      return { ...mergeTops(tops), errors };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      log.critical("pillar top file cannot be used", { error: messageOf(error) });
      errors.push(`Error encountered while rendering pillar top file. ${messageOf(error)}`);
      return { top: new Map(), optional: new Map(), errors };
    }
  }

  /** The top file of each environment in use, with the top files that it includes. */
  async #tops(scene: Scene): Promise<{ tops: Map<string, AnyMap[]>; errors: string[] }> {
    const { log } = this.#options;
    const { top: name, rules } = this.#pillar;
    const { saltenv, pillarenv, roots } = scene;
    const tops = new Map<string, AnyMap[]>();
    const errors: string[] = [];
    let envs = scene.envs;
    if (pillarenv !== undefined) {
      envs = roots.has(pillarenv) ? [pillarenv] : [];
    } else if (rules.strategy === "none") {
      const only = saltenv ?? "base";
      envs = envs.includes(only) ? [only] : [];
    }
    const read = async (path: string, env: string): Promise<AnyMap> => {
      const job = this.#templates(scene, scene.request.inUse).job({ path, name, sls: "", saltenv: env });
      const data = await this.#pipeline.render(this.#files.text(path), job);
      if (isMap(data)) return data;
      throw new TypeError(`${path} is ${topKind(data)}: expected a map of environments to targets`);
    };
    try {
      for (const env of envs) {
        const path = this.#files.find(roots.get(env) ?? [], name);
        if (path !== undefined) tops.set(env, [await read(path, env)]);
      }
    } catch (error) {
      log.critical("pillar top file cannot be rendered", { error: messageOf(error) });
      errors.push(`Rendering Primary Top file failed, render error:\n${messageOf(error)}`);
    }
    for (const [env, list] of tops) {
      const done = new Set<unknown>();
      // The list grows during this loop, but only the includes of the first file count.
      const included = new Map(entriesOf(list[0]!)).get("include");
      for (const sls of Array.isArray(included) ? included : []) {
        if (done.has(sls)) continue;
        done.add(sls);
        try {
          const file = this.#files.findSls(roots.get(env) ?? [], String(sls));
          if (file === undefined) log.error("top file not found", { include: sls, saltenv: env });
          else list.push(await read(file.path, env));
        } catch (error) {
          log.critical("pillar top file cannot be rendered", { error: messageOf(error) });
          errors.push(`Rendering Top file ${sls} failed, render error:\n${messageOf(error)}`);
        }
      }
    }
    return { tops, errors };
  }

  async #render(
    top: PillarTop,
    optional: MergedTop["optional"],
    scene: Scene,
    seen: AnyMap | undefined,
  ): Promise<{ pillar: AnyMap; errors: string[] }> {
    const { log } = this.#options;
    const { request, roots, envs } = scene;
    const override = request.override ?? {};
    let matches: Map<string, string[]>;
    try {
      matches = matchPillarTop(top, this.#subject(scene, seen ?? {}), this.#patterns, scene.pillarenv);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      log.critical("pillar top file cannot be used", { error: messageOf(error) });
      const text = `Error encountered while rendering pillar top file. ${messageOf(error)}`;
      return { pillar: override, errors: [text] };
    }
    const reader = new PillarSlsReader({
      files: this.#files,
      pipeline: this.#pipeline,
      options: this.#pillar,
      log,
      roots,
      envs,
      optional,
      templates: this.#templates(scene, seen),
    });
    return await reader.read(matches, override);
  }

  /** A compiler for other directories, without external pillars. */
  #elsewhere(roots: Record<string, readonly string[]>): PillarCompiler {
    const key = JSON.stringify(roots);
    let compiler = this.#others.get(key);
    if (compiler === undefined) {
      const opts = { ...this.#options.opts, pillar_roots: roots, ext_pillar: [], pillar_opts: false };
      compiler = new PillarCompiler({ ...this.#options, opts, extPillars: {} });
    }
    this.#others.delete(key);
    this.#others.set(key, compiler);
    const [oldest] = this.#others.keys();
    if (this.#others.size > MAX_OTHERS) this.#others.delete(oldest!);
    return compiler;
  }

  #subject({ request }: Scene, pillar: AnyMap) {
    const { id, grains } = request;
    return { id, grains, pillar: pillar as Record<string, unknown>, nodegroups: this.#pillar.nodegroups };
  }

  async #external(start: AnyMap, scene: Scene): Promise<{ pillar: AnyMap; errors: string[] }> {
    const { runtime, log, opts, extPillars, customPillars } = this.#options;
    const { request, saltenv, pillarenv, roots } = scene;
    const { extPillar } = this.#pillar;
    const isAsked = Array.isArray(extPillar) && extPillar.length > 0 || request.ext !== undefined;
    return await addExtPillars(start, {
      registry: isAsked && customPillars !== undefined ? customPillars(extPillars) : extPillars,
      options: this.#pillar,
      log,
      pool: this.#pool,
      onDemand: request.ext,
      context: (pillar) => ({
        runtime,
        log: log.child("ext"),
        opts,
        id: request.id,
        grains: request.grains,
        pillar,
        extraMinionData: request.extraMinionData ?? {},
        roots: pillarenv === undefined ? undefined : roots.get(pillarenv),
        saltenv,
        pillarenv,
        compile: (others, env) =>
          this.#elsewhere(others).compile({ ...request, saltenv: env, pillarenv, ext: undefined }),
        merge: (before, over) => merge(before, over, this.#pillar.rules),
        nodegroups: this.#pillar.nodegroups,
        functions: scene.functions,
        matches: (tgt, type) => matchMinion({ tgt, tgt_type: type }, this.#subject(scene, pillar), this.#patterns),
        render: (text, path, pipeline) =>
          this.#pipeline.render(
            text,
            this.#templates(scene, pillar).job({ path, name: path, sls: "", saltenv: saltenv ?? "base" }),
            pipeline,
          ),
        template: (text, path, names) => this.#template(text, this.#templates(scene, pillar), path, names, scene),
      }),
    });
  }

  /** Renders a text with Jinja for an external pillar. */
  async #template(
    text: string,
    templates: PillarTemplates,
    path: string,
    { names, load }: TemplateScope,
    { saltenv, functions }: Scene,
  ): Promise<string> {
    const jinja = await this.#pipeline.rendererNamed("jinja");
    if (jinja === undefined) throw new TypeError("Cannot render a template: the renderer jinja is missing");
    const job = templates.job({ path, name: path, sls: "", saltenv: saltenv ?? "base" });
    const salt = functions === undefined ? {} : { __salt__: new SaltFunctions(functions) };
    const done = String(
      await jinja(text, {
        ...job,
        argline: "",
        context: { ...salt, ...names },
        load,
        confined: true,
        jinjaOptions: {},
        allowUndefined: true,
      }),
    );
    return text.endsWith("\n") ? done.replace(/\n$/, "") : done;
  }
}

/** A pillar that another process has packed: its bytes are sent and stored unchanged, however large. */
export class PackedPillar {
  /** The bytes that minions receive. */
  readonly wire: Packed;
  /** The bytes that are stored for targeting: the keys of the top level are texts. */
  readonly bin: Packed;

  constructor({ wire, bin }: { wire: Uint8Array; bin?: Uint8Array | null }) {
    this.wire = new Packed(wire);
    this.bin = bin === undefined || bin === null ? this.wire : new Packed(bin);
  }
}

/** Packs a pillar for {@link PackedPillar}. `bin` is absent if its bytes equal those of `wire`, as they nearly always do. */
export function packPillar(pillar: AnyMap): { wire: Uint8Array; bin?: Uint8Array } {
  const wire = encode(pillar, "wire");
  const bin = encode(mapOf(entriesOf(pillar)), "bin");
  return sameBytes(wire, bin) ? { wire } : { wire, bin };
}
