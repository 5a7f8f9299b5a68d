import { outcome, type StateContext, stateFunction, type StateReturn } from "../../../model/loader/states.ts";
import { dirname } from "../../../language/python/posixpath.ts";
import { compilePattern } from "../../../language/python/regexp.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { exists, realPath } from "../../linux/paths.ts";
import { matchedKeys } from "../../modules/mount/tables.ts";
import { type ActiveMount, missingOptions, mountOptionWords } from "./options.ts";

type Active = Record<string, ActiveMount>;

/** As the system writes a path with blanks. */
const escaped = (path: string) => path.replaceAll(" ", "\\040");

interface Mount {
  name: string;
  realName: string;
  /** Of `realName`, in the table of mounts. */
  key: string;
  device: string;
  fstype: string;
  opts: string[];
  ret: StateReturn;
  /** The mount cache is to be written. */
  changed: boolean;
}

const active = async (context: StateContext) => await context.call("mount.active", [], { extended: true }) as Active;

/** The device behind a bind mount, or whose options it takes. */
function boundDevice(mount: Mount, table: Active, args: Args): string {
  const here = table[mount.key]!;
  const copy = (from: ActiveMount) => {
    if (!truthy(args.bind_mount_copy_active_opts)) return;
    mount.opts = [...new Set([...mount.opts, ...from.opts, ...from.superopts ?? []])].sort();
  };
  let path = mount.device;
  if (here.device.startsWith("/")) { while (table[escaped(path)] === undefined && path !== "/") path = dirname(path); }
  const above = table[escaped(path)];
  if (above !== undefined) {
    copy(above);
    here.opts.push("bind");
  }
  return here.device.startsWith("/") ? above?.device ?? here.device : here.device;
}

/** The device as the system shows it; undefined if a label cannot be found. */
async function realDevice(
  context: StateContext,
  mount: Mount,
  table: Active,
  args: Args,
): Promise<string | undefined> {
  const { device } = mount;
  const [, group, volume] = /^\/dev\/([^/]+)\/([^/]+)$/.exec(device) ?? [];
  if (volume !== undefined) {
    const mapper = `/dev/mapper/${group!.replaceAll("-", "--")}-${volume.replaceAll("-", "--")}`;
    if (exists(context.runtime.fs, mapper)) return mapper;
  }
  const [, fused] = /^\w+#(.+)/.exec(device) ?? [];
  if (fused !== undefined) return fused;
  if (device.startsWith("/")) {
    return mount.opts.includes("bind") && table[mount.key] !== undefined
      ? boundDevice(mount, table, args)
      : realPath(context.runtime, device);
  }
  if (/^uuid=/i.test(device)) return device.slice(5).replace(/^"+|"+$/g, "").toLowerCase();
  if (!/^label=/i.test(device)) return device;
  const argv = ["blkid", "-t", `LABEL=${device.slice(6)}`];
  const found = await context.call("cmd.run_all", [argv], { python_shell: false }) as {
    retcode: number;
    stdout: string;
  };
  return found.retcode > 0 ? undefined : found.stdout.split(":")[0];
}

/** Mounts again with other options. @returns false if the state ends here */
async function remount(context: StateContext, mount: Mount, args: Args, changed: string): Promise<boolean> {
  const { realName, device, fstype, opts, ret } = mount;
  const whole = fstype === "nfs" || fstype === "cvfs" || fstype.startsWith("fuse");
  ret.changes.umount = `Forced ${whole ? "unmount and mount" : "remount"} because options (${changed}) changed`;
  mount.changed = true;
  const options = { mkmnt: args.mkmnt, fstype, opts };
  if (whole) {
    const gone = await context.call("mount.umount", [realName]);
    if (gone !== true) {
      ret.result = false;
      ret.comment = `Unable to unmount ${realName}: ${str(gone)}.`;
      return false;
    }
    ret.result = await context.call("mount.mount", [realName, device], options) as boolean;
  } else {
    ret.result = await context.call("mount.remount", [realName, device], options) as boolean;
    mount.opts = opts.filter((option) => option !== "remount");
  }
  return true;
}

/** Looks at the options of a mount. @returns false if the state ends here */
async function checkOptions(
  context: StateContext,
  mount: Mount,
  args: Args,
  here: ActiveMount,
): Promise<boolean> {
  const { ret } = mount;
  const refuse = (comment: string) => {
    ret.result = null;
    ret.comment = comment;
    return false;
  };
  const { missing, last } = await missingOptions(context, args, mount.opts, here);
  if (missing.length > 0) {
    const shown = missing.sort().join(",");
    if (context.test) return refuse(`Remount would be forced because options (${shown}) changed`);
    if (!await remount(context, mount, args, shown)) return false;
  }
  const cache = await context.call("mount.read_mount_cache", [mount.realName]) as { opts?: string[] };
  if (cache.opts === undefined) {
    mount.changed = true;
    return true;
  }
  const surplus = mountOptionWords(cache.opts).filter((option) => !mount.opts.includes(option));
  if (surplus.length === 0) return true;
  if (context.test) return refuse(`Remount would be forced because options (${surplus.join(",")})changed`);
  return await remount(context, mount, args, last);
}

/** Looks at the device of a mount. @returns false if the state ends here, undefined if it is unmounted now */
async function checkDevice(
  context: StateContext,
  mount: Mount,
  args: Args,
  table: Active,
  real: string,
): Promise<boolean | undefined> {
  const { key, realName, device, ret } = mount;
  const here = table[key]!;
  const others = [here.alt_device, here.device_uuid, here.device_label].filter((one): one is string => truthy(one));
  const devices = [here.device, realPath(context.runtime, here.device)];
  devices.push(...others.filter((one) => !devices.includes(one)));
  if (devices.includes(real)) {
    ret.comment = "Target was already mounted";
    return true;
  }
  const patterns = mountOptionWords(args.device_name_regex).map((pattern) => compilePattern(pattern));
  const ignored = devices.find((one) => patterns.some((matches) => matches(one) !== null));
  if (ignored !== undefined) {
    ret.result = true;
    ret.comment = `An umount will not be forced because device matched device_name_regex: ${ignored}`;
    return true;
  }
  if (context.test) {
    ret.result = null;
    ret.comment = `An umount would have been forced because devices do not match.  Watched: ${device}`;
    return true;
  }
  const wanted = real === device ? device : `${device} (${real})`;
  ret.changes.umount = `Forced unmount because devices don't match. Wanted: ${wanted}, current: ${devices.join(", ")}`;
  await context.call("mount.umount", [realName], { user: args.user });
  if ((await active(context))[key] !== undefined) {
    ret.comment = "Unable to unmount";
    ret.result = null;
    return false;
  }
  mount.changed = true;
  return undefined;
}

/** Mounts what is not mounted. @returns false if the state ends here */
async function mountIt(context: StateContext, mount: Mount, args: Args): Promise<boolean> {
  const { name, device, fstype, opts, ret } = mount;
  const there = exists(context.runtime.fs, name);
  if (context.test) {
    ret.result = null;
    ret.comment = there
      ? `${name} would be mounted`
      : truthy(args.mkmnt)
      ? `${name} would be created and mounted`
      : `${name} does not exist and would not be created`;
    return false;
  }
  if (!there && !truthy(args.mkmnt)) {
    ret.result = false;
    ret.comment = "Mount directory is not present";
    return false;
  }
  const done = await context.call("mount.mount", [name, device, args.mkmnt, fstype, opts], { user: args.user });
  mount.changed = true;
  if (typeof done === "string") {
    ret.comment = done;
    ret.result = false;
    return false;
  }
  if ((await active(context))[mount.key] !== undefined) {
    ret.comment = "Target was successfully mounted";
    ret.changes.mount = true;
  }
  return true;
}

/** What is done where nothing shall be mounted. */
async function leaveUnmounted(context: StateContext, { name, ret }: Mount, args: Args): Promise<void> {
  const there = exists(context.runtime.fs, name);
  const make = truthy(args.mkmnt);
  if (there) ret.comment = context.test ? `${name} would not be mounted` : `${name} not mounted`;
  else if (context.test) {
    ret.result = null;
    ret.comment = make
      ? `${name} would be created, but not mounted`
      : `${name} does not exist and would neither be created nor mounted`;
  } else if (make) {
    await context.call("file.mkdir", [name], { user: args.user });
    ret.comment = `${name} was created, not mounted`;
  } else ret.comment = `${name} not present and not mounted`;
}

/** What a dry run says of the fstab, by the answer of `mount.set_fstab`. */
function predictedEntry(name: string, mount: boolean, answer: unknown): string {
  if (answer === "new") {
    return mount
      ? `${name} is mounted, but needs to be written to the fstab in order to be made persistent.`
      : `${name} needs to be written to the fstab in order to be made persistent.`;
  }
  if (answer === "change") {
    return mount
      ? `${name} is mounted, but its fstab entry must be updated.`
      : `The ${name} fstab entry must be updated.`;
  }
  return `Unable to detect fstab status for mount point ${name} due to unexpected output '${str(answer)}' from call ` +
    "to mount.set_fstab. This is most likely a bug.";
}

/** The end of a comment, and the change, by the answer of `mount.set_fstab`. */
export const FSTAB_ANSWERS: Record<string, { comment: string; change?: string; result?: false }> = {
  present: { comment: ". Entry already exists in the fstab." },
  new: { comment: ". Added new entry to the fstab.", change: "new" },
  change: { comment: ". Updated the entry in the fstab.", change: "update" },
  "bad config": { comment: ". However, the fstab was not found.", result: false },
};

async function persist(context: StateContext, mount: Mount, args: Args): Promise<void> {
  const { name, realName, device, fstype, opts, ret } = mount;
  const { dump, pass_num, config, match_on } = args;
  const options = { match_on, ...(context.test ? { test: true } : {}) };
  const answer = str(
    await context.call("mount.set_fstab", [name, device, fstype, opts, dump, pass_num, config], options),
  );
  if (context.test && answer !== "present") {
    ret.result = answer === "new" || answer === "change" ? null : false;
    ret.comment = `${str(ret.comment)}. ${predictedEntry(name, truthy(args.mount), answer)}`;
    return;
  }
  if (mount.changed && !context.test) {
    const cached = { mkmnt: args.mkmnt, fstype, mount_opts: opts };
    await context.call("mount.write_mount_cache", [realName, device], cached);
  }
  const told = FSTAB_ANSWERS[answer];
  if (told === undefined) return;
  ret.comment = `${str(ret.comment)}${told.comment}`;
  if (told.change !== undefined) ret.changes.persist = told.change;
  if (told.result === false) ret.result = false;
}

export const mounted = stateFunction({
  signature: `name, device, fstype, mkmnt=False, opts='defaults', dump=0, pass_num=0, config='/etc/fstab',
    persist=True, mount=True, user=None, match_on='auto', device_name_regex=None,
    extra_mount_invisible_options=None, extra_mount_invisible_keys=None, extra_mount_ignore_fs_keys=None,
    extra_mount_translate_options=None, hidden_opts=None, bind_mount_copy_active_opts=True, **kwargs`,
  doc: "The device is mounted there with these options, and with `persist` in the fstab.",
  async run(context, args) {
    for (const parameter of ["name", "device", "fstype"] as const) {
      if (!truthy(args[parameter])) return outcome(args.name, false, `Must provide ${parameter} to mount.mounted`);
    }
    const given = str(args.name);
    const name = given === "/" ? given : given.replace(/\/+$/, "");
    const realName = realPath(context.runtime, name);
    const ret = outcome(args.name, true, "");
    const opts = mountOptionWords(args.opts);
    const key = escaped(realName);
    const device = str(args.device);
    const mount: Mount = { name, realName, key, device, fstype: str(args.fstype), opts, ret, changed: false };
    // Before anything is mounted that the fstab cannot have.
    if (truthy(args.persist)) {
      const { fstype, opts, dump, pass_num } = args;
      matchedKeys({ name, device, fstype, opts, dump, pass_num }, args.match_on);
    }
    const table = await active(context);
    const real = await realDevice(context, mount, table, args);
    if (real === undefined) {
      return outcome(args.name, false, `Unable to find device with label ${device.slice(6)}.`);
    }
    let there = table[key] !== undefined;
    if (there && truthy(args.mount)) {
      if (!await checkOptions(context, mount, args, table[key]!)) return ret;
      const fits = await checkDevice(context, mount, args, table, real);
      if (fits === false) return ret;
      there = fits !== undefined;
    }
    if (!there) {
      if (!truthy(args.mount)) await leaveUnmounted(context, mount, args);
      else if (!await mountIt(context, mount, args)) return ret;
    }
    if (truthy(args.persist)) await persist(context, mount, args);
    return ret;
  },
});

export const unmounted = stateFunction({
  signature: "name, device=None, config='/etc/fstab', persist: bool=False, user=None, **kwargs",
  doc: "Nothing is mounted there; with `persist` it is not in the fstab either.",
  async run(context, args) {
    const { name, device, config, user } = args;
    if (!truthy(name)) return outcome(name, false, "Must provide name to mount.unmounted");
    const path = str(name);
    const ret = outcome(name, true, "");
    if ((await active(context))[escaped(path)] === undefined) ret.comment = "Target was already unmounted";
    else if (context.test) return outcome(name, null, `Mount point ${path} is mounted but should not be`);
    else {
      const done = await context.call("mount.umount", truthy(device) ? [path, device] : [path], { user });
      if (typeof done === "string") Object.assign(ret, { comment: done, result: false });
      else if (done === true) {
        ret.comment = "Target was successfully unmounted";
        ret.changes.umount = true;
      } else ret.comment = "Execute set to False, Target was not unmounted";
      await context.call("mount.delete_mount_cache", [path]);
    }
    if (!args.persist) return ret;
    const entry = (await context.call("mount.fstab", [config]) as Record<string, { device: unknown }>)[path];
    if (entry === undefined) ret.comment += ". fstab entry not found";
    else if (truthy(device) && entry.device !== device) {
      ret.comment += `. fstab entry for device ${str(device)} not found`;
    } else if (context.test) {
      ret.result = null;
      ret.comment = `Mount point ${path} is unmounted but needs to be purged from ${str(config)} to be made persistent`;
    } else if (await context.call("mount.rm_fstab", [path, device, config]) === true) {
      ret.comment += ". Removed target from fstab";
      ret.changes.persist = "purged";
    } else {
      ret.result = false;
      ret.comment += ". Failed to persist purge";
    }
    return ret;
  },
});
