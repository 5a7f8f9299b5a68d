import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  executionFunctions,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { str } from "../../language/python/values.ts";
import { programPath, runAll } from "../commands.ts";
import { pythonError } from "../python_errors.ts";
import { overwrite, readText } from "./file/content.ts";

/** Hosts that may use an export, and how. */
export interface NfsClient {
  hosts: string;
  options: string[];
}

function clientOf(word: string, file: string): NfsClient {
  const at = word.indexOf("(");
  // To write such a line again could change what it means.
  if (at < 0) throw new CommandExecutionError(`Cannot read "${word}" in ${file}: expected HOSTS(OPTIONS)`);
  return { hosts: word.slice(0, at), options: word.slice(at + 1).split("(")[0]!.replaceAll(")", "").split(",") };
}

function read({ runtime }: JobContext, file: string): Map<string, NfsClient[]> {
  const found = new Map<string, NfsClient[]>();
  for (const line of splitLines(readText(runtime.fs, file))) {
    const [path, ...words] = splitWords(line);
    if (path === undefined || line.startsWith("#")) continue;
    const clients = found.get(path) ?? [];
    found.set(path, clients);
    for (const word of words) {
      if (word.startsWith("/")) found.set(word, clients);
      else clients.push(clientOf(word, file));
    }
  }
  return found;
}

function write({ runtime }: JobContext, file: string, exported: ReadonlyMap<string, readonly NfsClient[]>): void {
  const lines = [...exported].map(([path, clients]) =>
    `${[path, ...clients.map(({ hosts, options }) => `${hosts}(${options.join(",")})`)].join(" ")}\n`
  );
  overwrite(runtime, file, lines.join(""));
}

/** A client of an export as the file takes it. @throws {SaltInvocationError} if a part is not one word there */
export function exportClient(path: unknown, hosts: unknown, options: unknown): NfsClient {
  if (typeof hosts !== "string") throw new InvalidArgumentsError("hosts argument must be a string");
  const list = Array.isArray(options) ? options.map(str) : str(options ?? "").split(",").filter((one) => one !== "");
  const wrong = [str(path), hosts, ...list].find((word) => word === "" || /[\s()#\0]/.test(word));
  if (wrong !== undefined) {
    throw new SaltInvocationError(`Cannot export with ${JSON.stringify(wrong)}: expected one word`);
  }
  return { hosts, options: list };
}

/** Directories that are exported over NFS. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "showmount") !== undefined ||
    { unavailable: "The nfs3 execution module failed to load: the showmount binary is not in the path." },
  functions: executionFunctions({
    "list_exports(exports: str='/etc/exports')": {
      doc: "The exports: directory → its clients.\n\n    salt '*' nfs3.list_exports\n\nexports: path of the file",
      run: (context, { exports: file }) => Object.fromEntries(read(context, file)),
    },
    "del_export(exports: str='/etc/exports', path: str=None)": {
      doc: "Removes an export; returns the others.\n\n    salt '*' nfs3.del_export /etc/exports /media/storage\n\n" +
        "exports: path of the file\npath: the directory",
      run(context, { exports: file, path }): Record<string, NfsClient[]> {
        const exported = read(context, file);
        if (!exported.delete(path)) throw pythonError("KeyError", `'${path}'`);
        write(context, file, exported);
        return Object.fromEntries(exported);
      },
    },
    "add_export(exports: str='/etc/exports', path: str=None, hosts=None, options=None)": {
      doc: "Adds a client to an export.\n\n" +
        `    salt '*' nfs3.add_export path='/srv/test' hosts='127.0.0.1' options=['rw']\n\n` +
        "exports: path of the file\npath: the directory\nhosts: a host, a network or a pattern\noptions: a list",
      run(context, { exports: file, path, hosts, options }): NfsClient {
        const client = exportClient(path, hosts, options);
        const exported = read(context, file);
        exported.set(path, [...exported.get(path) ?? [], client]);
        write(context, file, exported);
        return client;
      },
    },
    "reload_exports()": {
      doc: "Makes the server read the exports again.\n\n    salt '*' nfs3.reload_exports",
      async run(context) {
        const { stdout, stderr } = await runAll(context, ["exportfs", "-r"]);
        return { stdout, stderr, result: stderr === "" };
      },
    },
  }),
};
