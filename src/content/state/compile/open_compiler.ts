import { Rendering, type RenderingHost, templateText } from "../../../model/loader/rendering.ts";
import type { JobContext } from "../../../model/loader/context.ts";
import { messageOf } from "../../../base/errors.ts";
import { entriesOf, isMap } from "../../../language/python/containers.ts";
import { str } from "../../../language/python/repr.ts";
import { truthy } from "../../../language/python/truth.ts";
import { matchTopTarget } from "../../../model/target/top_target.ts";
import { PatternCache } from "../../../model/target/patterns.ts";
import type { Subject } from "../../../model/target/target.ts";
import type { FetchedSls } from "./state_files.ts";
import { StateCompiler } from "./state_compiler.ts";
import type { MatchTarget } from "./top_matches.ts";

/** What compiling needs of a job: its context, with the options and the pillar of the call in it. */
export type CompilerHost = RenderingHost & Pick<JobContext, "master">;

/**
 * The compiler of one call.
 *
 * @param host with the options of {@link stateOptions}, `saltenv` of the call among them
 * @param context further names for all templates (`context` of a call)
 */
export function openStateCompiler(host: CompilerHost, context?: Readonly<Record<string, unknown>>): StateCompiler {
  const { runtime, opts, files, log } = host;
  const rendering = new Rendering(host);
  const render = async (file: FetchedSls) =>
    await rendering.renderSls({
      ...file,
      source: templateText(runtime.fs.read(file.path), file.path),
      ...(context === undefined ? {} : { context }),
    });
  return new StateCompiler({ opts, files, log, render, match: minionMatch(host), masterTops: () => masterTops(host) });
}

/** Matches targets of top files as this minion does, with the node groups of its master. */
function minionMatch({ opts, grains, pillar, call }: CompilerHost): MatchTarget {
  const patterns = new PatternCache();
  const subject: Subject = {
    id: str(opts.id ?? grains.id ?? ""),
    grains,
    pillar,
    nodegroups: isMap(opts.nodegroups) ? Object.fromEntries(entriesOf(opts.nodegroups)) : {},
  };
  return async (tgt, type) => {
    // Only the execution module knows the data store.
    if (type === "data") return truthy(await call("match.data", [tgt]));
    return matchTopTarget(tgt, type, subject, patterns);
  };
}

/**
 * Asks the master what its `master_tops` have for this minion. A master gets the minion's options, among them its grains.
 *
 * @see salt/fileclient.py RemoteClient.master_tops
 */
async function masterTops({ opts, grains, master, log }: CompilerHost): Promise<unknown> {
  if (master === undefined || opts.file_client === "local") return {};
  try {
    return await master.request({ cmd: "_master_tops", id: opts.id, opts: { ...opts, grains } });
  } catch (error) {
    log.warning("the master does not send its master_tops: using none", { error: messageOf(error) });
    return {};
  }
}
