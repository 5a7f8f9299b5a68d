import { Rendering, type RenderingHost, templateText } from "../../../model/loader/rendering.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { messageOf } from "../../../base/errors.ts";
import { entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { customMatchers } from "../../../model/loader/custom_matchers.ts";
import { matchTopTarget } from "../../../model/target/match.ts";
import { PatternCache } from "../../../model/target/patterns.ts";
import type { Subject } from "../../../model/target/target.ts";
import type { FetchedSls } from "./state_files.ts";
import { StateCompiler } from "./state_compiler.ts";
import type { MatchTarget } from "./top_matches.ts";

/** The context of a job that compiles states; its options and pillar are those of the call. */
type CompilerHost = RenderingHost & Pick<JobContext, "master">;

/**
 * Opens the compiler for one call.
 *
 * @param host its options are those of {@link stateOptions}, with the `saltenv` of the call
 * @param context additional names for all templates (`context` of a call)
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

/** Returns a function that matches targets of top files for this minion, with the node groups of its master. */
function minionMatch(host: CompilerHost): MatchTarget {
  const { opts, grains, pillar, call } = host;
  const patterns = new PatternCache();
  const subject: Subject = {
    id: str(opts.id ?? grains.id ?? ""),
    grains,
    pillar,
    nodegroups: isMap(opts.nodegroups) ? Object.fromEntries(entriesOf(opts.nodegroups)) : {},
  };
  const custom = customMatchers(host, subject.nodegroups ?? {});
  return async (tgt, type, items) => {
    const decided = await custom(tgt, type, items);
    if (decided !== undefined) return decided;
    // The data store is known only to the execution module.
    if (type === "data") return truthy(await call("match.data", [tgt]));
    return matchTopTarget(tgt, type, subject, patterns);
  };
}

/**
 * Asks the master for this minion's names from `master_tops`. The master receives the minion's options with its grains.
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
