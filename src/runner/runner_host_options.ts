import type { MasterOpts } from "../config/master_opts.ts";
import type { Logger } from "../log.ts";
import type { Runtime } from "../runtime/mod.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";

/** Where a runner shows what it has to show beside its return. */
export interface RunnerScreen {
  /** True if nothing is to be shown. */
  quiet: boolean;
  /** Shows a return, or the progress of a runner; `own` is the outputter that it names itself. */
  show(data: unknown, own?: string): Promise<void>;
  /** Prints a line of the runner's own. */
  line(text: string): void;
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
  /** True if the master has reserved it in the job cache. @default false */
  reserved?: boolean;
  screen: RunnerScreen;
  /** Called with the data of the return event. */
  onReturn?(data: Record<string, unknown>): void;
}
