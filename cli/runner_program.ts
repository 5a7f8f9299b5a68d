/** The process of one runner: what `salt-master` becomes when it starts itself for one. */
import type { MasterOpts } from "../src/config/master_opts.ts";
import { messageOf } from "../src/errors.ts";
import { parseSignature } from "../src/loader/signature.ts";
import { argumentsOf, type RunnerJob } from "../src/master/mod.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { decode } from "../src/wire/msgpack.ts";
import { concat } from "../src/wire/msgpack_packed.ts";
import { consoleLogger } from "./program.ts";
import { RunnerHost } from "./runner_host.ts";

declare const process: { stdin: AsyncIterable<Uint8Array>; exit(code: number): never };

async function readAll(): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of process.stdin) parts.push(chunk);
  return concat(parts);
}

/** Takes what is to be run from standard input, and tells the master's bus what becomes of it. */
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
    ours: true,
    delimiter: ":",
    jid,
    screen: { quiet: true, show: async () => {}, line: () => {} },
  });
  const found = await host.find(fun);
  if (found === undefined) host.missing(fun, []);
  else {
    try {
      const { args, kwargs } = argumentsOf(low, fun, parseSignature(found.signature));
      await host.run(found, fun, { positional: [...args], keyword: new Map(Object.entries(kwargs)), user });
    } catch (error) {
      host.failed(fun, user, `Exception occurred in runner ${fun}: ${messageOf(error)}`);
    }
  }
  await host.close();
  process.exit(0);
}
