import type { MasterOpts } from "../../model/config/master_opts.ts";
import type { RunnerFunction } from "../../model/loader/family.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";

/** The outlet for the lines and progress of a runner, and for its return. */
export interface RunnerScreen {
  /** True if nothing is shown. */
  quiet: boolean;
  /** Shows a return, or the progress of a runner; `own` is the outputter that it names itself. */
  show(data: unknown, own?: string): Promise<void>;
  /** Prints a line of the runner's own. */
  line(text: string): void;
  /** Called when a runner has thrown; its return, which is shown, has the traceback. */
  failed?(name: string, error: unknown): void;
}

export interface RunnerHostOptions {
  runtime: Runtime;
  log: Logger;
  opts: MasterOpts;
  plugins: RunnerPlugins;
  /** True if the job cache is known to be that of a Brine master. */
  isBrine: boolean;
  /** Separator of the levels of grain and pillar targets. */
  delimiter: string;
  /** The runner's own job id. */
  jid: string;
  /** The user that the runner, and so the runners that it calls, runs for. @default each call names its user */
  user?: string;
  /** True if the master has reserved the jid in the job cache. @default false */
  reserved?: boolean;
  screen: RunnerScreen;
  onReturn?(data: Record<string, unknown>): void;
}

/** Arguments of a runner, and the user that it runs for. */
export interface RunnerCallArguments {
  positional: unknown[];
  keyword: Map<string, unknown>;
  user: string;
  /** True if its events tell the user among the arguments, as those of runners do that a runner calls. @default false */
  tellsUser?: boolean;
}

export interface RunsRunner {
  /** The function of a name `module.function`; undefined if there is none. */
  find(name: string): Promise<RunnerFunction | undefined>;
  /** Fires the return of an unknown function. @returns the text to show */
  missing(name: string, words: readonly unknown[]): string;
  /**
   * Runs a function, shows what it returns, and fires the events of its beginning and its return.
   *
   * @returns the exit code of a program that only does this
   */
  run(found: RunnerFunction, name: string, args: RunnerCallArguments): Promise<number>;
  close(): Promise<void>;
}

export type OpenRunner = (options: RunnerHostOptions) => Promise<RunsRunner>;
