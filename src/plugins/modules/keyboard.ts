import type { Context, ExecutionModule } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { str } from "../../language/python/values.ts";
import { programPath, run } from "../commands.ts";
import { isFile } from "../linux/paths.ts";

/** Where the layout stands without localectl, by family. */
const FILES: Record<string, { path: string; variable: string }> = {
  RedHat: { path: "/etc/sysconfig/keyboard", variable: "LAYOUT" },
  Debian: { path: "/etc/default/keyboard", variable: "XKBLAYOUT" },
  Gentoo: { path: "/etc/conf.d/keymaps", variable: "keymap" },
};

const hasLocalectl = (context: Context) => programPath(context, "localectl") !== undefined;
const fileOf = ({ grains }: Context) => FILES[str(grains.os_family)];

/** @throws {SaltInvocationError} for what is no name of a layout: it goes into files and onto command lines */
export function layoutName(layout: unknown): string {
  const name = str(layout);
  if (/^[A-Za-z0-9][\w,.()+-]*$/.test(name)) return name;
  throw new SaltInvocationError(`"${name}" is not a keyboard layout, such as us or de-latin1`);
}

export const module: ExecutionModule = {
  virtual: (context) =>
    hasLocalectl(context) || fileOf(context) !== undefined ? true : {
      unavailable:
        "The keyboard execution module cannot be loaded: only works on Redhat, Debian or Gentoo systems or if " +
        "localectl binary in path.",
    },
  functions: executionFunctions({
    "get_sys()": {
      doc: "The layout of the system.\n\n    salt '*' keyboard.get_sys",
      async run(context): Promise<string> {
        if (hasLocalectl(context)) {
          const line = (await run(context, ["localectl"])).split("\n").find((one) => one.includes("Keymap"));
          if (line !== undefined) return line.slice(line.indexOf(": ") + 2).trim();
        }
        const file = fileOf(context);
        const { fs } = context.runtime;
        const line = file === undefined || !isFile(fs, file.path)
          ? undefined
          : fs.readText(file.path).split("\n").find((one) => one.startsWith(`${file.variable}=`));
        if (line === undefined) throw new CommandExecutionError("Cannot find the keyboard layout of this system");
        return line.slice(line.indexOf("=") + 1).replaceAll('"', "");
      },
    },
    "set_sys(layout)": {
      doc: "Sets the layout of the system.\n\n    salt '*' keyboard.set_sys dvorak",
      async run(context, { layout }): Promise<string> {
        const name = layoutName(layout);
        const file = fileOf(context);
        if (hasLocalectl(context)) await run(context, ["localectl", "set-keymap", name]);
        else if (file !== undefined) {
          await context.call("file.replace", [file.path, `^${file.variable}=.*`, `${file.variable}=${name}`]);
        }
        return name;
      },
    },
    "get_x()": {
      doc: "The layout of X.\n\n    salt '*' keyboard.get_x",
      async run(context) {
        const line = (await run(context, ["setxkbmap", "-query"])).split("\n").find((one) => one.startsWith("layout"));
        if (line === undefined) throw new CommandExecutionError("setxkbmap does not tell the layout of X");
        return line.slice(line.indexOf(":") + 1).trim();
      },
    },
    "set_x(layout)": {
      doc: "Sets the layout of X.\n\n    salt '*' keyboard.set_x dvorak",
      async run(context, { layout }) {
        const name = layoutName(layout);
        await run(context, ["setxkbmap", name]);
        return name;
      },
    },
  }),
};
