import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { operand, programPath, run, runAll } from "../commands.ts";

const STATUSES: Readonly<Record<string, string>> = {
  M: "modified",
  A: "added",
  R: "removed",
  C: "clean",
  "!": "missing",
  "?": "not tracked",
  I: "ignored",
  " ": "origin of the previous file",
};

const OF_REPOSITORY = "cwd: the directory of the repository\nuser: the user that runs hg";

/** Where and as whom hg runs. */
const place = ({ cwd, user }: Args) => ({ cwd, runas: user });

/** Options of hg that the caller gave as one text. */
const given = (opts: unknown): string[] => truthy(opts) ? splitWords(str(opts)) : [];

/** The remote shell with a key. hg hands it to a shell: a path may have nothing that this shell reads. */
function remoteShell(identity: unknown): string[] {
  if (!truthy(identity)) return [];
  const path = operand(identity, "the path of a key");
  if (/[^\w@%+=:,./~-]/.test(path)) {
    throw new SaltInvocationError(`Cannot use "${path}" as the path of a key: expected letters, digits and "/"`);
  }
  return ["--ssh", `ssh -i ${path}`];
}

/** The words that hg gets from a caller of `latest`. @throws {SaltInvocationError} for what reads as an option */
export function checkedWords({ repository, target, rev, identity }: Args): void {
  operand(repository, "a repository");
  operand(target, "a directory");
  if (truthy(rev)) operand(rev, "a revision");
  remoteShell(identity);
}

async function changing(context: JobContext, words: string[], options: Record<string, unknown>): Promise<string> {
  const { retcode, stdout, stderr } = await runAll(context, ["hg", ...words], options);
  if (retcode !== 0) throw new CommandExecutionError(`Hg command failed: ${stderr}`);
  return stdout;
}

async function revision(context: JobContext, args: Args): Promise<string> {
  const words = ["hg", "id", "-i", ...(truthy(args.short) ? [] : ["--debug"]), "-r", operand(args.rev, "a revision")];
  const { retcode, stdout } = await runAll(context, words, place(args));
  return retcode === 0 ? stdout : "";
}

async function statusOf(context: JobContext, args: Args): Promise<Record<string, string[]>> {
  const words = ["hg", "status", ...given(args.opts)];
  const text = await context.call("cmd.run_stdout", [words], { ...place(args), python_shell: false });
  const found: Record<string, string[]> = {};
  for (const line of splitLines(str(text))) {
    const kind = STATUSES[line[0] ?? ""];
    if (kind !== undefined) (found[kind] ??= []).push(line.slice(2));
  }
  return found;
}

/** Repositories of Mercurial. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "hg") !== undefined ||
    { unavailable: "The hg execution module cannot be loaded: hg unavailable." },
  functions: executionFunctions({
    "revision(cwd, rev='tip', short=False, user=None)": {
      doc:
        "The full id of a revision; an empty text if there is none.\n\n    salt '*' hg.revision /path/to/repo mybranch\n\n" +
        `${OF_REPOSITORY}\nshort: the short id`,
      run: revision,
    },
    "describe(cwd, rev='tip', user=None)": {
      doc: "A name of a revision by the tag before it.\n\n    salt '*' hg.describe /path/to/repo\n\n" + OF_REPOSITORY,
      async run(context, args): Promise<string> {
        const template = "{latesttag}-{latesttagdistance}-{node|short}";
        const words = ["hg", "log", "-r", operand(args.rev, "a revision"), "--template", template];
        const text = await context.call("cmd.run_stdout", [words], { ...place(args), python_shell: false });
        return str(text) || await revision(context, { ...args, short: true });
      },
    },
    "archive(cwd, output, rev='tip', fmt=None, prefix=None, user=None)": {
      doc:
        "Writes a revision to an archive.\n\n    salt '*' hg.archive /path/to/repo output=/tmp/archive.tgz fmt=tgz\n\n" +
        `${OF_REPOSITORY}\noutput: path of the archive\nfmt: such as tgz or zip\nprefix: directory within the archive`,
      run(context, args): Promise<string> {
        const words = ["hg", "archive", operand(args.output, "a path"), "--rev", operand(args.rev, "a revision")];
        if (truthy(args.fmt)) words.push("--type", str(args.fmt));
        if (truthy(args.prefix)) words.push("--prefix", str(args.prefix));
        return run(context, words, place(args));
      },
    },
    "pull(cwd, opts=None, user=None, identity=None, repository=None)": {
      doc: "Fetches changes.\n\n    salt '*' hg.pull /path/to/repo opts=-u\n\n" +
        `${OF_REPOSITORY}\nopts: options of hg, as one text\nidentity: path of a private key\n` +
        "repository: where from",
      run: (context, args): Promise<string> =>
        changing(context, [
          "pull",
          ...remoteShell(args.identity),
          ...given(args.opts),
          ...(args.repository === null ? [] : [operand(args.repository, "a repository")]),
        ], place(args)),
    },
    "update(cwd, rev, force: bool=False, user=None)": {
      doc: "Checks out a revision.\n\n    salt '*' hg.update /path/to/repo somebranch\n\n" +
        `${OF_REPOSITORY}\nforce: drop changes of the working directory`,
      run: (context, args): Promise<string> =>
        changing(
          context,
          ["update", operand(args.rev, "a revision"), ...(args.force ? ["-C"] : [])],
          place(args),
        ),
    },
    "clone(cwd, repository, opts=None, user=None, identity=None)": {
      doc: "Clones a repository.\n\n    salt '*' hg.clone /path/to/repo https://bitbucket.org/birkenfeld/sphinx\n\n" +
        `${OF_REPOSITORY}\nrepository: where from\nopts: options of hg, as one text\nidentity: path of a private key`,
      run: (context, args): Promise<string> =>
        changing(context, [
          "clone",
          operand(args.repository, "a repository"),
          operand(args.cwd, "a directory"),
          ...given(args.opts),
          ...remoteShell(args.identity),
        ], { runas: args.user }),
    },
    "status(cwd, opts=None, user=None)": {
      doc: "The files that differ, by how.\n\n    salt '*' hg.status /path/to/repo\n\n" +
        "cwd: a repository, or a list of them\nuser: the user that runs hg\nopts: options of hg, as one text",
      async run(context, args): Promise<Record<string, unknown>> {
        if (!Array.isArray(args.cwd)) return await statusOf(context, args);
        const found: Record<string, unknown> = {};
        for (const cwd of args.cwd) found[str(cwd)] = await statusOf(context, { ...args, cwd });
        return found;
      },
    },
  }),
};
