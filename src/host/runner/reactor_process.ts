/** The reactor of a master: a process that follows its bus and calls what reacts, with the key of the master's user. */
import { type Deferred, deferred } from "../../base/async/deferred.ts";
import { callWheel, LocalClient, type PublishRequest, startRunner } from "../../client/mod.ts";
import { OwnKey } from "../../client/own_key.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { joinPath } from "../../base/paths.ts";
import { messageOf } from "../../base/errors.ts";
import { type BusEvent, OWN_BUS } from "../../model/event/bus.ts";
import { followBus } from "../../model/event/follow_bus.ts";
import { compileReactions } from "../../feature/reactor/compile_reactions.ts";
import { LoopGuard } from "../../feature/reactor/loop_guard.ts";
import { type ReactionClients, Reactor } from "../../feature/reactor/reactor.ts";
import { ReactionJournal, type TakenEvent } from "../../feature/reactor/reaction_journal.ts";
import { ReactorManager } from "../../feature/reactor/reactor_manager.ts";
import { ReactorRules } from "../../feature/reactor/reactor_rules.ts";
import { inlineNodegroups } from "../../model/target/nodegroup.ts";
import type { PartHandlers } from "../../feature/supervise/serve_part.ts";
import { Rendering } from "../../model/loader/rendering.ts";
import { callContext } from "../../model/loader/template_functions.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { callExecutionFunction, openOwnMinion } from "./call_execution_function.ts";
import { RunnerHost } from "./runner_host.ts";
import { signatureOnMaster } from "./reactor_access.ts";
import { decode } from "../../protocol/wire/msgpack.ts";
import { parseYaml } from "../../language/yaml/document.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";

/** The data that the process gets beside the master's options. */
export interface ReactorConfig {
  opts: MasterOpts;
  /** False if the master has run for a while: the process does not react to earlier events. */
  fromStart: boolean;
}

/** The most publications that the reactor sends to the master at a time. */
const LANES = 16;
const RUN_END = /^salt\/run\/(\d{20})\/ret$/;

export async function openMasterReactor(
  runtime: Runtime,
  config: ReactorConfig,
  log: Logger,
  plugins: RunnerPlugins,
): Promise<PartHandlers> {
  const process = new ReactorProcess(runtime, config, log.child("reactor"), plugins);
  await process.open();
  return { renew: (body) => process.renew((decode(body, { mode: "bin" }) as unknown as ReactorConfig).opts) };
}

class ReactorProcess {
  readonly #runtime: Runtime;
  readonly #plugins: RunnerPlugins;
  readonly #log: Logger;
  readonly #fromStart: boolean;
  readonly #journal: ReactionJournal;
  readonly #reactor: Reactor;
  readonly #manager: ReactorManager;
  /** The runners of reactions that have not ended, by their jids. */
  readonly #runners = new Map<string, Deferred<void>>();
  #opts: MasterOpts;
  #client: Promise<LocalClient> | undefined;
  #minion: { made: ReturnType<typeof openOwnMinion>; atMs: number } | undefined;

  constructor(runtime: Runtime, { opts, fromStart }: ReactorConfig, log: Logger, plugins: RunnerPlugins) {
    this.#plugins = plugins;
    this.#runtime = runtime;
    this.#log = log;
    this.#opts = opts;
    this.#fromStart = fromStart;
    const { fs, clock, crypto } = runtime;
    const { journal, left } = ReactionJournal.open({
      fs,
      log,
      path: joinPath(opts.cachedir, "reactor", "journal"),
      later: (call) => runtime.later(call),
    });
    this.#journal = journal;
    nameLeft(log, left);
    this.#reactor = new Reactor({
      log,
      now: () => clock.now(),
      journal,
      rules: this.#rules(),
      guard: new LoopGuard({ elapsed: () => clock.elapsed(), limit: opts.reactor_loop_limit }),
      clients: this.#clients(),
      compile: async (event, references) => {
        const { context, functions } = await this.#ownMinion();
        const host = callContext({ functions, context: () => context });
        const rendering = new Rendering(host, { isOfRun: true });
        return await compileReactions({ fs, files: context.files, rendering }, event, references);
      },
      signatureOf: (type, fun) => signatureOnMaster(this.#host)(type, fun),
      threads: opts.reactor_worker_threads,
      most: opts.reactor_worker_hwm,
    });
    this.#manager = new ReactorManager({
      log,
      clock,
      crypto,
      reactor: this.#reactor,
      id: opts.id,
      key: () => new OwnKey(runtime, this.#opts.cachedir, this.#opts.user).value,
      fire: (tag, data) => this.#fire(tag, data),
    });
  }

  async open(): Promise<void> {
    void this.#reactor.run();
    void this.#follow();
    // Load now what the first reaction would otherwise wait for.
    const { context, functions } = await this.#ownMinion();
    new Rendering(callContext({ functions, context: () => context }), { isOfRun: true });
  }

  /** Takes options of a configuration that was read again. */
  renew(opts: MasterOpts): void {
    const before = JSON.stringify(this.#opts.reactor);
    this.#opts = opts;
    this.#minion = undefined;
    if (JSON.stringify(opts.reactor) === before) return;
    this.#reactor.rules = this.#rules();
    this.#log.info("reactors reloaded", { reactors: this.#reactor.rules.list().length });
  }

  get #host() {
    return { runtime: this.#runtime, log: this.#log, opts: this.#opts, plugins: this.#plugins };
  }

  #rules(): ReactorRules {
    const { fs } = this.#runtime;
    return new ReactorRules({
      fs,
      log: this.#log,
      parse: (text) => parseYaml(text).value,
      reactor: this.#opts.reactor,
    });
  }

  /** Listens to the master's bus, from where the process before this one has stopped. */
  #follow(): Promise<never> {
    const { net, clock } = this.#runtime;
    return followBus({
      net,
      clock,
      own: { kind: "unix", path: joinPath(this.#opts.sock_dir, OWN_BUS) },
      fromStart: this.#fromStart,
      last: () => this.#journal.last,
      begin: (boot, n) => this.#journal.mark(boot, n),
      take: (event, { boot, n }) => this.#take(event, boot, n),
      missed: (missed) =>
        this.#log.error("events not handled: the reactor did not read events for a while", { missed }),
      lost: (after) => this.#log.error("events not handled: the master no longer has them", { after }),
    });
  }

  #take(event: BusEvent, boot: string, n: number): void {
    const [, jid] = RUN_END.exec(event.tag) ?? [];
    if (jid !== undefined) this.#runners.get(jid)?.resolve();
    if (this.#manager.take(event)) return;
    this.#reactor.take(event, { boot, n });
  }

  /** The clients live as long as this process: they have no listeners of their own. */
  #connected(): Promise<LocalClient> {
    return this.#client ??= LocalClient.open({
      runtime: this.#runtime,
      log: this.#log,
      opts: this.#opts,
      checked: false,
      listens: false,
      lanes: LANES,
    });
  }

  #clients(): ReactionClients {
    const { clock } = this.#runtime;
    return {
      local: async ({ fun, arg, kwarg, job }, reaction) => {
        const client = await this.#connected();
        const named = Object.keys(kwarg).length === 0 ? {} : { kwarg };
        // Expand node groups as Salt's clients do: minions do not know them.
        const { tgt, tgt_type = "glob" } = job!;
        const target = inlineNodegroups({ tgt, tgt_type }, this.#opts.nodegroups);
        const request = { ...job!, ...Array.isArray(tgt) ? {} : target, fun, arg, ...named, origin: { reaction } };
        const published = await client.publish(request as PublishRequest);
        if (published !== undefined) return { jid: published.jid, minions: published.minions };
        this.#log.info("no minions matched the target of a reaction", { ...reaction, tgt: job!.tgt });
        return { minions: [] };
      },
      runner: async ({ fun, arg, kwarg }, reaction) => {
        const client = await this.#connected();
        const { jid } = await startRunner(client, {
          fun,
          arg,
          kwarg,
          credentials: client.ownCredentials,
          origin: { reaction },
        });
        const ended = deferred<void>();
        this.#runners.set(jid, ended);
        return { jid, ended: ended.promise.finally(() => this.#runners.delete(jid)) };
      },
      wheel: async ({ fun, arg, kwarg }, reaction) => {
        const client = await this.#connected();
        const { data } = await callWheel(client, {
          fun,
          kwarg: { arg, kwarg },
          credentials: client.ownCredentials,
          origin: { reaction },
        });
        return { jid: String(data.jid) };
      },
      caller: async ({ fun, arg, kwarg }) => {
        const screen = {
          line: (text: string) => this.#log.info("output of a reaction", { fun, text, at: clock.now() }),
        };
        await callExecutionFunction({ ...this.#host, openRunner: RunnerHost.open, screen }, fun, arg, kwarg);
        return {};
      },
    };
  }

  /** Grains and modules of this host for templates; refreshed after `reactor_refresh_interval`. */
  #ownMinion(): ReturnType<typeof openOwnMinion> {
    const { clock } = this.#runtime;
    const { reactor_refresh_interval: seconds } = this.#opts;
    if (this.#minion !== undefined && clock.elapsed() - this.#minion.atMs < seconds * 1000) return this.#minion.made;
    const made = openOwnMinion({
      ...this.#host,
      openRunner: RunnerHost.open,
      screen: { line: (text) => this.#log.info("output of a template", { text }) },
    });
    this.#minion = { made, atMs: clock.elapsed() };
    return made;
  }

  async #fire(tag: string, data: Record<string, unknown>): Promise<void> {
    const [{ sendToMasterBus }, { packEvent }] = await Promise.all([
      import("../../model/event/bus_client.ts"),
      import("../../protocol/wire/event_frame.ts"),
    ]);
    const { clock } = this.#runtime;
    try {
      const bus = await sendToMasterBus(this.#runtime, this.#log, this.#opts);
      bus.send(packEvent(tag, data, { now: clock.now(), maxBytes: this.#opts.max_event_size }));
      await bus.close();
    } catch (error) {
      this.#log.error("event of the reactor not sent", { tag, error: messageOf(error) });
    }
  }
}

/** The most events that one record of the log names: their tags take some 50 kilobytes. */
const MAX_NAMED = 1000;

/**
 * Logs the events that the previous process did not handle to the end: they are not handled again. One record names them all, since a log
 * leaves out records that come too often.
 */
function nameLeft(log: Logger, left: readonly TakenEvent[]): void {
  const [none, some] = [
    left.filter(({ called }) => called.length === 0),
    left.filter(({ called }) => called.length > 0),
  ];
  const named = (events: readonly TakenEvent[], text: (event: TakenEvent) => string) => ({
    count: events.length,
    events: events.slice(0, MAX_NAMED).map(text).join(", "),
  });
  if (none.length > 0) {
    log.error(
      "events not handled: the reactor stopped before it called their reactions",
      named(none, ({ tag, stamp }) => `${tag} at ${stamp}`),
    );
  }
  if (some.length > 0) {
    log.error(
      "events perhaps not fully handled: the reactor stopped while it called their reactions",
      named(some, ({ tag, stamp, called }) => `${tag} at ${stamp} (called: ${called.join(", ")})`),
    );
  }
}
