/** The reactor of a minion: the engine `reactor` beside it. It reacts to the minion's own bus, and calls functions of this host. */
import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { reactorOpts } from "../../model/config/requested_reactor.ts";
import { messageOf } from "../../base/errors.ts";
import { BusEvent } from "../../model/event/bus.ts";
import { type BusSender, sendToBus } from "../../model/event/bus_client.ts";
import { compileReactions } from "../../feature/reactor/compile_reactions.ts";
import { LoopGuard } from "../../feature/reactor/loop_guard.ts";
import { type ReactionCall, ReactionError } from "../../feature/reactor/reaction_call.ts";
import { type ReactionClients, Reactor } from "../../feature/reactor/reactor.ts";
import { ReactorRules } from "../../feature/reactor/reactor_rules.ts";
import { newJid } from "../../model/job/jid.ts";
import type { Context, MasterLink } from "../../model/loader/family.ts";
import type { FunctionTable } from "../../model/loader/loader.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { EngineContext, EngineModule } from "../../model/loader/engines.ts";
import { Rendering } from "../../model/loader/rendering.ts";
import { callContext } from "../../model/loader/template_functions.ts";
import { localSockets } from "../minion/local_bus.ts";
import { callFunction } from "../minion/processes/execute_job.ts";
import type { OwnMinion } from "./call_execution_function.ts";
import { eventStamp, packEvent } from "../../protocol/wire/event_frame.ts";
import { parseYaml } from "../../language/yaml/document.ts";
import { ofMinion } from "./engine_host.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";

/** Functions of this host as reactions call them, with its master behind them if it has one. */
interface HostFunctions {
  functions: FunctionTable;
  base: Context;
  /** Closes the connections of the signed-in minion. */
  close(): Promise<void>;
}

/** The parts that the program gives to the reactor of a minion. */
interface MinionReactorParts {
  plugins: RunnerPlugins;
  /** Signs in as this host's minion. */
  openFunctions(host: { runtime: Runtime; log: Logger; opts: MinionOpts }): Promise<HostFunctions>;
}

/** The engine `reactor` of minions. @see salt/engines/reactor.py */
export function minionReactor(parts: MinionReactorParts): EngineModule {
  return {
    signature: "refresh_interval=None, worker_threads=None, worker_hwm=None",
    doc:
      "Reacts to the events of the minion's own bus: renders the SLS files of the option reactor, and calls functions of this host.",
    async start(engine, settings) {
      const { opts, mistakes } = reactorOpts({ ...engine.opts, id: engine.id, engines: [{ reactor: settings }] });
      if (mistakes[0] !== undefined) throw new TypeError(mistakes[0]);
      await new MinionReactor(engine, opts as unknown as MinionOpts, parts).run();
    },
  };
}

/** Returns the text that identifies an event of this reactor when the bus brings it back. */
const keyOf = (tag: string, stamp: unknown) => `${stamp} ${tag}`;
/** The maximum of fired events that have not come back from the bus: about a megabyte. */
const MAX_FIRED = 10_000;

function needsMaster(type: string): ReactionError {
  return new ReactionError(
    `${type} needs a master, and this is the reactor of a minion. Call a function of this host with caller, ` +
      "or send an event to the master's reactor (caller.event.send)",
  );
}

class MinionReactor {
  readonly #engine: EngineContext;
  readonly #opts: MinionOpts;
  readonly #parts: MinionReactorParts;
  readonly #reactor: Reactor;
  readonly #refreshMs: number;
  /** Events that functions of reactions have fired here → the jid of the reaction. */
  readonly #fired = new Map<string, string>();
  #templates: { made: Promise<Templates>; atMs: number } | undefined;
  #caller: Caller | undefined;
  #bus: Promise<BusSender> | undefined;

  constructor(engine: EngineContext, opts: MinionOpts, parts: MinionReactorParts) {
    this.#parts = parts;
    this.#engine = engine;
    this.#opts = opts;
    this.#refreshMs = opts.reactor_refresh_interval * 1000;
    const { log, runtime: { fs, clock } } = engine;
    this.#reactor = new Reactor({
      log,
      now: () => clock.now(),
      rules: new ReactorRules({ fs, log, parse: (text) => parseYaml(text).value, reactor: opts.reactor }),
      guard: new LoopGuard({ elapsed: () => clock.elapsed(), limit: opts.reactor_loop_limit }),
      clients: this.#clients(),
      compile: async (event, references) => {
        const { context, rendering } = await this.#rendering();
        return await compileReactions({ fs, files: context.files, rendering }, event, references);
      },
      signatureOf: (type) => Promise.reject(needsMaster(type)),
      threads: opts.reactor_worker_threads,
      most: opts.reactor_worker_hwm,
    });
  }

  /** Reacts to events until the engine must end. */
  async run(): Promise<void> {
    const { rules, record } = this.#reactor;
    if (rules.list().length === 0) this.#engine.log.warning("the option reactor of this minion names no SLS files");
    const work = this.#reactor.run();
    for await (const { tag, data } of this.#engine.events((tag) => rules.for(tag).length > 0)) {
      const key = keyOf(tag, data._stamp);
      this.#reactor.take(BusEvent.fromData(tag, data, this.#fired.get(key)));
      this.#fired.delete(key);
      this.#engine.report({ ...record.counts });
    }
    this.#reactor.close();
    await work;
  }

  #clients(): ReactionClients {
    return {
      local: () => Promise.reject(needsMaster("local")),
      runner: () => Promise.reject(needsMaster("runner")),
      wheel: () => Promise.reject(needsMaster("wheel")),
      // The event of a function may come back before the function has ended.
      caller: (call, { tag, sls, id }) => {
        const jid = newJid(this.#engine.runtime.clock);
        const ended = this.#call(call, jid).catch((error: unknown) =>
          this.#engine.log.error("reaction failed", { tag, sls, reaction: id, fun: call.fun, error: messageOf(error) })
        );
        return Promise.resolve({ jid, ended });
      },
    };
  }

  async #call({ fun, arg, kwarg }: ReactionCall, jid: string): Promise<void> {
    const caller = this.#openCaller();
    caller.running++;
    try {
      const { functions, base } = await caller.made;
      const named = Object.keys(kwarg).length === 0 ? [] : [{ __kwarg__: true, ...kwarg }];
      const master = { ...base.master ?? this.#noMaster(jid), fireLocal: this.#firing(jid) };
      const context = () => ({ ...base, master });
      await callFunction({ functions, context, load: { fun, arg: [...arg, ...named], jid }, published: {} });
    } finally {
      caller.running--;
      this.#closeUnused(caller);
    }
  }

  /** Stands for the master in functions of a minion without one: only the minion's own bus. */
  #noMaster(jid: string): MasterLink {
    const fireLocal = this.#firing(jid);
    return {
      fireLocal,
      fireEvent: (tag, data) => {
        fireLocal(tag, data);
        return Promise.resolve(true);
      },
      request: ({ cmd }) => Promise.reject(new ReactionError(`${cmd} needs a master, and this minion has none`)),
    };
  }

  /** Fires on the minion's bus, and remembers for whom, so that a reaction which causes its own event is found. */
  #firing(jid: string): MasterLink["fireLocal"] {
    return (tag, data) => {
      const { runtime: { clock }, log } = this.#engine;
      const _stamp = eventStamp(clock.now());
      if (this.#fired.size >= MAX_FIRED) this.#fired.delete(this.#fired.keys().next().value!);
      this.#fired.set(keyOf(tag, _stamp), jid);
      this.#send(packEvent(tag, { ...data, _stamp })).catch((error: unknown) => {
        log.error("event of a reaction not sent", { tag, error: messageOf(error) });
      });
    };
  }

  async #send(event: Uint8Array): Promise<void> {
    const { runtime } = this.#engine;
    this.#bus ??= sendToBus(runtime.net, localSockets(runtime, this.#opts, this.#engine.id).pull);
    const bus = await this.#bus.catch((error: unknown) => {
      this.#bus = undefined;
      throw error;
    });
    bus.send(event);
  }

  /** The functions of this host, with its master behind them if it has one; those of a signed-in minion are kept for a while. */
  #openCaller(): Caller {
    const { runtime, log } = this.#engine;
    const now = runtime.clock.elapsed();
    const before = this.#caller;
    if (before !== undefined && now - before.atMs < this.#refreshMs) return before;
    const made = this.#parts.openFunctions({ runtime, log, opts: { ...this.#opts } });
    const caller: Caller = { made, atMs: now, running: 0 };
    // The next reaction tries to log in again.
    caller.made.catch(() => void (this.#caller === caller && (this.#caller = undefined)));
    this.#caller = caller;
    runtime.clock.after(this.#refreshMs, () => {
      if (this.#caller === caller) this.#caller = undefined;
      this.#closeUnused(caller);
    });
    if (before !== undefined) this.#closeUnused(before);
    return caller;
  }

  /** Closes signed-in minions that no reaction uses any more. */
  #closeUnused(caller: Caller): void {
    if (caller === this.#caller || caller.running > 0 || caller.closed) return;
    caller.closed = true;
    caller.made.then((functions) => functions.close()).catch(() => {});
  }

  /** Templates see this host without its master, as in Salt: `salt://` is its own file_roots. */
  #rendering(): Promise<Templates> {
    const { runtime, log } = this.#engine;
    const now = runtime.clock.elapsed();
    const before = this.#templates;
    if (before !== undefined && now - before.atMs < this.#refreshMs) return before.made;
    const make = async () => {
      const opts = { ...this.#opts, file_client: "local" };
      const { functions, context } = await ofMinion({
        runtime,
        log,
        opts,
        role: "minion",
        id: this.#engine.id,
        plugins: this.#parts.plugins,
      });
      return {
        context,
        rendering: new Rendering(callContext({ functions, context: () => context }), { isOfRun: true }),
      };
    };
    const made = make();
    this.#templates = { made, atMs: now };
    return made;
  }
}

interface Caller {
  made: Promise<HostFunctions>;
  atMs: number;
  /** The calls that have not ended. */
  running: number;
  closed?: boolean;
}

/** The context that SLS files are rendered with. */
interface Templates {
  context: OwnMinion["context"];
  rendering: Rendering;
}
