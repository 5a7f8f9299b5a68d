import { executionFunctions, type ExecutionModule } from "../../model/loader/family.ts";
import { runAll } from "../commands.ts";
import { shellWords } from "../linux/words.ts";
import { blkid, dumpDevice, formatDevice, fstype, tune } from "./disk/devices.ts";
import { hdparms, hpa, smartAttributes } from "./disk/hard_disks.ts";
import { iostat } from "./disk/iostat.ts";
import { inodeUsage, percent, usage } from "./disk/usage.ts";

export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "win32" ? { unavailable: "This module doesn't work on Windows." } : true,
  functions: executionFunctions({
    "usage(args=None)": {
      doc: "The usage of the mounted file systems. Arguments are options of df.\n\n    salt '*' disk.usage",
      run: (context, { args }) => usage(context, args),
    },
    "inodeusage(args=None)": {
      doc: "The inode usage of the mounted file systems.\n\n    salt '*' disk.inodeusage",
      run: (context, { args }) => inodeUsage(context, args),
    },
    "percent(args=None)": {
      doc: "The usage of each mounted file system, or of one, in percent.\n\n    salt '*' disk.percent /var",
      run: (context, { args }) => percent(context, args),
    },
    "blkid(device=None, token=None)": {
      doc: "Labels and UUIDs of block devices: all, one, or those with a tag.\n\n" +
        "    salt '*' disk.blkid token='UUID=6a38ee5-7235-44e7-8b22-816a403bad5d'",
      run: (context, { device, token }) => blkid(context, device, token),
    },
    "dump(device, args=None)": {
      doc: "The parameters of a block device, from blockdev.\n\n    salt '*' disk.dump /dev/sda1",
      run: (context, { device, args }) => dumpDevice(context, device, args),
    },
    "tune(device, **kwargs)": {
      doc: "Changes a block device: read-ahead, filesystem-read-ahead, read-only, read-write.\n\n" +
        "    salt '*' disk.tune /dev/sda1 read-ahead=1024 read-write=True",
      run: (context, { device, kwargs }) => tune(context, device, kwargs),
    },
    "wipe(device: str)": {
      doc: "Wipes the file system signatures of a device.\n\n    salt '*' disk.wipe /dev/sda1",
      run: async (context, { device }) =>
        (await runAll(context, ["wipefs", "-a", ...shellWords(device)])).retcode === 0,
    },
    "resize2fs(device: str)": {
      doc:
        "Grows a file system to the size of its device; null if that failed.\n\n    salt '*' disk.resize2fs /dev/sda1",
      run: async (context, { device }) =>
        (await runAll(context, ["resize2fs", ...shellWords(device)])).retcode === 0 ? true : null,
    },
    format: formatDevice,
    "fstype(device)": {
      doc: "The type of the file system on a device.\n\n    salt '*' disk.fstype /dev/sdX1",
      run: (context, { device }) => fstype(context, device),
    },
    "get_fstype_from_path(path)": {
      doc: "The type of the file system of a path.\n\n    salt '*' disk.get_fstype_from_path /root",
      run: async (context, { path }) => await fstype(context, await context.call("mount.get_device_from_path", [path])),
    },
    "hdparms(disks, args=None)": {
      doc: "Parameters of hard disks.\n\n    salt '*' disk.hdparms sda",
      run: (context, { disks, args }) => hdparms(context, disks, args),
    },
    "hpa(disks, size=None)": {
      doc:
        "The host protected area of hard disks; with a size, sets the visible sectors.\n\n    salt '*' disk.hpa /dev/sda",
      run: (context, { disks, size }) => hpa(context, disks, size),
    },
    smart_attributes: smartAttributes,
    iostat,
  }),
};
