import { messageOf } from "../../base/errors.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { SdbContext, SdbDriver } from "../../model/loader/sdb.ts";
import { type AnyMap, entriesOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { merge } from "../../language/python/merge_strategy.ts";
import { traverse } from "../../language/python/traverse.ts";

/** Bytes of the largest file that is read. */
const LARGEST = 16 * 1024 * 1024;

/** A file's data. @throws {CommandExecutionError} without its text if it is no YAML */
async function dataOf({ runtime: { fs }, log }: SdbContext, path: string): Promise<AnyMap> {
  const stat = fs.stat(path);
  if (stat === undefined) {
    log.error("sdb file not found", { path });
    return {};
  }
  if (stat.kind !== "file" || stat.size > LARGEST) {
    throw new CommandExecutionError(`Cannot read ${path}: expected a file of at most ${LARGEST} bytes`);
  }
  const { parseYaml } = await import("../../language/yaml/document.ts");
  let value: unknown;
  try {
    ({ value } = parseYaml(fs.readText(path)));
  } catch (error) {
    const line = /line \d+/.exec(messageOf(error))?.[0];
    throw new CommandExecutionError(`Cannot read ${path} as YAML${line === undefined ? "" : `: look at ${line}`}`);
  }
  if (isMap(value)) return value;
  log.error("sdb file ignored: it is not a map", { path });
  return {};
}

async function decrypted({ runtime, log, opts }: SdbContext, data: AnyMap): Promise<unknown> {
  const [{ createRenderers }, { gpgOptionsOf }] = await Promise.all([
    import("../../language/render/renderers.ts"),
    import("../../language/render/renderer.ts"),
  ]);
  const render = await createRenderers(runtime).gpg!();
  return await render(data, { path: "sdb", saltenv: "base", argline: "", globals: {}, log, gpg: gpgOptionsOf(opts) });
}

/** A value of files, merged as pillar is, under a path with colons. Options: `files`; `merge`, `gpg`. */
export const sdb: SdbDriver = {
  async get(context, key, profile) {
    const files = lookup(profile, "files") ?? [];
    const given = lookup(profile, "merge");
    const how: Record<string, unknown> = isMap(given) ? Object.fromEntries(entriesOf(given)) : {};
    const rules = {
      strategy: str(how.strategy ?? "smart"),
      renderer: str(how.renderer ?? "yaml"),
      mergeLists: truthy(how.merge_lists ?? null),
    };
    let data: AnyMap = {};
    for (const path of Array.isArray(files) ? files : [files]) {
      data = merge(data, await dataOf(context, str(path)), rules);
    }
    const whole = truthy(lookup(profile, "gpg") ?? null) ? await decrypted(context, data) : data;
    return traverse(whole, key) ?? null;
  },
};
