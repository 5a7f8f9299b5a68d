import type { CollectOptions } from "../../../src/client/job_collector.ts";
import type { LocalClient } from "../../../src/client/local_client.ts";
import type { PublishRequest } from "../../../src/client/publish_request.ts";
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import type { ProgramContext } from "../../program/context.ts";
import type { Printer } from "../../terminal/printer.ts";
import type { LiveOutput } from "./live_output.ts";
import type { JobTarget } from "./target.ts";

/** One job of `salt`: the request, the master, and where to show the results. */
export interface SaltJob {
  context: ProgramContext;
  opts: MasterOpts;
  printer: Printer;
  client: LocalClient;
  target: JobTarget;
  request: PublishRequest;
  collect: CollectOptions;
  /** Prints the output of commands while they run, with `--stream`. */
  live: LiveOutput | undefined;
}
