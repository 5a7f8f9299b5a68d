/** The process of one runner: the program that `salt-master` starts for each runner. */
import type { Logger } from "../../src/base/log.ts";
import type { RunnerWork } from "../../src/host/runner/runner_processes.ts";
import { servePart } from "../../src/feature/supervise/serve_part.ts";
import { decode } from "../../src/protocol/wire/msgpack.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { RUNNER_PLUGINS } from "../runner_plugins.ts";
import { RunnerHost } from "../../src/host/runner/runner_host.ts";
import { childMain, die } from "./child.ts";

/** Runs a runner, which fires its events on the master's bus. */
async function run(runtime: Runtime, log: Logger, { fun, low, jid, user, opts }: RunnerWork): Promise<void> {
  const host = await RunnerHost.open({
    runtime,
    log,
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
}

/** Waits for a runner, and runs it to its end, even if the master ends. */
export async function runnerMain(): Promise<void> {
  let running: Promise<void> | undefined;
  await childMain((runtime, ticket) =>
    servePart({
      runtime,
      ticket,
      open: (_part, _config, log) => ({
        run: (work) => running = run(runtime, log, decode(work, { mode: "bin" }) as RunnerWork).catch(die),
        close: () => running,
      }),
    })
  );
}
