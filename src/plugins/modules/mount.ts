import { joinPath } from "../../base/paths.ts";
import { SystemError } from "../../base/errors.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  CommandNotFoundError,
  executionFunction,
  executionFunctions,
} from "../../model/loader/family.ts";
import { type Args, entriesOf, isMap, lookup, mapOf, str, truthy } from "../../language/python/values.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { dirname } from "../../language/python/posixpath.ts";
import { programPath, run, runAll } from "../commands.ts";
import { findAccount, findGroup } from "../../runtime/accounts.ts";
import { exists, realPath } from "../linux/paths.ts";
import { shellWords } from "../linux/words.ts";
import {
  FSTAB,
  readAutomaster,
  readTable,
  removeAutomaster,
  removeEntry,
  setAutomaster,
  setEntry,
  VFSTAB,
} from "./mount/tables.ts";

/** Users and groups among the options of a mount, as numbers. */
function optionsOf(context: JobContext, text: string): string[] {
  return text.split(",").map((option) => {
    const [name, value] = option.split("=");
    const id = value === undefined || /^\d+$/.test(value)
      ? value
      : name === "uid"
      ? findAccount(context.runtime, value)?.uid ?? value
      : name === "gid"
      ? findGroup(context.runtime, value)?.gid ?? value
      : undefined;
    const own = (name === "uid" || name === "gid") && id !== undefined ? `${name}=${id}` : option;
    return own.replaceAll("\\040", "\\ ");
  });
}

/** The device of each mount point, from the program `mount`. */
async function otherNames(context: JobContext): Promise<Map<string, string>> {
  const text = str(await context.call("cmd.run_stdout", [["mount", "-l"]], { python_shell: false }));
  return new Map(
    splitLines(text).map(splitWords).filter((words) => words.length >= 3).map((words) => [words[2]!, words[0]!]),
  );
}

async function active(context: JobContext, extended: unknown): Promise<Record<string, Record<string, unknown>>> {
  const { fs } = context.runtime;
  const names = await otherNames(context);
  if (!truthy(extended)) {
    const lines = splitLines(fs.readText("/proc/self/mounts")).map(splitWords);
    return Object.fromEntries(lines.map(([device, place = "", fstype, opts = ""]) => [
      place,
      { device, alt_device: names.get(place) ?? null, fstype, opts: optionsOf(context, opts) },
    ]));
  }
  const ids = programPath(context, "blkid") === undefined ? {} : await context.call("disk.blkid");
  const tag = (device: string, name: string) => {
    const tags = isMap(ids) ? lookup(ids, device) : undefined;
    return isMap(tags) ? lookup(tags, name) ?? null : null;
  };
  const lines = splitLines(fs.readText("/proc/self/mountinfo")).map(splitWords);
  return Object.fromEntries(lines.map((words) => {
    const [mountid, parentid, numbers = "", root, place = "", opts = ""] = words;
    const [fstype, device = "", superopts = ""] = words.slice(words.indexOf("-") + 1);
    const [major, minor] = numbers.split(":");
    const uuid = tag(device, "UUID");
    return [place, {
      mountid,
      parentid,
      major,
      minor,
      root,
      opts: optionsOf(context, opts),
      fstype,
      device: device.replaceAll("\\040", "\\ "),
      alt_device: names.get(place) ?? null,
      superopts: optionsOf(context, superopts),
      device_uuid: typeof uuid === "string" ? uuid.toLowerCase() : null,
      device_label: tag(device, "LABEL"),
    }];
  }));
}

const isMounted = async (context: JobContext, name: string) => Object.hasOwn(await active(context, false), name);

const optionWords = (opts: unknown): string[] => Array.isArray(opts) ? opts.map(str) : str(opts).split(",");

/** Runs `mount` or `umount`. @returns true, or its error message */
async function mountCommand(context: JobContext, words: string[], user: unknown): Promise<true | string> {
  const { retcode, stderr } = await runAll(context, words, { runas: user });
  return retcode === 0 ? true : stderr;
}

async function mount(context: JobContext, args: Args): Promise<unknown> {
  // Images are mounted by modules for virtual machines, which do not exist here.
  if (args.util !== "mount" && args.util !== undefined) return false;
  const { device, fstype, opts } = args;
  const name = str(args.name);
  if (!exists(context.runtime.fs, name) && truthy(args.mkmnt)) {
    await context.call("file.mkdir", [name], { user: args.user });
  }
  const words = ["mount"];
  if (truthy(device)) {
    if (opts !== null) words.push("-o", optionWords(opts).join(","));
    if (truthy(fstype)) words.push("-t", str(fstype));
    words.push(str(device));
  }
  return await mountCommand(context, [...words, name], args.user);
}

function swaps(context: JobContext): Record<string, Record<string, string>> {
  const lines = splitLines(context.runtime.fs.readText("/proc/swaps"))
    .filter((line) => line !== "" && !line.startsWith("Filename"));
  return Object.fromEntries(lines.map((line) => {
    const [name = "", type = "", size = "", used = "", priority = ""] = splitWords(line);
    return [name, { type, size, used, priority }];
  }));
}

/** The place on the way to a path that something is mounted on; the root if nothing else. */
function mountOf(context: JobContext, path: string): string {
  const { fs } = context.runtime;
  for (let here = realPath(context.runtime, path); here !== "/"; here = dirname(here)) {
    const [own, above] = [fs.stat(here, { follow: false }), fs.stat(dirname(here))];
    if (own !== undefined && own.kind !== "symlink" && (own.dev !== above?.dev || own.ino === above?.ino)) return here;
  }
  return "/";
}

/** What states have mounted, so that they can report changes: a file in the cache of the minion. */
async function readCache(context: JobContext): Promise<Map<unknown, unknown>> {
  const path = joinPath(str(context.opts.cachedir ?? ""), "mounts");
  let text: string;
  try {
    text = context.runtime.fs.readText(path);
  } catch (error) {
    // Nothing was mounted yet.
    if (error instanceof SystemError) return new Map();
    throw error;
  }
  const { parseYaml } = await import("../../language/yaml/document.ts");
  const { value } = parseYaml(text);
  const mounts = isMap(value) ? lookup(value, "mounts") : undefined;
  return new Map(isMap(mounts) ? entriesOf(mounts) : []);
}

async function writeCache(context: JobContext, mounts: Map<unknown, unknown>): Promise<void> {
  const { dump } = await import("../../language/yaml/dump.ts");
  try {
    context.runtime.fs.write(joinPath(str(context.opts.cachedir ?? ""), "mounts"), dump({ mounts: mapOf(mounts) }));
  } catch (error) {
    throw new CommandExecutionError("Unable to write mount cache.", { cause: error });
  }
}

const NOT_AIX = "AIX alone has this table; elsewhere it is empty.";

/** Mounted file systems, and the tables of those to mount. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "win32"
      ? { unavailable: "The mount module cannot be loaded: not a POSIX-like system." }
      : true,
  functions: executionFunctions({
    "active(extended=False)": {
      doc: "The mounted file systems by mount point; `extended` adds details.\n\n    salt '*' mount.active",
      run: (context, { extended }) => active(context, extended),
    },
    "is_mounted(name: str)": {
      doc: "True if something is mounted on a directory.\n\n    salt '*' mount.is_mounted /mnt/share",
      run: (context, { name }) => isMounted(context, name),
    },
    "get_mount_from_path(path: str)": {
      doc: "The mount point of the file system of a path.\n\n    salt '*' mount.get_mount_from_path /opt/logs",
      run: (context, { path }) => mountOf(context, path),
    },
    "get_device_from_path(path: str)": {
      doc: "The device of the file system of a path.\n\n    salt '*' mount.get_device_from_path /opt/logs",
      run: async (context, { path }) => (await active(context, false))[mountOf(context, path)]?.device ?? null,
    },
    "fstab(config: str='/etc/fstab')": {
      doc: "The entries of /etc/fstab by mount point.\n\n    salt '*' mount.fstab",
      run: (context, { config }) => readTable(context, config),
    },
    "vfstab(config: str='/etc/vfstab')": {
      doc: "The same as mount.fstab, under the name that it has on Solaris.\n\n    salt '*' mount.vfstab",
      run: (context, { config }) => readTable(context, config),
    },
    set_fstab: executionFunction({
      signature: `name, device, fstype, opts='defaults', dump=0, pass_num=0, config='/etc/fstab', test=False,
        match_on='auto', not_change=False, **kwargs`,
      doc: "Adds or changes an entry of /etc/fstab; returns new, change or present.\n\n" +
        "    salt '*' mount.set_fstab /mnt/foo /dev/sdz1 ext4",
      run(context, args) {
        const escaped = (value: unknown) => str(value).replaceAll("\\ ", "\\040");
        const opts = Array.isArray(args.opts) ? args.opts.map(str).join(",") : str(args.opts);
        const { name, fstype, dump, pass_num: pass } = args;
        const entry = { name, device: escaped(args.device), fstype, opts: escaped(opts), dump, pass_num: pass };
        return setEntry(context, entry, args, FSTAB);
      },
    }),
    "rm_fstab(name, device, config='/etc/fstab')": {
      doc: "Removes an entry from /etc/fstab.\n\n    salt '*' mount.rm_fstab /mnt/foo /dev/sdg",
      run: (context, args) => removeEntry(context, args, FSTAB),
    },
    set_vfstab: executionFunction({
      signature: `name, device, fstype, opts='-', device_fsck='-', pass_fsck='-', mount_at_boot='yes',
        config='/etc/vfstab', test=False, match_on='auto', not_change=False, **kwargs`,
      doc: "Adds or changes an entry of /etc/vfstab; returns new, change or present.\n\n" +
        "    salt '*' mount.set_vfstab /mnt/foo /device/c0t0d0p0 ufs",
      run(context, args) {
        const { name, device, fstype, device_fsck, pass_fsck } = args;
        const opts = Array.isArray(args.opts) ? args.opts.map(str).join(",") : str(args.opts);
        const mount_at_boot = args.mount_at_boot === "yes" || args.mount_at_boot === true ? "yes" : "no";
        const entry = { name, device, fstype, opts, device_fsck, pass_fsck, mount_at_boot };
        return setEntry(context, entry, args, VFSTAB);
      },
    }),
    "rm_vfstab(name, device, config='/etc/vfstab')": {
      doc: "The same as mount.rm_fstab, for another file.\n\n" +
        "    salt '*' mount.rm_vfstab /mnt/foo /device/c0t0d0p0",
      run: (context, args) => removeEntry(context, args, FSTAB),
    },
    "automaster(config: str='/etc/auto_salt')": {
      doc: "The table of the automounter by mount point.\n\n    salt '*' mount.automaster",
      run: (context, { config }) => readAutomaster(context, config),
    },
    set_automaster: setAutomaster,
    "rm_automaster(name, device, config='/etc/auto_salt')": {
      doc: "Removes an entry from the automounter's table.\n\n" +
        "    salt '*' mount.rm_automaster /mnt/foo /dev/sdg",
      async run(context, args) {
        if (removeAutomaster(context, args)) await run(context, ["automount", "-cv"]);
        return true;
      },
    },
    "filesystems(config='/etc/filesystems')": {
      doc: `${NOT_AIX}\n\n    salt '*' mount.filesystems`,
      run: () => ({}),
    },
    set_filesystems: executionFunction({
      signature: `name, device, vfstype, opts='-', mount='true', config='/etc/filesystems', test=False,
        match_on='auto', not_change=False, **kwargs`,
      doc: `${NOT_AIX}\n\n    salt '*' mount.set_filesystems /mnt/foo /dev/sdz1 jfs2`,
      run: () => null,
    }),
    "rm_filesystems(name, device, config='/etc/filesystems')": {
      doc: `${NOT_AIX}\n\n    salt '*' mount.rm_filesystems /mnt/foo /dev/sdg`,
      run: () => false,
    },
    "mount(name, device=False, mkmnt=False, fstype='', opts='defaults', user=None, util='mount')": {
      doc: "Mounts a device; returns True, or an error message.\n\n    salt '*' mount.mount /mnt/foo /dev/sdz1 True",
      run: mount,
    },
    "remount(name: str, device, mkmnt=False, fstype='', opts='defaults', user=None)": {
      doc: "Remounts a device with other options, or mounts it.\n\n" +
        "    salt '*' mount.remount /mnt/foo /dev/sdz1 True",
      async run(context, args): Promise<unknown> {
        const name = args.name;
        if (!await isMounted(context, name)) return await mount(context, args);
        const opts = optionWords(args.opts);
        if (!opts.includes("remount")) opts.push("remount");
        const kind = truthy(args.fstype) ? ["-t", str(args.fstype)] : [];
        return await mountCommand(context, ["mount", "-o", opts.join(","), ...kind, str(args.device), name], args.user);
      },
    },
    "umount(name: str, device=None, user=None, util='mount')": {
      doc: "Unmounts a file system; returns True, or an error message.\n\n    salt '*' mount.umount /mnt/foo",
      async run(context, args): Promise<unknown> {
        const name = args.name;
        if (!await isMounted(context, name)) return `${name} does not have anything mounted`;
        return await mountCommand(context, ["umount", truthy(args.device) ? str(args.device) : name], args.user);
      },
    },
    "is_fuse_exec(cmd: str)": {
      doc: "True for a program that is linked with libfuse.\n\n    salt '*' mount.is_fuse_exec sshfs",
      async run(context, { cmd }) {
        const path = programPath(context, cmd);
        if (path === undefined) return false;
        if (programPath(context, "ldd") === undefined) throw new CommandNotFoundError("ldd");
        return (await run(context, ["ldd", ...shellWords(path)])).includes("libfuse");
      },
    },
    "swaps()": {
      doc: "The swap devices and files in use.\n\n    salt '*' mount.swaps",
      run: swaps,
    },
    "swapon(name: str, priority=None)": {
      doc: "Enables swapping to a device or file.\n\n    salt '*' mount.swapon /root/swapfile",
      async run(context, { name, priority }): Promise<Record<string, unknown>> {
        const before = swaps(context);
        if (Object.hasOwn(before, name)) return { stats: before[name], new: false };
        await run(context, ["swapon", name, ...(truthy(priority) ? ["-p", str(priority)] : [])]);
        const after = swaps(context);
        return Object.hasOwn(after, name) ? { stats: after[name], new: true } : {};
      },
    },
    "swapoff(name: str)": {
      doc:
        "Disables swapping to a device or file; null if it was not in use.\n\n    salt '*' mount.swapoff /root/swapfile",
      async run(context, { name }): Promise<boolean | null> {
        if (!Object.hasOwn(swaps(context), name)) return null;
        await run(context, ["swapoff", name]);
        return !Object.hasOwn(swaps(context), name);
      },
    },
    "read_mount_cache(name: str)": {
      doc: "What a state has mounted on a directory.\n\n    salt '*' mount.read_mount_cache /mnt/share",
      run: async (context, { name }) => (await readCache(context)).get(name) ?? {},
    },
    "write_mount_cache(real_name: str, device, mkmnt, fstype, mount_opts)": {
      doc: "Notes what a state has mounted.\n\n" +
        "    salt '*' mount.write_mount_cache /mnt/share /dev/sda1 False ext4 defaults,nosuid",
      async run(context, { real_name: name, device, mkmnt, fstype, mount_opts: opts }) {
        const mounts = await readCache(context);
        await writeCache(context, mounts.set(name, { device, fstype, mkmnt, opts }));
        return true;
      },
    },
    "delete_mount_cache(real_name: str)": {
      doc: "Deletes the note of what a state has mounted.\n\n    salt '*' mount.delete_mount_cache /mnt/share",
      async run(context, { real_name: name }) {
        const mounts = await readCache(context);
        if (mounts.delete(name)) await writeCache(context, mounts);
        return true;
      },
    },
  }),
};
