/** The master on the host of a minion: its configuration is beside the minion's, and its keys can be read here. */
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { dirName, joinPath } from "../../base/paths.ts";
import { messageOf } from "../../base/errors.ts";
import { NO_MATCH } from "../../model/job/outcome.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { HostMaster, HostRequest, OpenHostMaster } from "../../model/loader/host_master.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { OpenRunner } from "./runner_host_options.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";

/** The user name of runners that a minion runs, as in Salt. */
const USER = "UNKNOWN";

/**
 * Gives functions of a minion access to the master on this host. No part of a master is loaded before a function asks for it.
 *
 * @param plugins loads the plugins that runners run with
 * @param openRunner loads what runs them
 */
export function openHostMaster(
  runtime: Runtime,
  log: Logger,
  plugins: () => Promise<RunnerPlugins>,
  openRunner: OpenRunner,
): OpenHostMaster {
  return (opts) => {
    const child = log.child("master");
    const file = joinPath(dirName(String(opts.conf_file ?? "")), "master");
    return new MasterOfHost({
      runtime,
      log: child,
      plugins,
      isOwn: false,
      openRunner,
      opts: () => configuredBeside(runtime, child, file, plugins),
    });
  };
}

/** The master itself, for functions that a runner calls on its host. */
export function ownHostMaster(
  { log, plugins, opts, ...given }: Omit<MasterOfHostOptions, "plugins" | "opts" | "isOwn"> & {
    plugins: RunnerPlugins;
    opts: MasterOpts;
  },
): HostMaster {
  const own = { plugins: () => Promise.resolve(plugins), opts: () => Promise.resolve(opts) };
  return new MasterOfHost({ ...given, log: log.child("master"), isOwn: true, ...own });
}

/** Reads the configuration of the master. @throws {CommandExecutionError} if there is none */
async function configuredBeside(
  runtime: Runtime,
  log: Logger,
  file: string,
  plugins: () => Promise<RunnerPlugins>,
): Promise<MasterOpts> {
  const { fs } = runtime;
  if (fs.stat(file)?.kind !== "file") {
    throw new CommandExecutionError(
      `Only a minion on the host of a master can do this, and ${file} does not exist here`,
    );
  }
  const [{ loadConfigWithSdb }, { MASTER_OPTIONS }, { parseYaml }, { sdbResolver }] = await Promise.all([
    import("../../model/config/load.ts"),
    import("../../model/config/master_opts.ts"),
    import("../../language/yaml/document.ts"),
    import("../../model/loader/sdb.ts"),
  ]);
  const files = { fs, log, parse: parseYaml, file, onProblem: "warning", table: MASTER_OPTIONS } as const;
  const drivers = async () => await (await plugins()).sdb();
  return (await loadConfigWithSdb(files, sdbResolver({ runtime, log }, drivers, false))).opts;
}

interface MasterOfHostOptions {
  runtime: Runtime;
  log: Logger;
  plugins: () => Promise<RunnerPlugins>;
  isOwn: boolean;
  opts: () => Promise<MasterOpts>;
  openRunner: OpenRunner;
  /** The runner that calls: the master records it as the cause of its requests. @default none */
  cause?: string;
  /** The user that the calling runner runs for, and so the runners that it calls. @default the user that the function names */
  user?: string;
  /** Shows a line to the user who runs the function. @default lines are dropped */
  line?(text: string): void;
}

class MasterOfHost implements HostMaster {
  readonly isOwn: boolean;
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #opts: () => Promise<MasterOpts>;
  readonly #plugins: () => Promise<RunnerPlugins>;
  readonly #openRunner: OpenRunner;
  readonly #line: (text: string) => void;
  readonly #origin: { origin?: { cause: string } };

  readonly #user: string | undefined;

  constructor({ runtime, log, plugins, isOwn, opts, openRunner, cause, user, line = () => {} }: MasterOfHostOptions) {
    this.#user = user;
    this.#origin = cause === undefined ? {} : { origin: { cause } };
    this.#runtime = runtime;
    this.#plugins = plugins;
    this.#log = log;
    this.#opts = opts;
    this.#openRunner = openRunner;
    this.#line = line;
    this.isOwn = isOwn;
  }

  async #client(opts: MasterOpts) {
    const { LocalClient } = await import("../../client/local_client.ts");
    return await LocalClient.open({ runtime: this.#runtime, log: this.#log, opts, checked: false });
  }

  async command(...[asked, how]: Parameters<HostMaster["command"]>) {
    const { timeoutS, batch, subset, expectMinions = false, failhard = false, kwargs } = how;
    const { clock, random } = this.#runtime;
    const opts = await this.#opts();
    const request: HostRequest & { kwargs?: Record<string, unknown> } = {
      ...asked,
      ...this.#origin,
      ...(kwargs === undefined ? {} : { kwargs }),
    };
    const collect = {
      timeoutMs: (timeoutS ?? opts.timeout) * 1000,
      gatherMs: opts.gather_job_timeout * 1000,
    };
    const returns: Record<string, unknown> = {};
    const { hasReturn } = await import("../../client/outcome.ts");
    try {
      await using client = await this.#client(opts);
      if (batch !== undefined) {
        const { runBatch } = await import("../../client/batch.ts");
        const steps = { ...collect, size: batch, failhard, sleep: (ms: number) => clock.sleep(ms) };
        for await (const event of runBatch(client, request, steps)) {
          if (event.kind !== "ended" || !hasReturn(event.outcome)) continue;
          returns[event.outcome.id] = { ret: event.outcome.return, out: "highstate" };
        }
        return returns;
      }
      let wanted = request;
      if (subset !== undefined) {
        const { chooseSubset } = await import("../../client/subset.ts");
        const ids = await chooseSubset(client, request, subset, collect, random);
        wanted = { ...request, tgt: ids, tgt_type: "list" };
      }
      let matched = false;
      for await (const outcome of client.run(wanted, collect)) {
        matched = true;
        if (!hasReturn(outcome)) {
          if (expectMinions || outcome.kind === "missing") returns[outcome.id] = { failed: true };
          continue;
        }
        const { id, return: ret, retcode, jid, out } = outcome;
        returns[id] = { ret, retcode, jid, ...(out === undefined ? {} : { out }) };
      }
      if (!matched) this.#line(NO_MATCH);
      return returns;
    } catch (error) {
      throw new CommandExecutionError(messageOf(error), { cause: error });
    }
  }

  async runner(...[fun, positional, keyword, named = USER]: Parameters<HostMaster["runner"]>) {
    const user = this.#user ?? named;
    const opts = await this.#opts();
    const [{ newJid }, { StreamedMap }, { eventStamp }] = await Promise.all([
      import("../../model/job/jid.ts"),
      import("../../model/loader/streamed_map.ts"),
      import("../../protocol/wire/event_frame.ts"),
    ]);
    const { clock } = this.#runtime;
    const jid = newJid(clock);
    // A return that is read entry by entry is in no event as a whole.
    let streamed: { whole: unknown } | undefined;
    let fired: Record<string, unknown> = {};
    const host = await this.#openRunner({
      runtime: this.#runtime,
      log: this.#log,
      opts,
      plugins: await this.#plugins(),
      isBrine: false,
      delimiter: ":",
      jid,
      user,
      screen: {
        quiet: false,
        async show(data) {
          if (data instanceof StreamedMap) streamed = { whole: await data.collect() };
        },
        line: () => {},
      },
      onReturn: (data) => fired = data,
    });
    try {
      const found = await host.find(fun);
      if (found === undefined) throw new CommandExecutionError(host.missing(fun, positional));
      const _stamp = eventStamp(clock.now());
      await host.run(found, fun, { positional, keyword: new Map(Object.entries(keyword)), user, tellsUser: true });
      return { ...fired, _stamp, ...(streamed === undefined ? {} : { return: streamed.whole }) };
    } finally {
      await host.close();
    }
  }

  async wheel(...[fun, positional, keyword]: Parameters<HostMaster["wheel"]>) {
    const opts = await this.#opts();
    const { callWheel } = await import("../../client/wheel.ts");
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

  async fire(tag: string, data: Record<string, unknown>) {
    const [opts, { sendToMasterBus }, { packEvent }] = await Promise.all([
      this.#opts(),
      import("../../model/event/bus_client.ts"),
      import("../../protocol/wire/event_frame.ts"),
    ]);
    const { clock } = this.#runtime;
    try {
      const bus = await sendToMasterBus(this.#runtime, this.#log, opts);
      await bus.send(packEvent(tag, data, { now: clock.now(), maxBytes: opts.max_event_size }));
      await bus.close();
    } catch (error) {
      this.#log.warning("event not sent", { tag, error: messageOf(error) });
    }
  }

  async *events(...[choice, wants, signal]: Parameters<HostMaster["events"]>) {
    const [opts, { hostEvents }] = await Promise.all([this.#opts(), import("./runner_events.ts")]);
    yield* hostEvents({ runtime: this.#runtime, opts }, choice, wants, signal);
  }
}
