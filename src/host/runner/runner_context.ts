/** The context of a runner: the master's jobs, files, pillar and keys on this host, and the running master if the runner asks for it. */
import { LocalClient } from "../../client/local_client.ts";
import { hasReturn } from "../../client/outcome.ts";
import { jobReport } from "../../client/verbs/job_report.ts";
import { callWheel } from "../../client/wheel.ts";
import type { PublishRequest } from "../../client/publish_request.ts";
import { messageOf } from "../../base/errors.ts";
import { type BusSender, sendToMasterBus } from "../../model/event/bus_client.ts";
import { runNew } from "../../model/event/tag.ts";
import { FileServer } from "../../content/fileserver/server.ts";
import { openFiles } from "../../content/fileserver/client.ts";
import { KeyDirectories } from "../master/keys/key_directories.ts";
import { masterId } from "../master/master_id.ts";
import { MinionCache } from "../master/minion_cache.ts";
import { tokenFiles } from "../master/access/tokens.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import { NO_MATCH } from "../../model/job/outcome.ts";
import { CommandExecutionError, type RunnerContext } from "../../model/loader/family.ts";
import type { RunnerRegistry } from "../../model/loader/custom_runners.ts";
import { previewTarget } from "../master/preview_target.ts";
import { str } from "../../language/python/values.ts";
import { eventStamp, packEvent } from "../../protocol/wire/event_frame.ts";
import { callExecutionFunction } from "./call_execution_function.ts";
import { JobSources, openRunnerJobCache } from "./job_sources.ts";
import { jobPublisher } from "./job_publisher.ts";
import { reactorAccess } from "./reactor_access.ts";
import { runnerEvents } from "./runner_events.ts";
import type { OpenRunner, RunnerHostOptions } from "./runner_host_options.ts";
import { runnerDocumentation, wheelDocumentation } from "./runner_registry.ts";
import { once } from "../../base/async/deferred.ts";
import { joinPath } from "../../base/paths.ts";
import type { AuditReader } from "../../model/loader/audit.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { searchAudit } from "../master/audit/search_audit.ts";
import { verifyAudit } from "../master/audit/verify_audit.ts";

/** Reads the audit log of the master on this host, whether it runs or not. */
export function auditReader({ fs, crypto }: Runtime, directory: string, pkiDir: string): AuditReader {
  const publicKey = () => {
    const path = joinPath(pkiDir, "master.pub");
    return fs.stat(path)?.kind === "file" ? crypto.loadPublicKey(fs.readText(path)) : undefined;
  };
  return {
    verify: (expected) =>
      verifyAudit({ fs, crypto, directory, key: publicKey(), ...expected === undefined ? {} : { expected } }),
    search: (filter) => searchAudit(fs, directory, filter),
  };
}

type Fire = (tag: string, data: Record<string, unknown>) => void;

export interface OpenRunnerContext {
  context: RunnerContext;
  jobs: JobCache;
  /** Fires an event on the master's bus; does nothing if no master is running. */
  fire: Fire;
  /** Ends all connections that were opened. */
  close(): Promise<void>;
}

/**
 * Opens the job cache and the bus; all other parts are opened when a runner first asks for them.
 *
 * @param openRunner opens what runs the runners that this runner calls
 */
export async function openRunnerContext(
  options: RunnerHostOptions,
  runners: RunnerRegistry,
  openRunner: OpenRunner,
): Promise<OpenRunnerContext> {
  const { runtime, log, opts, delimiter, jid, plugins } = options;
  const bus = await openBus(options);
  const fire: Fire = (tag, data) =>
    void bus?.send(packEvent(tag, data, { now: runtime.clock.now(), maxBytes: opts.max_event_size }), jid);
  const jobs = await openRunnerJobCache(options, options.isBrine);
  const sources = new JobSources(options, jobs);
  const client = lazyClient(options);
  const files = once(() => new FileServer({ runtime, log: log.child("fileserver"), opts, fire, fetches: true }));
  const fetched = once(() => openFiles({ runtime, log: log.child("files"), opts, request: undefined }));
  const pillar = once(() => plugins.openPillar(runtime, opts, log));
  const reactor = once(() => reactorAccess({ runtime, log, opts, plugins, openRunner, jid, fire }));
  const context: RunnerContext = {
    runtime,
    log,
    id: masterId(opts, runtime.host.hostname()),
    jid,
    opts,
    jobs,
    jobsFrom: (source) => sources.find(source),
    ask: async (command, load) => await (await client.open()).ask(command, load),
    makeToken: async (credentials) => await (await client.open()).send({ ...credentials, cmd: "mk_token" }),
    deleteToken: (token) => tokenFiles(runtime, log, opts).remove(token),
    minions: new MinionCache(runtime.fs, log, opts.cachedir),
    documentation: async (of) =>
      of === "wheel" ? await wheelDocumentation(await plugins.wheels()) : await runnerDocumentation(runners, ""),
    callFunction: (fun, positional, keyword) =>
      callExecutionFunction({ ...options, openRunner }, fun, positional, keyword),
    get files() {
      return files();
    },
    get fetched() {
      return fetched();
    },
    get pillar() {
      return pillar();
    },
    get reactor() {
      return reactor();
    },
    audit: auditReader(runtime, opts.audit_dir, opts.pki_dir),
    accepted: () => new KeyDirectories(runtime.fs, runtime.crypto, opts.pki_dir).list("accepted"),
    expand: (target) => previewTarget({ runtime, log, delimiter }, opts, target),
    expandKnown(target) {
      try {
        return previewTarget({ runtime, log, delimiter }, opts, target, { greedy: false });
      } catch (error) {
        log.debug("target cannot be expanded", { error: messageOf(error) });
        return [];
      }
    },
    wheel: async (fun, args, keyword) => await runWheel(await client.open(), fun, args, keyword),
    command: async (request, how) => await runCommand(await client.open(), options, request, how),
    jobPublisher: jobPublisher(client.open, {
      gatherMs: opts.gather_job_timeout * 1000,
      cause: jid,
      expand: (target) => Promise.resolve(context.expand(target)),
      async record(of) {
        const { runner } = await runners.jobs!();
        const args = { jid: of, ext_source: null, display_progress: false };
        return jobReport(of, await runner.functions.list_job!.run(context, args));
      },
    }),
    fire: (tag, data) => Promise.resolve(fire(tag, data)),
    ...screenOf(options, fire),
    events: (choice, wants) =>
      runnerEvents({ runtime, opts, skip: runNew(jid), bounded: options.reserved === true }, choice, wants),
  };
  const close = async () => {
    await bus?.close();
    await client.close();
    await sources.close();
    await jobs.close();
  };
  return { context, jobs, fire, close };
}

/** The bus of the master on this host; undefined if none is running. */
async function openBus({ runtime, log, opts }: RunnerHostOptions): Promise<BusSender | undefined> {
  try {
    return await sendToMasterBus(runtime, log, opts);
  } catch {
    log.debug("no master is running: events of the runner are dropped");
    return undefined;
  }
}

/** The client of the master on this host, connected when a runner first asks for it. */
function lazyClient({ runtime, log, opts }: RunnerHostOptions) {
  let client: LocalClient | undefined;
  return {
    open: async () => client ??= await LocalClient.open({ runtime, log, opts, checked: false }),
    close: async () => await client?.close(),
  };
}

/** Makes the master run a wheel function. */
async function runWheel(
  client: LocalClient,
  fun: string,
  args: unknown[],
  keyword: Record<string, unknown> = {},
): Promise<unknown> {
  const { data } = await callWheel(client, {
    fun,
    kwarg: { arg: args, kwarg: keyword },
    credentials: client.ownCredentials,
  });
  if (data.success !== false) return data.return;
  throw new CommandExecutionError(`Wheel function ${fun} failed: ${str(data.return)}`);
}

/** Runs a job on minions: id → return; undefined if no minion matches. */
async function runCommand(
  client: LocalClient,
  { opts, screen, jid }: RunnerHostOptions,
  request: PublishRequest,
  how: { timeoutMs?: number; gatherMs?: number } = {},
): Promise<Record<string, unknown> | undefined> {
  const returns: Record<string, unknown> = {};
  let matched = false;
  const collect = {
    timeoutMs: how.timeoutMs ?? opts.timeout * 1000,
    gatherMs: how.gatherMs ?? opts.gather_job_timeout * 1000,
  };
  for await (const outcome of client.run({ ...request, origin: { cause: jid } }, collect)) {
    matched = true;
    if (hasReturn(outcome)) returns[outcome.id] = outcome.return;
  }
  if (matched) return returns;
  screen.line(NO_MATCH);
  return undefined;
}

/** Returns the functions with which a runner shows progress and lines, on the bus and on the screen. */
function screenOf({ runtime, jid, screen }: RunnerHostOptions, fire: Fire) {
  return {
    async progress(data: Record<string, unknown>) {
      fire(`salt/run/${jid}/progress`, data);
      const event = { ...data, _stamp: eventStamp(runtime.clock.now()) };
      const own = typeof data.outputter === "string" ? data.outputter : undefined;
      if (!screen.quiet) await screen.show({ suffix: "progress", event }, own);
    },
    print(line: string) {
      if (!screen.quiet) screen.line(line);
    },
    write: (line: string) => screen.line(line),
  };
}
