import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { type Args, str } from "../../language/python/values.ts";
import { escapeRegexp } from "../../language/python/substitute.ts";
import { operand, operands, programPath, run } from "../commands.ts";
import { exists } from "../linux/paths.ts";
import { ownKeywords } from "../keywords.ts";

interface Member {
  device: string;
  major: string;
  minor: string;
  number: string;
  raiddevice: string;
  state: string;
}

const lines = async (context: JobContext, words: string[], options: Args = {}): Promise<string[]> =>
  splitLines(str(await context.call("cmd.run_stdout", [["mdadm", ...words]], { python_shell: false, ...options })));

const succeeds = async (context: JobContext, words: string[]): Promise<boolean> =>
  await context.call("cmd.retcode", [["mdadm", ...words]], { python_shell: false }) === 0;

async function list(context: JobContext): Promise<Record<string, Record<string, string>>> {
  const found: Record<string, Record<string, string>> = {};
  for (const line of await lines(context, ["--detail", "--scan"])) {
    const [, device, ...fields] = splitWords(line);
    if (device === undefined) continue;
    const pairs = fields.map((field) => field.split("=")).map(([key = "", value = ""]) => [key.toLowerCase(), value]);
    found[device] = { device, ...Object.fromEntries(pairs) };
  }
  return found;
}

function memberOf(line: string): Member {
  const words = splitWords(line);
  const [number = "", major = "", minor = "", raiddevice = ""] = words;
  return { device: words.at(-1)!, major, minor, number, raiddevice, state: words.slice(4, -1).join(" ") };
}

async function detail(context: JobContext, given: unknown): Promise<Record<string, unknown>> {
  const device = operand(given, "a device");
  if (!exists(context.runtime.fs, device)) throw new CommandExecutionError(`Device ${device} doesn't exist!`);
  const members: Record<string, Member> = {};
  const found: Record<string, unknown> = { members };
  for (const line of await lines(context, ["--detail", device])) {
    if (line.startsWith(device) || !line.includes(" ")) continue;
    if (line.includes(":")) {
      const [name = "", value = ""] = line.split(" : ");
      found[name.trim().toLowerCase().replaceAll(" ", "_")] = value.trim();
    } else if (line.includes("/dev/")) {
      const member = memberOf(line);
      members[member.number] = member;
    }
  }
  return found;
}

const configFile = ({ grains }: JobContext): string =>
  grains.os_family === "Debian" ? "/etc/mdadm/mdadm.conf" : "/etc/mdadm.conf";

/** Replaces lines of the configuration; false if there is no such file. */
async function replace(context: JobContext, pattern: string, by: string, append: boolean): Promise<boolean> {
  try {
    await context.call("file.replace", [configFile(context), pattern, by], append ? { append_if_not_found: true } : {});
    return true;
  } catch (error) {
    if (error instanceof SaltInvocationError) return false;
    throw error;
  }
}

/** Options for mdadm by name; true stands for one without a value. */
function optionWords(kwargs: unknown): [string, ...unknown[]][] {
  return Object.entries(ownKeywords(kwargs)).map(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, value]
  );
}

const FURTHER = "\n\nFurther arguments are options of mdadm: chunk=256, or run=True for one without a value.\n\n" +
  "test_mode: only return the command\ndevices: as a list, or with commas";

/** Arrays of disks in software, with mdadm. */
export const module: ExecutionModule = {
  virtual(context) {
    const because = (why: string) => ({ unavailable: `The mdadm execution module cannot be loaded: ${why}` });
    if (context.grains.kernel !== "Linux") return because("only available on Linux.");
    return programPath(context, "mdadm") === undefined ? because("the mdadm binary is not in the path.") : true;
  },
  functions: executionFunctions({
    "list()": { doc: "The arrays of this host.\n\n    salt '*' raid.list", run: list },
    "detail(device='/dev/md0')": {
      doc: "What is known of an array, with its members.\n\n    salt '*' raid.detail /dev/md0",
      run: (context, { device }) => detail(context, device),
    },
    "destroy(device)": {
      doc: "Stops an array and wipes what its members know of it. WARNING: its data is lost.\n\n" +
        "    salt '*' raid.destroy /dev/md0",
      async run(context, { device: given }): Promise<boolean> {
        const device = operand(given, "a device");
        let members: Member[];
        try {
          members = Object.values((await detail(context, device)).members as Record<string, Member>);
        } catch (error) {
          if (error instanceof CommandExecutionError) return false;
          throw error;
        }
        if (await succeeds(context, ["--stop", device])) {
          await succeeds(context, ["--zero-superblock", ...members.map((member) => member.device)]);
        }
        await replace(context, `ARRAY ${device} .*`, "", false);
        return !(device in await list(context));
      },
    },
    "stop()": {
      doc: "Stops all arrays that are not in use; true if mdadm says that it failed, as in Salt.\n\n" +
        "    salt '*' raid.stop",
      run: async (context) => !await succeeds(context, ["--stop", "--scan"]),
    },
    "create(name, level: str, devices, metadata: str='default', test_mode=False, **kwargs)": {
      doc: "Makes an array. WARNING: data on the devices is lost.\n\n" +
        "    salt '*' raid.create /dev/md0 level=1 chunk=256 devices=\"['/dev/xvdd', '/dev/xvde']\" test_mode=True\n\n" +
        `level: such as 1, 5 or 10\nmetadata: the version of what is written of it on its devices${FURTHER}`,
      async run(context, args): Promise<unknown> {
        const devices = operands(args.devices, "a device");
        const spares = Number(args.kwargs["spare-devices"] ?? 0);
        const words = [
          "mdadm",
          "-C",
          operand(args.name, "an array"),
          "-R",
          "-v",
          "-l",
          args.level,
          ...optionWords(args.kwargs).flat().map(str),
          "-e",
          args.metadata,
          "-n",
          str(devices.length - spares),
          ...devices,
        ];
        return args.test_mode === true ? words.join(" ") : await run(context, words);
      },
    },
    "save_config()": {
      doc: "Writes the arrays into mdadm's configuration, and makes the initial RAM disk anew.\n\n" +
        "    salt '*' raid.save_config",
      async run(context): Promise<unknown> {
        let scan = splitLines(await run(context, ["mdadm", "--detail", "--scan"]));
        // Ubuntu names arrays of which these are said by numbers of its own at the next start.
        if (context.grains.os === "Ubuntu") scan = scan.map((line) => line.replace(/\s(?:name|metadata)=\S+/gi, ""));
        for (const line of scan) {
          const volume = splitWords(line)[1];
          if (volume === undefined) continue;
          if (await replace(context, `^ARRAY\\s+${escapeRegexp(volume)}\\s+.*$`, line, true)) continue;
          await context.call("file.write", [configFile(context)], { args: scan });
          break;
        }
        if (context.grains.os_family === "Debian") return await run(context, ["update-initramfs", "-u"]);
        if (context.grains.os_family === "RedHat") return await run(context, ["dracut", "--force"]);
        return null;
      },
    },
    "assemble(name, devices, test_mode=False, **kwargs)": {
      doc:
        `Starts an array that exists on its devices.\n\n    salt '*' raid.assemble /dev/md0 "['/dev/xvdd', '/dev/xvde']"` +
        FURTHER,
      async run(context, args): Promise<unknown> {
        const devices = operands(args.devices, "a device");
        const words = [
          "mdadm",
          "-A",
          operand(args.name, "an array"),
          "-v",
          ...optionWords(args.kwargs).flat(),
          ...devices,
        ];
        return args.test_mode === true ? words : await run(context, words.map(str));
      },
    },
    "examine(device, quiet=False)": {
      doc: "What a device knows of the array that it is in.\n\n    salt '*' raid.examine /dev/sda1\n\n" +
        "quiet: a device that is in none is no failure",
      async run(context, { device, quiet }): Promise<Record<string, string>> {
        const words = ["-Y", "-E", operand(device, "a device")];
        const fields = (await lines(context, words, { ignore_retcode: quiet })).map((line) => {
          const at = line.indexOf("=");
          return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
        });
        return Object.fromEntries(fields);
      },
    },
    "add(name, device)": {
      doc: "Adds a device to an array; true if that went well.\n\n    salt '*' raid.add /dev/md0 /dev/sda1",
      run: async (context, { name, device }) =>
        await succeeds(context, ["--manage", operand(name, "an array"), "--add", operand(device, "a device")]),
    },
  }),
};
