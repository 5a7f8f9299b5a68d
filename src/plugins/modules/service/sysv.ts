import type { JobContext } from "../../../model/loader/family.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { runAll } from "../../commands.ts";
import { isDirectory, isFile, lookAt } from "../../linux/paths.ts";
import { isPattern, type ServiceManager } from "./manager.ts";

const SCRIPTS = "/etc/init.d";

/** The runlevel of the system: multi-user with network unless it can be read. */
const LEVEL = "2";

/** Names of the scripts, without those that are no services. */
function scripts(fs: FileSystem): string[] {
  if (!isDirectory(fs, SCRIPTS)) return [];
  return fs.list(SCRIPTS).filter((name) => {
    const stat = lookAt(fs, `${SCRIPTS}/${name}`);
    return stat?.kind === "file" && (stat.mode & 0o111) !== 0;
  });
}

/** Services with a link `S01name` for starting, in this level or when the system starts. */
function linked(fs: FileSystem): Set<string> {
  const directories = [`/etc/rc${LEVEL}.d`, "/etc/rcS.d"].filter((path) => isDirectory(fs, path));
  return new Set(
    directories.flatMap((path) => fs.list(path)).map((entry) => /^S\d+(.+)$/.exec(entry)?.[1])
      .filter((name) => name !== undefined),
  );
}

async function runs(context: JobContext, name: string): Promise<boolean> {
  if (!isFile(context.runtime.fs, `${SCRIPTS}/${name}`)) return false;
  return (await runAll(context, ["service", name, "status"], { ignore_retcode: true })).retcode === 0;
}

/** Scripts in `/etc/init.d`, as Debian has them. */
export const sysv: ServiceManager = {
  async list(context, which) {
    const { fs } = context.runtime;
    const all = scripts(fs);
    const enabled = linked(fs);
    if (which === "enabled") return all.filter((name) => enabled.has(name));
    if (which === "disabled") return all.filter((name) => !enabled.has(name));
    // That a service starts only for another is something that scripts cannot say.
    if (which === "static") return [];
    if (which === "all") return all;
    const running: string[] = [];
    for (const name of all) if (await runs(context, name)) running.push(name);
    return running;
  },
  available: ({ runtime }, name) => Promise.resolve(scripts(runtime.fs).includes(name)),
  act: async (context, verb, name) => (await runAll(context, ["service", name, verb])).retcode === 0,
  async status(context, name) {
    if (!isPattern(name)) return await runs(context, name);
    const matches = compileGlob(name);
    const found: Record<string, boolean> = {};
    for (const script of scripts(context.runtime.fs).filter(matches)) found[script] = await runs(context, script);
    return found;
  },
  async enable(context, name, wanted) {
    if (!scripts(context.runtime.fs).includes(name)) {
      context.retcode = 1;
      return false;
    }
    return (await runAll(context, ["update-rc.d", name, wanted ? "enable" : "disable"])).retcode === 0;
  },
  enabled: ({ runtime }, name) => Promise.resolve(linked(runtime.fs).has(name)),
  disabled: ({ runtime: { fs } }, name) => Promise.resolve(scripts(fs).includes(name) && !linked(fs).has(name)),
};
