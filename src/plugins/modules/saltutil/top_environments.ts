import { messageOf } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/context.ts";
import { Rendering, templateText } from "../../../model/loader/rendering.ts";
import { stateOptions } from "../../../model/loader/state_options.ts";
import { entriesOf, isMap, lookup } from "../../../language/python/containers.ts";
import { str } from "../../../language/python/repr.ts";
import { matchMinion } from "../../../model/target/match.ts";

type Section = readonly [target: unknown, list: unknown][];

/** Whether any target of a section matches this minion: `web*: [a]`, `os:Debian: [{match: grain}, a]`. */
function means({ opts, grains, pillar }: JobContext, section: Section): boolean {
  const subject = { id: str(opts.id ?? grains.id ?? ""), grains, pillar };
  return section.some(([tgt, list]) => {
    const matches = Array.isArray(list) ? list.filter(isMap).map((item) => lookup(item, "match")) : [];
    const type = matches.findLast((match) => match !== undefined) ?? "compound";
    return matchMinion({ tgt, tgt_type: str(type) }, subject);
  });
}

/**
 * The environments that the top file of states (`state_top`) has anything in for this minion; base if there is none. What an
 * environment's own top file says of it goes before what others say.
 */
export async function topEnvironments(context: JobContext): Promise<string[]> {
  const { files, log } = context;
  const opts = await stateOptions(context);
  const rendering = new Rendering({ ...context, opts });
  const name = str(opts.state_top ?? "top.sls").replace(/^salt:\/\//, "");
  const only = opts.state_top_saltenv ?? null;
  try {
    const own = new Map<string, Section>();
    const foreign = new Map<string, Section>();
    for (const environment of only === null ? await files.environments() : [str(only)]) {
      if ((await files.hash(`salt://${name}`, environment)) === undefined) continue;
      const path = await files.fetch(`salt://${name}`, "", { saltenv: environment });
      if (path === undefined) continue;
      const source = templateText(context.runtime.fs.read(path), path);
      const value = await rendering.renderSls({ path, name, sls: "", saltenv: environment, source });
      for (const [key, section] of isMap(value) ? entriesOf(value) : []) {
        if (!isMap(section)) continue;
        const place = str(key) === environment ? own : foreign;
        place.set(str(key), [...place.get(str(key)) ?? [], ...entriesOf(section)]);
      }
    }
    const names = new Set([...own.keys(), ...foreign.keys()]);
    const found = [...names].filter((key) => means(context, own.get(key) ?? foreign.get(key)!));
    return found.length === 0 ? ["base"] : found;
  } catch (error) {
    log.warning("the top file does not name environments to sync from, using base", {
      file: name,
      error: messageOf(error),
    });
    return ["base"];
  }
}
