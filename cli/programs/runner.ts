/** The process of one runner: what `salt-master` becomes when it starts itself for one. */
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import type { RunnerJob } from "../../src/host/master/services.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { decode } from "../../src/protocol/wire/msgpack.ts";
import { concat } from "../../src/runtime/bytes.ts";
import { consoleLogger } from "../terminal/console_logger.ts";
import { RUNNER_PLUGINS } from "../runner_plugins.ts";
import { RunnerHost } from "../../src/host/runner/runner_host.ts";

declare const process: { stdin: AsyncIterable<Uint8Array>; exit(code: number): never };

async function readAll(): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of process.stdin) parts.push(chunk);
  return concat(parts);
}

/** Reads what to run from standard input, runs it, and fires its events on the master's bus. */
export async function runnerMain(): Promise<void> {
  const runtime = await currentRuntime();
  const work = await readAll();
  // The master is gone, or has no use for this process any more.
  if (work.length === 0) process.exit(0);
  const { fun, low, jid, user, opts } = decode(work, { mode: "bin" }) as RunnerJob & { opts: MasterOpts };
  const host = await RunnerHost.open({
    runtime,
    log: consoleLogger("warning"),
    opts,
    plugins: RUNNER_PLUGINS,
    isBrine: true,
    delimiter: ":",
    jid,
    user,
    reserved: true,
    screen: { quiet: true, show: async () => {}, line: () => {} },
  });
  await host.answer({ fun, low, user });
  await host.close();
  process.exit(0);
}
