import { executionFunctions, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/text.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { operand, run } from "../commands.ts";
import { shellWords } from "../linux/words.ts";
import { parseDump } from "./extfs/dump.ts";

/** Arguments of `mkfs`, with the letters of mke2fs. */
const MAKING: Readonly<Record<string, string>> = {
  block_size: "b",
  check: "c",
  direct: "D",
  ext_opts: "E",
  fragment_size: "f",
  force: "F",
  blocks_per_group: "g",
  number_of_groups: "G",
  bytes_per_inode: "i",
  inode_size: "I",
  journal: "j",
  journal_opts: "J",
  blocks_file: "l",
  label: "L",
  reserved: "m",
  last_dir: "M",
  test: "n",
  number_of_inodes: "N",
  creator_os: "o",
  opts: "O",
  revision: "r",
  super: "S",
  usage_type: "T",
  uuid: "U",
};

/** Arguments of `tune`, with the letters of tune2fs. */
const TUNING: Readonly<Record<string, string>> = {
  max: "c",
  count: "C",
  error: "e",
  extended_opts: "E",
  force: "f",
  group: "g",
  interval: "i",
  journal: "j",
  journal_opts: "J",
  label: "L",
  last_dir: "M",
  opts: "o",
  feature: "O",
  mmp_check: "p",
  reserved: "r",
  quota_opts: "Q",
  time: "T",
  user: "u",
  uuid: "U",
};

function options(kwargs: unknown, letters: Readonly<Record<string, string>>): string[] {
  return Object.entries(kwargs as Args).filter(([name]) => Object.hasOwn(letters, name)).flatMap(([name, value]) =>
    value === true || value === "True" ? [`-${letters[name]}`] : [`-${letters[name]}`, str(value)]
  );
}

/** How lines begin that tell of progress. */
const PROGRESS = [
  "mke2fs",
  "Discarding device blocks",
  "Allocating group tables",
  "Writing inode tables",
  "Creating journal",
  "Writing superblocks",
];

async function dump(context: JobContext, { device, args }: Args) {
  const flags = truthy(args) ? shellWords(`-${str(args)}`) : [];
  return parseDump(await run(context, ["dumpe2fs", operand(device, "a device"), ...flags]));
}

const FLAGS = "\n\nargs: flags of dumpe2fs without their dash, such as h";

/** File systems ext2, ext3 and ext4. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "win32"
      ? { unavailable: "The extfs execution module cannot be loaded: only available on non-Windows systems." }
      : true,
  functions: executionFunctions({
    "mkfs(device, fs_type, **kwargs)": {
      doc: "Makes a file system. WARNING: data on the device is lost.\n\n" +
        "    salt '*' extfs.mkfs /dev/sda1 fs_type=ext4 label=data\n\n" +
        `kwargs: ${Object.keys(MAKING).join(", ")}; True for one without a value`,
      async run(context, { device, fs_type: type, kwargs }): Promise<string[]> {
        const kind = operand(type, "a file system");
        const words = ["mke2fs", "-F", "-t", kind, ...options(kwargs, MAKING), operand(device, "a device")];
        const said = splitLines(await run(context, words));
        return said.filter((line) => line !== "" && !PROGRESS.some((start) => line.startsWith(start)));
      },
    },
    "tune(device, **kwargs)": {
      doc: "Changes parameters of a file system.\n\n    salt '*' extfs.tune /dev/sda1 label=root reserved=1000\n\n" +
        `kwargs: ${Object.keys(TUNING).join(", ")}; True for one without a value`,
      run: async (context, { device, kwargs }) =>
        splitLines(await run(context, ["tune2fs", ...options(kwargs, TUNING), operand(device, "a device")])),
    },
    "attributes(device, args=None)": {
      doc: `The parameters of a file system.\n\n    salt '*' extfs.attributes /dev/sda1${FLAGS}`,
      run: async (context, args) => (await dump(context, args)).attributes,
    },
    "blocks(device, args=None)": {
      doc: `The groups of blocks of a file system.\n\n    salt '*' extfs.blocks /dev/sda1${FLAGS}`,
      run: async (context, args) => (await dump(context, args)).blocks,
    },
    "dump(device, args=None)": {
      doc: `The parameters of a file system, and its groups of blocks.\n\n    salt '*' extfs.dump /dev/sda1${FLAGS}`,
      run: dump,
    },
  }),
};
