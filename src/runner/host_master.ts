/** The master on the host of a minion: its configuration is beside the minion's, and its keys can be read here. */
import type { MasterOpts } from "../config/master_opts.ts";
import { dirName, joinPath } from "../config/paths.ts";
import { messageOf } from "../errors.ts";
import { CommandExecutionError } from "../loader/family.ts";
import type { HostMaster, OpenHostMaster } from "../loader/host_master.ts";
import type { Logger } from "../log.ts";
import type { Runtime } from "../runtime/mod.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";

/** The user of a runner that a minion runs, as in Salt. */
const USER = "UNKNOWN";

/**
 * The master on this host, for functions of a minion. Nothing of a master is loaded before a function asks for one.
 *
 * @param plugins loads the plugins that runners run with
 */
export function openHostMaster(
  runtime: Runtime,
  log: Logger,
  plugins: () => Promise<RunnerPlugins>,
): OpenHostMaster {
  return (opts) => new FoundMaster(runtime, log.child("master"), String(opts.conf_file ?? ""), plugins);
}

class FoundMaster implements HostMaster {
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #file: string;
  readonly #plugins: () => Promise<RunnerPlugins>;

  constructor(runtime: Runtime, log: Logger, minionFile: string, plugins: () => Promise<RunnerPlugins>) {
    this.#runtime = runtime;
    this.#plugins = plugins;
    this.#log = log;
    this.#file = joinPath(dirName(minionFile), "master");
  }

  async #opts(): Promise<MasterOpts> {
    const { fs } = this.#runtime;
    if (fs.stat(this.#file)?.kind !== "file") {
      throw new CommandExecutionError(
        `Only a minion on the host of a master can do this, and there is no ${this.#file} here`,
      );
    }
    const [{ loadConfig }, { MASTER_OPTIONS }, { parseYaml }] = await Promise.all([
      import("../config/load.ts"),
      import("../config/master_opts.ts"),
      import("../yaml/document.ts"),
    ]);
    const how = { fs, log: this.#log, parse: parseYaml, file: this.#file, onProblem: "warning" } as const;
    return loadConfig({ ...how, table: MASTER_OPTIONS }).opts as MasterOpts;
  }

  async #client(opts: MasterOpts) {
    const { LocalClient } = await import("../client/local_client.ts");
    return await LocalClient.open({ runtime: this.#runtime, log: this.#log, opts, checked: false });
  }

  async command(...[request, { timeoutS, batch, subset }]: Parameters<HostMaster["command"]>) {
    const { clock, random } = this.#runtime;
    const opts = await this.#opts();
    const collect = {
      timeoutMs: (timeoutS ?? opts.timeout) * 1000,
      gatherMs: opts.gather_job_timeout * 1000,
    };
    const returns: Record<string, unknown> = {};
    const { hasReturn } = await import("../client/outcome.ts");
    try {
      await using client = await this.#client(opts);
      if (batch !== undefined) {
        const { runBatch } = await import("../client/batch.ts");
        const how = { ...collect, size: batch, sleep: (ms: number) => clock.sleep(ms) };
        for await (const event of runBatch(client, request, how)) {
          if (event.kind !== "ended" || !hasReturn(event.outcome)) continue;
          returns[event.outcome.id] = { ret: event.outcome.return, out: "highstate" };
        }
        return returns;
      }
      let wanted = request;
      if (subset !== undefined) {
        const { chooseSubset } = await import("../client/subset.ts");
        const ids = await chooseSubset(client, request, subset, collect, random);
        wanted = { ...request, tgt: ids, tgt_type: "list" };
      }
      for await (const outcome of client.run(wanted, collect)) {
        if (outcome.kind === "missing") returns[outcome.id] = { failed: true };
        if (!hasReturn(outcome)) continue;
        const { id, return: ret, retcode, jid, out } = outcome;
        returns[id] = { ret, retcode, jid, ...(out === undefined ? {} : { out }) };
      }
      return returns;
    } catch (error) {
      throw new CommandExecutionError(messageOf(error), { cause: error });
    }
  }

  async runner(...[fun, positional, keyword]: Parameters<HostMaster["runner"]>) {
    const opts = await this.#opts();
    const [{ RunnerHost }, { newJid }, { StreamedMap }, { eventStamp }] = await Promise.all([
      import("./runner_host.ts"),
      import("../job/jid.ts"),
      import("../loader/streamed_map.ts"),
      import("../wire/event_frame.ts"),
    ]);
    const { clock } = this.#runtime;
    const jid = newJid(clock);
    // A runner's return is the last document that it shows.
    let shown: unknown = null;
    let fired: Record<string, unknown> = {};
    const host = await RunnerHost.open({
      runtime: this.#runtime,
      log: this.#log,
      opts,
      plugins: await this.#plugins(),
      isBrine: false,
      delimiter: ":",
      jid,
      screen: {
        quiet: false,
        show: async (data) => void (shown = data instanceof StreamedMap ? await data.collect() : data),
        line: (text) => void (shown = text),
      },
      onReturn: (data) => fired = data,
    });
    try {
      const found = await host.find(fun);
      if (found === undefined) throw new CommandExecutionError(host.missing(fun, positional));
      const _stamp = eventStamp(clock.now());
      await host.run(found, fun, { positional, keyword: new Map(Object.entries(keyword)), user: USER });
      return { ...fired, _stamp, return: shown };
    } finally {
      await host.close();
    }
  }

  async wheel(...[fun, positional, keyword]: Parameters<HostMaster["wheel"]>) {
    const opts = await this.#opts();
    const { callWheel } = await import("../client/wheel.ts");
    try {
      await using client = await this.#client(opts);
      const kwarg = { arg: positional, kwarg: keyword };
      const { data: { tag: _tag, ...data } } = await callWheel(client, {
        fun,
        kwarg,
        credentials: client.ownCredentials,
      });
      return data;
    } catch (error) {
      throw new CommandExecutionError(messageOf(error), { cause: error });
    }
  }
}
