import { type Reply, type Request, type RequestHandler, WithheldReply } from "../../protocol/channel/req_server.ts";
import { hostOf } from "../../protocol/zmtp/mod.ts";
import { coversAllEvents } from "../../model/event/tag.ts";
import type { Logger } from "../../base/log.ts";
import { NotTakenError } from "../../feature/supervise/worker_queue.ts";
import { WorkerError } from "../../feature/supervise/worker_pool.ts";
import { answerFileCommand, FILE_COMMANDS } from "../../content/fileserver/server.ts";
import { Float } from "../../protocol/wire/msgpack.ts";
import { fileReceive, masterOpts } from "./commands/files.ts";
import {
  clusterStatus,
  connected,
  engineStatus,
  jobCounters,
  jobDequeue,
  jobOutcomes,
  minionJobs,
  openJobs,
} from "./commands/jobs.ts";
import { keyRotation } from "./commands/minion_key_rotation.ts";
import { mineDelete, mineFlush, mineGet, mineStore } from "./commands/mine.ts";
import { minionEvent } from "./commands/minion_event.ts";
import { minionPub, minionPublish, publishedReturns, revokeAuth } from "./commands/peer.ts";
import { pillarCommand, type PillarCompiles } from "./commands/pillar.ts";
import { publish, publishPreview } from "./commands/publish.ts";
import { jobReturned } from "./commands/return.ts";
import { minionRunner, runnerCommand } from "./commands/runner.ts";
import { syndicReturned } from "./commands/syndic.ts";
import { wheelCommand } from "./commands/wheel.ts";
import { proofOf } from "./access/callers.ts";
import type { Audit } from "./audit/audit.ts";
import { isRecord, type Load } from "./load.ts";
import type { MasterServices } from "./services.ts";

/** A command of the request server: load in, value of the reply out. */
type Command = (services: MasterServices, load: Load, minion: string | undefined) => unknown;

/** Makes a token for a caller that authenticates; answers every other caller with empty text, as in Salt. */
async function makeToken({ externalAuth }: MasterServices, load: Load): Promise<unknown> {
  const token = await externalAuth.makeToken(load);
  return token === undefined ? "" : { ...token, start: new Float(token.start), expire: new Float(token.expire) };
}

/** Tells whether the owner of a token may read every event, so that a gateway knows what to hide from a listener. */
async function eventRights({ externalAuth }: MasterServices, { token }: Load): Promise<{ all: boolean }> {
  const known = await externalAuth.byToken(token);
  return { all: known !== undefined && coversAllEvents(known.permissions) };
}

/** Answers with the SLS files of the minion that asks. It is known by its key: the id in its options may belong to another minion. */
function masterTops({ tops }: MasterServices, { opts }: Load, minion: string | undefined): unknown {
  return minion === undefined ? {} : tops.of(minion, isRecord(opts) ? opts : {});
}

/** Clear commands. Each authenticates its caller by the credentials in its load: nothing else proves who sent it. */
export const CLEAR_COMMANDS: Record<string, Command> = {
  ping: (_services, load) => load,
  publish,
  publish_preview: publishPreview,
  get_token: ({ tokens }, load) => load.token === undefined ? false : tokens.get(load.token) ?? {},
  mk_token: makeToken,
  event_rights: eventRights,
  // The holder of a token may revoke it.
  del_token: ({ tokens }, load) => tokens.remove(load.token),
  job_outcomes: jobOutcomes,
  job_dequeue: jobDequeue,
  job_counters: jobCounters,
  open_jobs: openJobs,
  connected,
  engine_status: engineStatus,
  cluster_status: clusterStatus,
  runner: runnerCommand,
  wheel: wheelCommand,
};

/** Commands of authenticated minions. */
export const AES_COMMANDS: Record<string, Command> = {
  verify_minion: () => "",
  _master_tops: masterTops,
  _master_opts: masterOpts,
  _mine_get: mineGet,
  _mine: mineStore,
  _mine_delete: mineDelete,
  _mine_flush: mineFlush,
  _file_recv: fileReceive,
  _minion_event: minionEvent,
  _return: jobReturned,
  _jobs: minionJobs,
  _syndic_return: syndicReturned,
  minion_runner: minionRunner,
  pub_ret: publishedReturns,
  minion_pub: minionPub,
  minion_publish: minionPublish,
  revoke_auth: revokeAuth,
  _key_rotation: keyRotation,
  ...Object.fromEntries(
    Object.keys(FILE_COMMANDS).map((name): [string, Command] => [
      name,
      ({ files, heavyFiles, metrics, log }, load) => {
        const answer = answerFileCommand(name, files, load, heavyFiles);
        if (name === "_serve_file") return metrics.sent(answer);
        return answer instanceof Promise ? answer.catch((error) => Promise.reject(withheld(error, log))) : answer;
      },
    ]),
  ),
};

/** All commands that there are, for counting requests. */
export const COMMANDS: ReadonlySet<string> = new Set([
  "_auth",
  "_pillar",
  ...Object.keys(CLEAR_COMMANDS),
  ...Object.keys(AES_COMMANDS),
]);

/**
 * Returns the error of a failed request about files. A request that no worker could answer gets no reply, and the minion asks again: an
 * empty reply would say that there is no such file.
 */
function withheld(error: unknown, log: Logger): Error {
  if (error instanceof WorkerError) log.error("request about files not answered", { error: error.message });
  if (error instanceof WorkerError || error instanceof NotTakenError) return new WithheldReply(error.message);
  return error as Error;
}

/** Commands whose work is traced as part of a job: a span of the request beside that would cost as much again. */
export const JOB_COMMANDS: ReadonlySet<string> = new Set(["publish", "_return", "_jobs"]);

/** Commands whose replies contain bytes that nothing else refers to. */
const READ_ONCE: ReadonlySet<string> = new Set(["_serve_file"]);

/**
 * The two tables as the channel calls them; an unknown command is answered with an empty map, as in Salt.
 *
 * @param current asked once for each request
 */
export function requestHandler(current: () => MasterServices, compilePillar: PillarCompiles): RequestHandler {
  // Not an async function: a thousand returns wait here at once, and each additional promise is garbage.
  const call = (table: Record<string, Command>, { load, minion }: Request): Reply | Promise<Reply> => {
    const services = current();
    const name = load.cmd as string;
    if (!Object.hasOwn(table, name)) {
      services.log.warning("unknown command", { cmd: name, minion });
      return { value: {} };
    }
    const value = table[name]!(services, load, minion);
    const once = READ_ONCE.has(name);
    return value instanceof Promise ? value.then((value) => ({ value, once })) : { value, once };
  };
  const audited = (request: Request, run: () => Reply | Promise<Reply>): Reply | Promise<Reply> => {
    const { audit, callers } = current();
    const { load, remote } = request;
    if (audit === undefined) return run();
    const credentials = load.cmd === "publish" && isRecord(load.kwargs) ? load.kwargs : load;
    const caller = () => callers.identified(credentials);
    return audit.clear(load, hostOf(remote), caller, async () => (await run()).value).then((value) => ({ value }));
  };
  const auditedPeer = async (audit: Audit, request: Request): Promise<Reply> => {
    const { load, minion, remote } = request;
    return {
      value: await audit.sealed(load, minion, hostOf(remote), async () => (await call(AES_COMMANDS, request)).value),
    };
  };
  return {
    clear: (request) => audited(request, () => call(CLEAR_COMMANDS, request)),
    vouches(fields) {
      const { tokens, callers } = current();
      return proofOf(fields) === "token"
        ? tokens.get(fields.token) !== undefined
        : callers.byKey(fields.user, fields.key) !== undefined;
    },
    aes(request) {
      const { audit } = current();
      if (audit?.records(request.load.cmd)) return auditedPeer(audit, request);
      if (request.load.cmd !== "_pillar") return call(AES_COMMANDS, request);
      return pillarCommand(current(), request.load, request.sender, compilePillar)
        .then((value) => ({ value: value === false ? {} : value, private: true }));
    },
  };
}
