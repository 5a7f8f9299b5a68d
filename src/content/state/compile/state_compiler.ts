import type { Logger } from "../../../base/log.ts";
import { type Compiled, compileHigh, type CompileHighOptions } from "./compile_high.ts";
import { type CompileOptions, readCompileOptions } from "./compile_options.ts";
import { appendTo } from "./declarations.ts";
import { opened, type OpenHigh } from "./high.ts";
import { type Matches, type RenderFile, SlsReader } from "./sls_reader.ts";
import { StateFiles, type StateSource } from "./state_files.ts";
import { readTop, type Top, verifyTop } from "./top_files.ts";
import { addMasterTops, type MatchTarget, matchTop, type TopMatches } from "./top_matches.ts";

interface StateCompilerOptions {
  /** The minion's options, overridden by those of its master: see `stateOptions`. `saltenv` is that of the call. */
  opts: Record<string, unknown>;
  files: StateSource;
  log: Logger;
  render: RenderFile;
  match: MatchTarget;
  /** The names from the master's `master_tops`: environment → names. @default nothing */
  masterTops?(): Promise<unknown>;
}

/** How top files use the SLS files of one environment, for `state.show_state_usage`. */
interface StateUsage {
  used: string[];
  unused: string[];
  count_all: number;
  count_used: number;
  count_unused: number;
}

/** The high data that a highstate would run, or the errors that prevent it. */
export interface Highstate {
  high: OpenHigh;
  errors: string[];
}

/**
 * Compiles SLS files and top files to low chunks, for one call: files are listed and rendered once. A highstate calls `top()`,
 * `verifyTop()`, `topMatches()`, `renderHighstate()` and `compile()`; a call of `state.sls` begins with `renderHighstate()`.
 *
 * @see salt/state.py HighState
 */
export class StateCompiler {
  readonly #given: StateCompilerOptions;
  readonly #options: CompileOptions;
  readonly #files: StateFiles;

  #rendered: string[] = [];

  constructor(given: StateCompilerOptions) {
    this.#given = given;
    this.#options = readCompileOptions(given.opts);
    const { environments: configured, envOrder: order } = this.#options;
    this.#files = new StateFiles({ files: given.files, configured, order });
  }

  /**
   * The merged top files, for all minions (`get_top`). Empty if there is no top file, or one that does not render: that is
   * logged.
   *
   * @throws {TopFileError} for top files whose data cannot be used. With `isRender` a highstate answers with one failed entry,
   * `Unable to render top file: ` and the message; without, with a list of errors
   */
  async top(): Promise<Top> {
    const { render, log } = this.#given;
    return await readTop({ files: this.#files, render, log, options: this.#options.tops });
  }

  /** The errors in the form of a top, in Salt's words (`verify_tops`). */
  verifyTop(top: Top): string[] {
    return verifyTop(top);
  }

  /**
   * The SLS files for this minion, from a top and the master's `master_tops` (`top_matches`): environment → names in order.
   *
   * @throws {TopFileError} for a target that cannot be matched
   */
  async topMatches(top: Top): Promise<TopMatches> {
    const { match, masterTops } = this.#given;
    const matches = await matchTop(top, { files: this.#files, match, saltenv: this.#options.tops.saltenv });
    return addMasterTops(matches, await masterTops?.() ?? {}, this.#options.masterTopsFirst);
  }

  /**
   * Renders SLS files with all their includes (`render_highstate`). Every call counts orders from 10000 again.
   *
   * @param matches environment → names, which may be globs: from {@link StateCompiler.topMatches}, or `{saltenv: mods}`
   * @param exclude the `exclude` of the call: texts, `{sls: glob}` and `{id: x}`
   * @returns the high data to show, and the errors in Salt's words. An error prevents a run; functions that show may return
   * both
   */
  async renderHighstate(matches: Matches, exclude: readonly unknown[] = []): Promise<Highstate> {
    const { render, log } = this.#given;
    const reader = new SlsReader({ files: this.#files, render, log, autoOrder: this.#options.autoOrder });
    const { high, errors, files } = await reader.read(matches);
    this.#rendered = files;
    if (exclude.length > 0) appendTo(high, "__exclude__", opened(exclude) as unknown[]);
    return { high, errors };
  }

  /**
   * Compiles high data to low chunks in order. The high data is changed: pass `openHigh(high)` to keep it.
   *
   * @param options the jid of the orchestration that runs the chunks; the errors of the rendering, if all errors are to be told
   */
  compile(high: OpenHigh, options: Pick<CompileHighOptions, "orchestrationJid" | "found"> = {}): Compiled {
    const { disabledRequisites } = this.#options;
    return compileHigh(high, { disabledRequisites, ...options });
  }

  /** Names of the SLS files that the last {@link StateCompiler.renderHighstate} read. */
  get rendered(): readonly string[] {
    return this.#rendered;
  }

  /** The environments whose top files count, in order. */
  async environments(): Promise<string[]> {
    return await this.#files.environments();
  }

  /** Names of all SLS files of an environment, sorted (`avail[saltenv]`). */
  async available(saltenv: string): Promise<string[]> {
    return await this.#files.names(saltenv);
  }

  /** For each environment, the SLS files that the matches name and those that they do not (`compile_state_usage`). */
  async usage(matches: Matches): Promise<Map<string, StateUsage>> {
    const usage = new Map<string, StateUsage>();
    for (const saltenv of new Set(["base", ...await this.environments()])) {
      const names = await this.available(saltenv);
      const wanted = new Set(matches.get(saltenv) ?? []);
      const used = names.filter((name) => wanted.has(name));
      const unused = names.filter((name) => !wanted.has(name));
      const counts = { count_all: names.length, count_used: used.length, count_unused: unused.length };
      usage.set(saltenv, { used, unused, ...counts });
    }
    return usage;
  }
}
