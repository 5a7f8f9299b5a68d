import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions } from "../../model/loader/family.ts";
import { str, toFloat, truthy } from "../../language/python/values.ts";
import { floatOfText, splitLines, splitWords, strip } from "../../language/python/text.ts";
import { programPath, run, runAll } from "../commands.ts";
import { configurationText } from "./apache/configuration.ts";
import { DEBIAN_FUNCTIONS } from "./apache/debian.ts";
import { overwrite } from "./file/content.ts";

const SIGNALS = ["start", "stop", "restart", "graceful", "graceful-stop"];
const COMMANDS = ["configtest", "status", "fullstatus"];
const SLOTS = ["_", "S", "R", "W", "K", "D", "C", "L", "G", "I", "."];

const program = ({ grains }: Pick<JobContext, "grains">): string =>
  grains.os_family === "Debian" || grains.os_family === "Suse" ? "apache2ctl" : "apachectl";

const output = (context: JobContext, option: string): Promise<string> => run(context, [program(context), option]);

const said = async (context: JobContext, option: string): Promise<string[]> =>
  splitLines(await output(context, option));

async function send(context: JobContext, signal: string): Promise<string> {
  const words = [program(context), ...(SIGNALS.includes(signal) ? ["-k"] : []), signal];
  const { stdout, stderr } = await runAll(context, words);
  if (stderr !== "" || stdout !== "") return strip(stderr === "" ? stdout : stderr);
  return `Command: "${words.join(" ")}" completed successfully!`;
}

function statusValue(text: string): unknown {
  if (/^\d+$/.test(text)) return Number(text);
  const number = floatOfText(text);
  return number === undefined ? text : toFloat(number);
}

/** The web server Apache; on Debian with its programs `a2enmod` and the like. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, program(context)) !== undefined ||
    { unavailable: "The apache execution module cannot be loaded: apache is not installed." },
  functions: executionFunctions({
    "version()": {
      doc: "The version of Apache.\n\n    salt '*' apache.version",
      async run(context): Promise<string> {
        const text = await output(context, "-v");
        const found = splitLines(text)[0]?.split(": ")[1];
        if (found === undefined) throw new CommandExecutionError(`Cannot read the version of Apache from "${text}"`);
        return found;
      },
    },
    "fullversion()": {
      doc: "The version of Apache, and how it was built.\n\n    salt '*' apache.fullversion",
      async run(context): Promise<Record<string, unknown>> {
        const options: string[] = [];
        const found: Record<string, unknown> = { compiled_with: options };
        for (const line of await said(context, "-V")) {
          const [name = "", value] = line.split(": ");
          if (value !== undefined) found[strip(name).toLowerCase().replaceAll(" ", "_")] = strip(value);
          else if (line.includes(" -D")) options.push(line.replace(/^\s+-D\s+/, ""));
        }
        return found;
      },
    },
    "modules()": {
      doc: "The modules of Apache, static and shared.\n\n    salt '*' apache.modules",
      async run(context): Promise<Record<"static" | "shared", string[]>> {
        const lines = await said(context, "-M");
        const of = (kind: string) =>
          lines.filter((line) => line.includes(`(${kind})`)).map((line) => splitWords(line)[0]!);
        return { static: of("static"), shared: of("shared") };
      },
    },
    "servermods()": {
      doc: "The modules that Apache was built with.\n\n    salt '*' apache.servermods",
      run: async (context) => (await said(context, "-l")).filter((line) => line.includes(".c")).map(strip),
    },
    "directives()": {
      doc: "The directives that Apache knows, each with what it means.\n\n    salt '*' apache.directives",
      async run(context): Promise<Record<string, string>> {
        const lines = splitLines((await output(context, "-L")).replaceAll("\n\t", "\t")).filter((line) => line !== "");
        return Object.fromEntries(lines.map((line) => {
          const [name, ...rest] = line.split("\t");
          return [name, rest.join("\n")];
        }));
      },
    },
    "vhosts()": {
      doc: "The virtual hosts by name.\n\n    salt '*' apache.vhosts",
      async run(context): Promise<Record<string, unknown>> {
        const found: Record<string, Record<string, unknown>> = {};
        let hosts: Record<string, unknown> = {};
        for (const line of await said(context, "-S")) {
          const [first = "", port, host = "", name = "", file = ""] = splitWords(line);
          const plain = (text: string) => text.replace(/[()]/g, "");
          if (line.includes("is a NameVirtualHost")) hosts = found[first] = {};
          else if (first === "default") hosts.default = { vhost: host, conf: plain(name) };
          else if (first === "port") hosts[name] = { vhost: name, conf: plain(file), port };
        }
        return found;
      },
    },
    "signal(signal: str=None)": {
      doc: "Starts Apache, or sends it a signal.\n\n    salt '*' apache.signal restart\n\n" +
        `signal: ${[...SIGNALS, ...COMMANDS].join(", ")}`,
      run: async (context, { signal }) =>
        [...SIGNALS, ...COMMANDS].includes(signal) ? await send(context, signal) : null,
    },
    "useradd(pwfile, user, password, opts='')": {
      doc: "Adds a user to a password file, by webutil.useradd.\n\n" +
        "    salt '*' apache.useradd /etc/httpd/htpasswd larry badpassword",
      run: (context, { pwfile, user, password, opts }) =>
        context.call("webutil.useradd", [pwfile, user, password, opts]),
    },
    "userdel(pwfile, user)": {
      doc: "Removes a user from a password file, by webutil.userdel.\n\n" +
        "    salt '*' apache.userdel /etc/httpd/htpasswd larry",
      run: (context, { pwfile, user }) => context.call("webutil.userdel", [pwfile, user]),
    },
    "server_status(profile: str='default')": {
      doc: "The numbers that mod_status shows.\n\n    salt '*' apache.server_status\n\n" +
        "profile: part of the options apache.server-status:PROFILE: url, user and pass",
      async run(context, { profile }): Promise<unknown> {
        const option = (name: string, fallback: unknown) =>
          context.call("config.get", [`apache.server-status:${profile}:${name}`, fallback]);
        const url = str(await option("url", "http://localhost/server-status"));
        const [username, password] = [await option("user", ""), await option("pass", "")];
        const login = truthy(username) && truthy(password) ? { username, password } : {};
        const page = await context.call("http.query", [`${url}?auto`], login) as Record<string, unknown>;
        if (page.body === undefined || page.error !== undefined) return "error";
        const board: Record<string, number> = Object.fromEntries(SLOTS.map((slot) => [slot, 0]));
        const found: Record<string, unknown> = { Scoreboard: board };
        for (const line of splitLines(str(page.body))) {
          const at = line.indexOf(":");
          if (at < 0) continue;
          const [name, value] = [strip(line.slice(0, at)), strip(line.slice(at + 1))];
          if (name !== "Scoreboard") found[name] = statusValue(value);
          else for (const slot of value) board[slot] = (board[slot] ?? 0) + 1;
        }
        return found;
      },
    },
    "config(name: str, config, edit: bool=True)": {
      doc: "The text of a configuration, which is written to a file unless `edit` is False.\n\n" +
        `    salt '*' apache.config /etc/httpd/conf.d/ports.conf config="[{'Listen': '22'}]"\n\n` +
        "config: a list of maps: directives with their values, and sections, whose `this` is their argument",
      run(context, { name, config: given, edit }): string {
        const text = configurationText(given);
        if (edit) overwrite(context.runtime, name, `# This file is managed by Salt.\n${text}`);
        return text;
      },
    },
    ...DEBIAN_FUNCTIONS,
  }),
};
