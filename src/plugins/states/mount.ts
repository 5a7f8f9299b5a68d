import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { entriesOf, isMap, str, truthy } from "../../language/python/values.ts";
import { basename } from "../../language/python/posixpath.ts";
import { FSTAB_ANSWERS, mounted, unmounted } from "./mount/mounted.ts";

/** The device under another name (`device`, `uuid`, `label`…); undefined if it has none. */
async function converted(context: StateContext, name: unknown, by: unknown): Promise<string | undefined> {
  const device = str(name);
  const kind = truthy(by) ? str(by) : "";
  if (kind === "" || (kind === "device" && device.startsWith("/")) || device.startsWith(`${kind.toUpperCase()}=`)) {
    return device;
  }
  const found = device.startsWith("/")
    ? await context.call("disk.blkid", [device])
    : await context.call("disk.blkid", [], { token: device });
  const [first, ...more] = isMap(found) ? entriesOf(found) : [];
  if (first === undefined || more.length > 0) return undefined;
  if (kind === "device") return str(first[0]);
  const value = (first[1] as Record<string, unknown>)[kind.toUpperCase()];
  return value === undefined ? undefined : `${kind.toUpperCase()}=${str(value)}`;
}

const withoutSlash = (path: unknown) => str(path) === "/" ? "/" : str(path).replace(/\/+$/, "");

/** A return with its comments as a list, which the runner joins. */
const told = (name: unknown, result: boolean | null, comment: string[], changes = {}): StateReturn => ({
  name,
  result,
  changes,
  comment,
});

/** File systems: mounted, in the fstab, or not. */
export const states: StateModule = {
  functions: stateFunctions({
    mounted,
    unmounted,
    "swap(name, persist: bool=True, config='/etc/fstab')": {
      doc: "The device or file is in use as swap, and with `persist` in the fstab.",
      async run(context, { name, persist, config }) {
        const ret = outcome(name, true, "");
        const swaps = async () => await context.call("mount.swaps") as Record<string, Record<string, unknown>>;
        let device = str(name);
        if (truthy(await context.call("file.is_link", [name]))) {
          device = str(await context.call("file.readlink", [name]));
          if (!device.startsWith("/")) device = `/dev/${basename(device)}`;
        }
        let on = await swaps();
        if (on[device] !== undefined) ret.comment = `Swap ${str(name)} already active`;
        else if (context.test) {
          Object.assign(ret, { result: null, comment: `Swap ${str(name)} is set to be activated` });
        } else {
          await context.call("mount.swapon", [device]);
          on = await swaps();
          ret.result = on[device] !== undefined;
          ret.comment = `Swap ${str(name)} ${ret.result ? "activated" : "failed to activate"}`;
          ret.changes = { ...on[device] };
        }
        if (!persist) return ret;
        const table = await context.call("mount.fstab", [config]) as Record<
          string,
          { device: unknown; fstype: unknown }
        >;
        if (context.test) {
          const listed = Object.hasOwn(table, str(name)) || Object.values(table).some((entry) => entry.device === name);
          if (listed) return ret;
          ret.result = null;
          if (on[str(name)] !== undefined) {
            ret.comment = `Swap ${str(name)} is set to be added to the fstab and to be activated`;
          }
          return ret;
        }
        if (table.none?.device === name && table.none?.fstype !== "swap") return ret;
        const answer = str(await context.call("mount.set_fstab", ["none", name, "swap", ["defaults"], 0, 0, config]));
        const entry = answer === "present" ? undefined : FSTAB_ANSWERS[answer];
        if (entry === undefined) return ret;
        ret.comment += entry.comment;
        if (entry.change !== undefined) ret.changes.persist = entry.change;
        if (entry.result === false) ret.result = false;
        return ret;
      },
    },
    fstab_present: stateFunction({
      signature: `name, fs_file, fs_vfstype, fs_mntops='defaults', fs_freq=0, fs_passno=0, mount_by=None,
        config='/etc/fstab', mount: bool=True, match_on='auto', not_change=False, fs_mount=True`,
      doc: "The device is in the fstab; with `mount` a new one is mounted.",
      async run(context, args) {
        const { name, fs_vfstype, fs_mntops, fs_freq, fs_passno, mount_by, config, match_on, not_change } = args;
        const place = withoutSlash(args.fs_file);
        const device = await converted(context, name, mount_by);
        if (device === undefined) {
          return told(name, false, [`Device ${str(name)} cannot be converted to ${str(mount_by)}`]);
        }
        const answer = await context.call("mount.set_fstab", [], {
          name: place,
          device,
          fstype: fs_vfstype,
          opts: fs_mntops,
          dump: fs_freq,
          pass_num: fs_passno,
          config,
          match_on,
          not_change,
          ...(context.test ? { test: true } : {}),
        });
        const file = str(config);
        if (context.test) {
          const will = args.mount ? [`Will mount ${str(name)} on ${place}`] : [];
          if (answer === "present") return told(name, null, [`${place} entry is already in ${file}.`]);
          if (answer === "new") return told(name, null, [`${place} entry will be written in ${file}.`, ...will]);
          if (answer === "change") return told(name, null, [`${place} entry will be updated in ${file}.`]);
          return told(name, false, [`${place} entry cannot be created in ${file}: ${str(answer)}.`]);
        }
        if (answer === "present") return told(name, true, [`${place} entry was already in ${file}.`]);
        if (answer === "change") return told(name, true, [`${place} entry updated in ${file}.`], { persist: answer });
        if (answer !== "new") {
          return told(name, false, [`${place} entry cannot be changed in ${file}: ${str(answer)}.`]);
        }
        const ret = told(name, true, [`${place} entry added in ${file}.`], { persist: answer });
        if (!args.mount) return ret;
        const done = await context.call("mount.mount", [place]);
        if (typeof done !== "string") return { ...ret, comment: [...ret.comment, `Mounted ${str(name)} on ${place}`] };
        const reason = done.slice(done.indexOf(":") + 1);
        return { ...ret, result: false, comment: [...ret.comment, `Error while mounting ${reason}`] };
      },
    }),
    "fstab_absent(name, fs_file, mount_by=None, config='/etc/fstab')": {
      doc: "The mount point is not in the fstab.",
      async run(context, args) {
        const { name, mount_by, config } = args;
        const place = withoutSlash(args.fs_file);
        const file = str(config);
        const device = await converted(context, name, mount_by);
        const there = Object.hasOwn(await context.call("mount.fstab", [config]) as object, place);
        if (!there) return told(name, context.test ? null : true, [`${place} entry is already missing in ${file}.`]);
        if (context.test) return told(name, null, [`${place} entry will be removed from ${file}.`]);
        const done = await context.call("mount.rm_fstab", [], { name: place, device: device ?? null, config });
        return done === true
          ? told(name, true, [`${place} entry removed from ${file}.`], { persist: "removed" })
          : told(name, false, [`${place} entry failed when removing from ${file}.`]);
      },
    },
    "mod_watch(name, user=None, **kwargs)": {
      doc: "Mounts again, with the same options.",
      async run(context, { name, user, kwargs }) {
        const { sfun, device, fstype, opts } = kwargs;
        if (sfun !== "mounted") return outcome(name, true, `Watch not supported in ${str(sfun)} at this time`);
        const done = await context.call("mount.remount", [name, device, false, fstype, opts ?? "defaults"], { user });
        return truthy(done)
          ? outcome(name, true, `${str(name)} remounted`)
          : outcome(name, false, `${str(name)} failed to remount: ${str(done)}`);
      },
    },
  }),
};
