import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { entriesOf, isMap, str, truthy } from "../../language/python/values.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { operand, programPath, run } from "../commands.ts";
import { getconfig, getenforce, kernelPath, setenforce } from "./selinux/mode.ts";
import {
  applyFilePolicy,
  changeFilePolicy,
  changePortPolicy,
  fileType,
  getFilePolicy,
  getPortPolicy,
  pendingLabels,
} from "./selinux/policies.ts";

const succeeds = async (context: JobContext, words: string[]): Promise<boolean> =>
  await context.call("cmd.retcode", [words], { python_shell: false }) === 0;

interface Switch {
  State: string;
  Default: string;
  Description: string;
}

/** The booleans: `name (off , off) what it does`. */
async function booleans(context: JobContext): Promise<Record<string, Switch>> {
  const lines = splitLines(await run(context, ["semanage", "boolean", "-l"])).slice(1);
  return Object.fromEntries(
    lines.map((line) => /^(\S+)\s+\((\S+)\s*,\s*([^\s)]+)\)\s*(.*)$/.exec(line)).filter((found) => found !== null).map(
      ([, name = "", now = "", later = "", words = ""]) => [
        name,
        { State: now, Default: later, Description: splitWords(words).join(" ") },
      ],
    ),
  );
}

interface Package {
  Enabled: boolean;
  Version: string | null;
}

/** The modules of the policy; older programs tell versions, too. */
async function packages(context: JobContext): Promise<Record<string, Package>> {
  const help = splitLines(await run(context, ["semodule", "-h"]));
  const full = help.some((line) => line.trim().startsWith("full"));
  const rows = splitLines(await run(context, ["semodule", full ? "-lfull" : "-l"])).map(splitWords)
    .filter((row) => row.length > 1);
  return Object.fromEntries(
    rows.map((row) =>
      full
        ? [row[1]!, { Enabled: row.length !== 4, Version: null }]
        : [row[0]!, { Enabled: row.length !== 3, Version: row[1]! }]
    ),
  );
}

const value = (given: unknown): string => operand(given, "a value");
const persisting = (persist: unknown): string[] => truthy(persist) ? ["-P"] : [];

const FILE = "name, filetype=None, sel_type=None, sel_user=None, sel_level=None";
const PARTS =
  "\n\nfiletype: a letter: a, f, d, c, b, s, l or p\nsel_type: its type\nsel_user: its user\nsel_level: its level";
const PORT =
  "\n\nname: such as tcp/8080 or udp/1000-1010\nsel_type: its type\nprotocol: tcp or udp, if the name is another";
const PERSIST = "\n\npersist: also after the next boot";

/** What SELinux allows. */
export const module: ExecutionModule = {
  virtual(context) {
    const missing = ["semanage", "setsebool", "semodule"].find((name) => programPath(context, name) === undefined);
    if (missing !== undefined) return { unavailable: `${missing} is not in the path` };
    return context.grains.kernel === "Linux"
      ? true
      : { unavailable: "Module only works on Linux with selinux installed" };
  },
  functions: executionFunctions({
    "selinux_fs_path()": {
      doc: "Where the kernel's file system of SELinux is.\n\n    salt '*' selinux.selinux_fs_path",
      run: kernelPath,
    },
    "getenforce()": {
      doc: "The mode now: Enforcing, Permissive or Disabled.\n\n    salt '*' selinux.getenforce",
      run: getenforce,
    },
    "getconfig()": {
      doc: "The mode that the configuration says.\n\n    salt '*' selinux.getconfig",
      run: getconfig,
    },
    "setenforce(mode)": {
      doc: "Sets the mode, now and in the configuration.\n\nmode: enforcing, permissive, or disabled from the next " +
        "boot on\n\n" + "    salt '*' selinux.setenforce enforcing",
      run: (context, { mode }) => setenforce(context, mode),
    },
    "getsebool(boolean: str)": {
      doc: "A boolean; empty if there is none of that name.\n\nboolean: its name\n\n" +
        "    salt '*' selinux.getsebool virt_use_usb",
      run: async (context, { boolean }) => (await booleans(context))[boolean] ?? {},
    },
    "setsebool(boolean, value, persist=False)": {
      doc: `Sets a boolean; true if that went well.${PERSIST}\nboolean: its name\nvalue: on or off\n\n` +
        "    salt '*' selinux.setsebool virt_use_usb off",
      run: (context, { boolean, value: given, persist }) =>
        succeeds(context, ["setsebool", ...persisting(persist), operand(boolean, "a boolean"), value(given)]),
    },
    "setsebools(pairs, persist=False)": {
      doc: `Sets several booleans; true if that went well.${PERSIST}\npairs: a map of name to on or off\n\n` +
        "    salt '*' selinux.setsebools '{virt_use_usb: on, squid_use_tproxy: off}'",
      async run(context, { pairs, persist }): Promise<unknown> {
        if (!isMap(pairs)) return {};
        const words = entriesOf(pairs).map(([name, given]) => `${operand(name, "a boolean")}=${value(given)}`);
        return await succeeds(context, ["setsebool", ...persisting(persist), ...words]);
      },
    },
    "list_sebool()": {
      doc: "All booleans, now and after the next boot.\n\n    salt '*' selinux.list_sebool",
      run: booleans,
    },
    "getsemod(module: str)": {
      doc: "A module of the policy; empty if there is none of that name.\n\n    salt '*' selinux.getsemod nginx",
      run: async (context, { module: name }) => (await packages(context))[name] ?? {},
    },
    "setsemod(module, state)": {
      doc: "Enables or disables a module of the policy; true if that went well.\n\nstate: Enabled or Disabled\n\n" +
        "    salt '*' selinux.setsemod nginx Enabled",
      async run(context, { module: name, state }): Promise<boolean> {
        const flag = { enabled: "-e", disabled: "-d" }[str(state).toLowerCase()];
        if (flag === undefined) {
          throw new SaltInvocationError(`Cannot set a module to "${str(state)}": expected enabled or disabled`);
        }
        return await succeeds(context, ["semodule", flag, operand(name, "a module of SELinux")]);
      },
    },
    "install_semod(module_path)": {
      doc: "Installs a module of the policy; true if that went well.\n\nmodule_path: a file of this host, or " +
        "salt://\n\n" + "    salt '*' selinux.install_semod salt://selinux/nginx.pp",
      async run(context, { module_path: given }): Promise<boolean> {
        const path = str(given).startsWith("salt://") ? await context.call("cp.cache_file", [given]) : given;
        if (!truthy(path)) {
          throw new CommandExecutionError(`Cannot install ${str(given)}: there is no such file on the master`);
        }
        return await succeeds(context, ["semodule", "-i", operand(path, "a file")]);
      },
    },
    "remove_semod(module)": {
      doc: "Removes a module of the policy; true if that went well.\n\n    salt '*' selinux.remove_semod nginx",
      run: (context, { module: name }) => succeeds(context, ["semodule", "-r", operand(name, "a module of SELinux")]),
    },
    "list_semod()": {
      doc: "All modules of the policy.\n\n    salt '*' selinux.list_semod",
      run: packages,
    },
    "filetype_id_to_string(filetype='a')": {
      doc: "The words for a kind of file.\n\nfiletype: a letter: a, f, d, c, b, s, l or p\n\n" +
        "    salt '*' selinux.filetype_id_to_string f",
      run: (_, { filetype }) => fileType(filetype),
    },
    [`fcontext_get_policy(${FILE})` as const]: {
      doc: `The policy for files; null if there is none such.${PARTS}\nname: its regular expression of paths\n\n` +
        "    salt '*' selinux.fcontext_get_policy '/srv/www(/.*)?'",
      run: getFilePolicy,
    },
    [`fcontext_add_policy(${FILE})` as const]: {
      doc: `Adds a policy for files, or changes it.${PARTS}\nname: its regular expression of paths\n\n` +
        "    salt '*' selinux.fcontext_add_policy '/srv/www(/.*)?' sel_type=httpd_sys_content_t",
      run: (context, args) => changeFilePolicy(context, "add", args),
    },
    [`fcontext_delete_policy(${FILE})` as const]: {
      doc: `Deletes a policy for files.${PARTS}\nname: its regular expression of paths\n\n` +
        "    salt '*' selinux.fcontext_delete_policy '/srv/www(/.*)?'",
      run: (context, args) => changeFilePolicy(context, "delete", args),
    },
    "fcontext_policy_is_applied(name, recursive=False)": {
      doc: "What is to change so that files have the labels of the policy, as restorecon says it; empty if " +
        "nothing.\n\nname: path of a file or directory\n\n" +
        "    salt '*' selinux.fcontext_policy_is_applied /srv/www recursive=True",
      run: pendingLabels,
    },
    "fcontext_apply_policy(name, recursive=False)": {
      doc: "Gives files the labels of the policy.\n\nname: path of a file or directory\n\n" +
        "    salt '*' selinux.fcontext_apply_policy /srv/www recursive=True",
      run: applyFilePolicy,
    },
    "port_get_policy(name, sel_type=None, protocol=None, port=None)": {
      doc: `The policy for a port; null if there is none.${PORT}\n\n    salt '*' selinux.port_get_policy tcp/80`,
      run: getPortPolicy,
    },
    "port_add_policy(name, sel_type=None, protocol=None, port=None, sel_range=None)": {
      doc: `Adds a policy for a port.${PORT}\nsel_range: its range of levels\n\n` +
        "    salt '*' selinux.port_add_policy tcp/8080 http_port_t",
      run: (context, args) => changePortPolicy(context, "add", args),
    },
    "port_delete_policy(name, protocol=None, port=None)": {
      doc: "Deletes a policy for a port.\n\nname: such as tcp/8080\nprotocol: tcp or udp, if the name is another\n\n" +
        "    salt '*' selinux.port_delete_policy tcp/8080",
      run: (context, args) => changePortPolicy(context, "delete", { ...args, sel_type: null, sel_range: null }),
    },
  }),
};
