import { executionFunctions, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import { str, truthy } from "../../language/python/values.ts";
import { exists, isFile } from "../linux/paths.ts";
import { hostEntries, renderHosts, withNames, withoutAlias } from "./hosts/file.ts";
import { fromLatin1, latin1 } from "../bytes.ts";
import { overwrite, readText } from "./file/content.ts";

async function pathOf(context: JobContext): Promise<string> {
  return str(await context.call("config.option", ["hosts.file"]));
}

async function read(context: JobContext): Promise<string> {
  const path = await pathOf(context);
  return exists(context.runtime.fs, path) ? readText(context.runtime.fs, path) : "";
}

/** @returns false if the path is something else than a file */
async function write(context: JobContext, text: string): Promise<boolean> {
  const { fs } = context.runtime;
  const path = await pathOf(context);
  if (exists(fs, path) && !isFile(fs, path)) return false;
  overwrite(context.runtime, path, text);
  return true;
}

/** Changes lines byte by byte, whatever their encoding is. */
async function writeBytes(context: JobContext, change: (text: string) => string): Promise<boolean> {
  const { fs } = context.runtime;
  const path = await pathOf(context);
  if (exists(fs, path) && !isFile(fs, path)) return false;
  overwrite(context.runtime, path, fromLatin1(change(exists(fs, path) ? latin1(fs.read(path)) : "")));
  return true;
}

const asBytes = (text: string) => latin1(new TextEncoder().encode(text));

const aliasesOf = async (context: JobContext, ip: unknown) =>
  hostEntries(await read(context)).find((entry) => entry.ip === str(ip))?.aliases;

async function hasPair(context: JobContext, ip: unknown, alias: unknown): Promise<boolean> {
  const aliases = await aliasesOf(context, ip);
  if (aliases === undefined) return false;
  return (Array.isArray(alias) ? alias : [alias]).every((one) => aliases.includes(str(one)));
}

/** The table of host names of this machine: the option `hosts.file`, or /etc/hosts. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "list_hosts()": {
      doc:
        "The hosts file: address → `{aliases, comment}`, and `comment-<n>` → its lines.\n\n    salt '*' hosts.list_hosts",
      run: async (context) =>
        Object.fromEntries(
          hostEntries(await read(context)).map(({ ip, aliases, comment, line }) => [
            ip,
            line !== undefined ? [line] : { aliases, ...(comment === undefined ? {} : { comment }) },
          ]),
        ),
    },
    "get_ip(host: str)": {
      doc: "The first address of a host name, or an empty text.\n\n    salt '*' hosts.get_ip web1",
      run: async (context, { host }) =>
        hostEntries(await read(context)).find(({ aliases }) => aliases.includes(host))?.ip ?? "",
    },
    "get_alias(ip)": {
      doc: "The names of an address.\n\n    salt '*' hosts.get_alias 10.0.0.1",
      run: async (context, { ip }) => await aliasesOf(context, ip) ?? [],
    },
    "has_pair(ip, alias)": {
      doc: "True if the address has that name, or all names of a list.\n\n    salt '*' hosts.has_pair 10.0.0.1 web1",
      run: (context, { ip, alias }) => hasPair(context, ip, alias),
    },
    "set_host(ip: str, alias: str, comment=None)": {
      doc: "Replaces all names of an address; an empty text removes it.\n\n    salt '*' hosts.set_host 10.0.0.1 web1",
      run: (context, { ip, alias, comment }) =>
        writeBytes(
          context,
          (text) => withNames(text, asBytes(ip), asBytes(alias), truthy(comment) ? asBytes(str(comment)) : undefined),
        ),
    },
    "rm_host(ip, alias)": {
      doc: "Takes a name from an address.\n\n    salt '*' hosts.rm_host 10.0.0.1 web1",
      async run(context, { ip, alias }) {
        if (!await hasPair(context, ip, alias)) return true;
        return await writeBytes(context, (text) => withoutAlias(text, asBytes(str(ip)), asBytes(str(alias))));
      },
    },
    "add_host(ip, alias)": {
      doc: "Gives an address a further name.\n\n    salt '*' hosts.add_host 10.0.0.1 web1",
      async run(context, { ip, alias }) {
        if (await hasPair(context, ip, alias)) return true;
        const entries = hostEntries(await read(context));
        const entry = entries.find((one) => one.ip === str(ip));
        if (entry === undefined) entries.push({ ip: str(ip), aliases: [str(alias)] });
        else entry.aliases.push(str(alias));
        return await write(context, renderHosts(entries));
      },
    },
    "set_comment(ip: str, comment: str)": {
      doc:
        "Sets the comment of an address; False if the address is not there.\n\n    salt '*' hosts.set_comment 10.0.0.1 words",
      async run(context, { ip, comment }) {
        const entries = hostEntries(await read(context));
        const entry = entries.find((one) => one.ip === ip);
        if (entry === undefined || entry.line !== undefined) return false;
        if (entry.comment === comment) return true;
        entry.comment = comment;
        return await write(context, renderHosts(entries));
      },
    },
  }),
};
