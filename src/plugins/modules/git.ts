import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { type Args, isInteger, str, truthy } from "../../language/python/values.ts";
import { splitLines } from "../../language/python/text.ts";
import { basename } from "../../language/python/posixpath.ts";
import { programPath } from "../commands.ts";
import { keywords } from "../keywords.ts";
import { exists } from "../linux/paths.ts";
import { shellWords } from "../linux/words.ts";
import { configGet, configGetRegexp, gitConfigSet, gitConfigUnset } from "./git/config.ts";
import type { GitRunOptions } from "./git/run.ts";
import {
  checkoutDirectory,
  git,
  gitCommand,
  gitOptionWords,
  gitOutput,
  gitVersionOf,
  withCredentials,
} from "./git/run.ts";
import { addWorktree, isWorktree, listWorktrees, pruneWorktrees, removeWorktree } from "./git/worktree.ts";
import { mergeBase, mergeTree } from "./git/merge.ts";
import { commaList, fetchRefs, given, lsRemote, remoteGet, remoteRefs, remotes, remoteSet } from "./git/remotes.ts";

/** Arguments that most functions end with. */
const END = "user=None, password=None, ignore_retcode=False, output_encoding=None";

const OPTS = "opts='', git_opts=''";

const IDENTITY = "user=None, password=None, identity=None, ignore_retcode=False";

/** The same, for a command whose words depend on the arguments only. */
const simple = (words: (args: Args) => string[], options: GitRunOptions = {}) => (context: JobContext, args: Args) =>
  gitOutput(context, args, words(args), options);

function checkoutWords(args: Args): string[] {
  const opts = gitOptionWords(args.opts);
  if (args.rev === null && !opts.includes("-b") && !opts.includes("-B")) {
    throw new SaltInvocationError("'rev' argument is required unless -b or -B in opts");
  }
  return [...gitCommand(args, "checkout"), ...(truthy(args.force) ? ["--force"] : []), ...opts, ...given(args.rev)];
}

async function clone(context: JobContext, args: Args): Promise<true> {
  const cwd = checkoutDirectory(context, args);
  if (!truthy(args.url)) throw new SaltInvocationError("Missing 'url' argument");
  const url = withCredentials(args.url, args.https_user, args.https_pass);
  const words = [...gitCommand(args, "clone"), ...gitOptionWords(args.opts), "--", url];
  if (args.name === null) await git(context, [...words, cwd], args, { cwd: "/" });
  else {
    if (!exists(context.runtime.fs, cwd)) context.runtime.fs.mkdir(cwd);
    await git(context, [...words, str(args.name)], args, { cwd });
  }
  return true;
}

function diffWords(args: Args): string[] {
  if (truthy(args.no_index) && truthy(args.cached)) {
    throw new CommandExecutionError("The 'no_index' and 'cached' options cannot be used together");
  }
  const words = [...gitCommand(args, "diff"), ...gitOptionWords(args.opts)];
  const items = [args.item1, args.item2].filter(truthy).map(str);
  if (truthy(args.no_index)) words.push("--no-index");
  else if (truthy(args.cached)) words.push("--cached", ...[args.item1].filter(truthy).map(str));
  else words.push(...items);
  if (truthy(args.paths)) words.push("--", ...commaList(args.paths));
  return words;
}

async function init(context: JobContext, args: Args): Promise<string> {
  const { shared } = args;
  const sharing = isInteger(shared) ? `0${shared}` : typeof shared === "string" ? shared : str(shared).toLowerCase();
  const words = [
    ...gitCommand(args, "init"),
    ...(truthy(args.bare) ? ["--bare"] : []),
    ...given(args.template).map((path) => `--template=${path}`),
    ...given(args.separate_git_dir).map((path) => `--separate-git-dir=${path}`),
    ...(shared === null ? [] : [`--shared=${sharing}`]),
    ...gitOptionWords(args.opts),
    checkoutDirectory(context, args),
  ];
  return (await git(context, words, args)).stdout;
}

const STATES: Record<string, string> = { M: "modified", A: "new", D: "deleted", "??": "untracked" };

function tagWords(args: Args): string[] {
  const opts = gitOptionWords(args.opts).filter((option) => option !== "-a" && option !== "--annotate");
  if (opts.some((option) => option === "-m" || option.includes("--message"))) {
    throw new SaltInvocationError('Tag messages must be passed in the "message" argument');
  }
  const message = args.message === null ? [] : ["-a", "-m", str(args.message)];
  const deletes = opts.includes("-d") || opts.includes("--delete");
  return [...gitCommand(args, "tag"), ...message, ...opts, str(args.name), ...(deletes ? [] : [str(args.ref)])];
}

function symbolicRefWords(args: Args): string[] {
  const opts = gitOptionWords(args.opts);
  if (args.value !== null && (opts.includes("-d") || opts.includes("--delete"))) {
    throw new SaltInvocationError("Value cannot be set for symbolic ref if -d/--delete is included in opts");
  }
  return [
    ...gitCommand(args, "symbolic-ref"),
    ...opts,
    str(args.ref),
    ...(truthy(args.value) ? [str(args.value)] : []),
  ];
}

function rebaseWords(args: Args): string[] {
  const opts = gitOptionWords(args.opts);
  if (opts.some((option) => option === "-i" || option === "--interactive")) {
    throw new SaltInvocationError("Interactive rebases are not supported");
  }
  return [...gitCommand(args, "rebase"), ...opts, ...shellWords(str(args.rev))];
}

const forEachRef = (refs: string) => ["git", "for-each-ref", "--format", "%(refname:short)", refs];

/** Repositories, by the program git. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "git") === undefined
      ? { unavailable: "The git execution module cannot be loaded: git unavailable." }
      : true,
  functions: executionFunctions({
    "version(versioninfo: bool=False)": {
      doc: "The version of git; with `versioninfo` as numbers.\n\n    salt '*' git.version",
      async run(context, { versioninfo }) {
        const version = await gitVersionOf(context);
        if (!versioninfo) return version;
        return version.split(".").map((part) => /^\d+$/.test(part) ? Number(part) : part);
      },
    },
    init: executionFunction({
      signature: `cwd, bare=False, template=None, separate_git_dir=None, shared=None, opts='', git_opts='', ${END}`,
      doc: "Creates a repository.\n\n    salt '*' git.init /path/to/repo",
      run: init,
    }),
    clone: executionFunction({
      signature:
        `cwd, url=None, name=None, opts='', git_opts='', user=None, password=None, identity=None, https_user=None,
        https_pass=None, ignore_retcode=False, saltenv='base', output_encoding=None`,
      doc: "Clones a repository into a directory, or with `name` into one below it.\n\n" +
        "    salt '*' git.clone /path/to/repo git://github.com/saltstack/salt.git",
      run: clone,
    }),
    [`add(cwd, filename, ${OPTS}, ${END})` as const]: {
      doc: "Adds a file to the index.\n\n    salt '*' git.add /path/to/repo foo/bar.py",
      run: simple((args) => [
        ...gitCommand(args, "add", "--verbose"),
        ...gitOptionWords(args.opts).filter((option) => option !== "-v" && option !== "--verbose"),
        "--",
        str(args.filename),
      ]),
    },
    [`archive(cwd, output, rev: str='HEAD', prefix=None, git_opts='', ${END}, **kwargs)` as const]: {
      doc: "Exports a revision of a repository as an archive; `format` may be tar or zip.\n\n" +
        "    salt '*' git.archive /path/to/repo /path/to/archive.tar",
      async run(context, args) {
        const { format } = keywords(args.kwargs, "format");
        const prefix = truthy(args.prefix) ? str(args.prefix) : `${basename(checkoutDirectory(context, args))}/`;
        const words = [
          ...gitCommand(args, "archive"),
          ...(args.prefix === "" ? [] : ["--prefix", prefix]),
          ...(truthy(format) ? ["--format", str(format)] : []),
          "--output",
          checkoutDirectory(context, { ...args, cwd: args.output }),
          args.rev,
        ];
        await gitOutput(context, args, words);
        return true;
      },
    },
    [`branch(cwd, name=None, ${OPTS}, ${END})` as const]: {
      doc: "Creates a branch; `opts` may ask for another action, such as -d.\n\n" +
        "    salt '*' git.branch /path/to/repo mybranch opts='--set-upstream-to=origin/mybranch'",
      async run(context, args) {
        await gitOutput(context, args, [
          ...gitCommand(args, "branch"),
          ...gitOptionWords(args.opts),
          ...given(args.name),
        ]);
        return true;
      },
    },
    [`checkout(cwd, rev=None, force=False, ${OPTS}, ${END})` as const]: {
      doc: "Checks out a branch, tag or commit.\n\n    salt '*' git.checkout /path/to/repo somebranch",
      run: simple(checkoutWords, { redirect: true }),
    },
    commit: executionFunction({
      signature:
        `cwd, message, ${OPTS}, user=None, password=None, filename=None, ignore_retcode=False, output_encoding=None`,
      doc: "Commits what was added, or a file.\n\n    salt '*' git.commit /path/to/repo 'The commit message'",
      run: simple((args) => [
        ...gitCommand(args, "commit", "-m", str(args.message)),
        ...gitOptionWords(args.opts),
        ...(truthy(args.filename) ? ["--", str(args.filename)] : []),
      ]),
    }),
    [`config_get(key, cwd=None, ${END}, **kwargs)` as const]: {
      doc: "A value of the configuration; `all` returns every value, `global` reads the user's " +
        "configuration.\n\n" + "    salt '*' git.config_get user.name cwd=/path/to/repo",
      run: configGet,
    },
    [`config_get_regexp(key, value_regex=None, cwd=None, ${END}, **kwargs)` as const]: {
      doc: "Values of the configuration whose names match a regular expression.\n\n" +
        "    salt '*' git.config_get_regexp 'foo.*' cwd=/path/to/repo",
      run: configGetRegexp,
    },
    [`config_get_regex(key, value_regex=None, cwd=None, ${END}, **kwargs)` as const]: {
      doc: "The same as git.config_get_regexp.\n\n    salt '*' git.config_get_regex 'foo.*' cwd=/path/to/repo",
      run: configGetRegexp,
    },
    [`config_set(key, value=None, multivar=None, cwd=None, ${END}, **kwargs)` as const]: {
      doc: "Sets one or several values of the configuration; `add` keeps the others, `global` writes the user's " +
        "configuration.\n\n" + "    salt '*' git.config_set user.email me@example.com cwd=/path/to/repo",
      run: gitConfigSet,
    },
    [`config_unset(key, value_regex=None, cwd=None, ${END}, **kwargs)` as const]: {
      doc: "Removes a value from the configuration; `all` removes every value of that name.\n\n" +
        "    salt '*' git.config_unset foo.bar cwd=/path/to/repo",
      run: gitConfigUnset,
    },
    [`current_branch(cwd, ${END})` as const]: {
      doc: "The branch that is checked out.\n\n    salt '*' git.current_branch /path/to/repo",
      run: simple(() => ["git", "rev-parse", "--abbrev-ref", "HEAD"]),
    },
    [`describe(cwd, rev='HEAD', ${END})` as const]: {
      doc: "Describes a commit by the last tag before it.\n\n    salt '*' git.describe /path/to/repo",
      run: simple(({ rev }) => ["git", "describe", "--always", str(rev)]),
    },
    diff: executionFunction({
      signature:
        `cwd, item1=None, item2=None, ${OPTS}, user=None, password=None, no_index=False, cached=False, paths=None,
        output_encoding=None`,
      doc: "The changes between two revisions, or in the work tree.\n\n" +
        "    salt '*' git.diff /path/to/repo HEAD~1 HEAD",
      run(context, args) {
        const noIndex = truthy(args.no_index);
        const own = { ...args, ignore_retcode: noIndex };
        return gitOutput(context, own, diffWords(args), { redirect: true, failHard: !noIndex });
      },
    }),
    [`discard_local_changes(cwd, path='.', ${END})` as const]: {
      doc: "Discards changes of files in the work tree.\n\n" +
        "    salt '*' git.discard_local_changes /path/to/repo path=foo",
      run: simple(({ path }) => ["git", "checkout", "--", str(path)], { redirect: true }),
    },
    fetch: executionFunction({
      signature:
        `cwd, remote=None, force=False, refspecs=None, ${OPTS}, ${IDENTITY}, saltenv='base', output_encoding=None`,
      doc: "Fetches from a remote repository; returns what is new.\n\n    salt '*' git.fetch /path/to/repo upstream",
      run: fetchRefs,
    }),
    "is_worktree(cwd, user=None, password=None, output_encoding=None)": {
      doc: "True for a linked work tree of a repository.\n\n    salt '*' git.is_worktree /path/to/repo",
      run: isWorktree,
    },
    [`list_branches(cwd, remote: bool=False, ${END})` as const]: {
      doc: "The names of the branches, or of the remote ones.\n\n    salt '*' git.list_branches /path/to/repo",
      run: async (context, args) =>
        splitLines(await gitOutput(context, args, forEachRef(`refs/${args.remote ? "remotes" : "heads"}/`))),
    },
    [`list_tags(cwd, ${END})` as const]: {
      doc: "The names of the tags.\n\n    salt '*' git.list_tags /path/to/repo",
      run: async (context, args) => splitLines(await gitOutput(context, args, forEachRef("refs/tags/"))),
    },
    "list_worktrees(cwd, stale=False, user=None, password=None, output_encoding=None, **kwargs)": {
      doc: "The work trees of a repository; `stale` returns those whose directories are gone, `all` both.\n\n" +
        "    salt '*' git.list_worktrees /path/to/repo",
      run: listWorktrees,
    },
    ls_remote: executionFunction({
      signature:
        `cwd=None, remote='origin', ref=None, ${OPTS}, user=None, password=None, identity=None, https_user=None,
        https_pass=None, ignore_retcode=False, output_encoding=None, saltenv='base'`,
      doc: "The references of a remote repository.\n\n    salt '*' git.ls_remote /path/to/repo origin master",
      run: lsRemote,
    }),
    [`merge(cwd, rev=None, ${OPTS}, ${IDENTITY}, output_encoding=None, **kwargs)` as const]: {
      doc: "Merges another revision into the branch.\n\n    salt '*' git.merge /path/to/repo rev=upstream/foo",
      run(context, args) {
        keywords(args.kwargs);
        const rev = truthy(args.rev) ? [str(args.rev)] : [];
        return gitOutput(context, args, [...gitCommand(args, "merge"), ...gitOptionWords(args.opts), ...rev]);
      },
    },
    merge_base: executionFunction({
      signature:
        `cwd, refs=None, octopus=False, is_ancestor=False, independent=False, fork_point=None, opts='', git_opts='',
        ${END}, **kwargs`,
      doc: "The best common ancestor of commits; with `is_ancestor`, whether the first is an ancestor of the " +
        "second.\n\n" + "    salt '*' git.merge_base /path/to/repo refs=mybranch,mytag",
      run: mergeBase,
    }),
    [`merge_tree(cwd, ref1, ref2, base=None, ${END})` as const]: {
      doc: "The result that a merge of two revisions would have.\n\n" +
        "    salt '*' git.merge_tree /path/to/repo HEAD upstream/dev",
      run: mergeTree,
    },
    [`pull(cwd, ${OPTS}, ${IDENTITY}, saltenv='base', output_encoding=None)` as const]: {
      doc: "Fetches and merges.\n\n    salt '*' git.pull /path/to/repo opts='--rebase origin master'",
      run: simple((args) => [...gitCommand(args, "pull"), ...gitOptionWords(args.opts)]),
    },
    push: executionFunction({
      signature: `cwd, remote=None, ref=None, ${OPTS}, ${IDENTITY}, saltenv='base', output_encoding=None, **kwargs`,
      doc: "Pushes a branch or tag to a remote repository.\n\n" +
        "    salt '*' git.push /path/to/repo upstream issue21:upstream-issue21",
      run(context, args) {
        keywords(args.kwargs);
        const words = [
          ...gitCommand(args, "push"),
          ...gitOptionWords(args.opts),
          ...given(args.remote),
          ...given(args.ref),
        ];
        return gitOutput(context, args, words);
      },
    }),
    [`rebase(cwd, rev='master', ${OPTS}, ${END})` as const]: {
      doc: "Rebases the branch onto another revision.\n\n    salt '*' git.rebase /path/to/repo 'upstream master'",
      run: simple(rebaseWords),
    },
    remote_get: executionFunction({
      signature:
        "cwd, remote='origin', user=None, password=None, redact_auth=True, ignore_retcode=False, output_encoding=None",
      doc: "The addresses of a remote repository.\n\n    salt '*' git.remote_get /path/to/repo upstream",
      run: remoteGet,
    }),
    remote_refs: executionFunction({
      signature:
        `url, heads=False, tags=False, user=None, password=None, identity=None, https_user=None, https_pass=None,
        ignore_retcode=False, output_encoding=None, saltenv='base', **kwargs`,
      doc: "The references of a repository by its address; `filter` selects those that match a pattern.\n\n" +
        "    salt '*' git.remote_refs https://github.com/saltstack/salt.git heads=True",
      run: remoteRefs,
    }),
    remote_set: executionFunction({
      signature: `cwd, url, remote='origin', user=None, password=None, https_user=None, https_pass=None, push_url=None,
        push_https_user=None, push_https_pass=None, ignore_retcode=False, output_encoding=None`,
      doc: "Sets the addresses of a remote repository.\n\n" +
        "    salt '*' git.remote_set /path/to/repo git@github.com:user/repo.git remote=upstream",
      run: remoteSet,
    }),
    "remotes(cwd, user=None, password=None, redact_auth=True, ignore_retcode=False, output_encoding=None)": {
      doc: "The remote repositories by name, with their addresses.\n\n    salt '*' git.remotes /path/to/repo",
      run: remotes,
    },
    [`reset(cwd, ${OPTS}, ${IDENTITY}, output_encoding=None)` as const]: {
      doc: "Resets the branch, and with options the work tree, to another revision.\n\n" +
        "    salt '*' git.reset /path/to/repo opts='--hard origin/master'",
      run: simple((args) => [...gitCommand(args, "reset"), ...gitOptionWords(args.opts)]),
    },
    [`rev_parse(cwd, rev=None, ${OPTS}, ${END})` as const]: {
      doc: "Runs git rev-parse on a name.\n\n    salt '*' git.rev_parse /path/to/repo HEAD",
      run: simple((args) => [...gitCommand(args, "rev-parse"), ...gitOptionWords(args.opts), ...given(args.rev)]),
    },
    [`revision(cwd, rev='HEAD', short=False, ${END})` as const]: {
      doc: "The SHA-1 of a revision.\n\n    salt '*' git.revision /path/to/repo mybranch",
      run: simple(({ rev, short }) => ["git", "rev-parse", ...(truthy(short) ? ["--short"] : []), str(rev)]),
    },
    [`rm(cwd, filename, ${OPTS}, ${END})` as const]: {
      doc: "Removes a file from the work tree and the index.\n\n    salt '*' git.rm /path/to/repo foo/bar.py",
      run: simple((args) => [...gitCommand(args, "rm"), ...gitOptionWords(args.opts), "--", str(args.filename)]),
    },
    [`stash(cwd, action='save', ${OPTS}, ${END})` as const]: {
      doc: "Stashes changes, or restores them: save, apply, pop, list, show, drop, clear.\n\n" +
        "    salt '*' git.stash /path/to/repo pop",
      run: simple((args) => [...gitCommand(args, "stash", str(args.action)), ...gitOptionWords(args.opts)]),
    },
    [`status(cwd, ${END})` as const]: {
      doc: "The changed files by kind of change.\n\n    salt '*' git.status /path/to/repo",
      async run(context, args): Promise<Record<string, string[]>> {
        const found = new Map<string, string[]>();
        for (const entry of (await gitOutput(context, args, ["git", "status", "-z", "--porcelain"])).split("\0")) {
          const [, state, name] = /^\s*(\S+)\s+([^]+)$/.exec(entry) ?? [];
          if (state === undefined) continue;
          const key = Object.hasOwn(STATES, state) ? STATES[state]! : state;
          found.set(key, [...found.get(key) ?? [], name!]);
        }
        return Object.fromEntries(found);
      },
    },
    [`submodule(cwd, command: str, ${OPTS}, ${IDENTITY}, saltenv='base', output_encoding=None, **kwargs)` as const]: {
      doc: "Runs a command on the submodules.\n\n    salt '*' git.submodule /path/to/repo.git update opts='--init'",
      run(context, args) {
        const { init: initialise } = keywords(args.kwargs, "init");
        if (truthy(initialise)) {
          throw new SaltInvocationError(
            "The 'init' argument is no longer supported. Either set 'command' to 'init', or include '--init' in the " +
              "'opts' argument and set 'command' to 'update'.",
          );
        }
        return gitOutput(context, args, [...gitCommand(args, "submodule", args.command), ...gitOptionWords(args.opts)]);
      },
    },
    [`symbolic_ref(cwd, ref, value=None, ${OPTS}, ${END})` as const]: {
      doc: "Reads or sets the target of a symbolic reference.\n\n    salt '*' git.symbolic_ref /path/to/repo HEAD",
      run: simple(symbolicRefWords),
    },
    [`tag(cwd, name, ref='HEAD', message=None, ${OPTS}, ${END})` as const]: {
      doc: "Creates a tag; with `message` an annotated one.\n\n" +
        "    salt '*' git.tag /path/to/repo v1.2 message='Version 1.2'",
      run: simple(tagWords, { redirect: true }),
    },
    worktree_add: executionFunction({
      signature:
        `cwd, worktree_path, ref=None, reset_branch=None, force=None, detach=False, opts='', git_opts='', ${END},
        **kwargs`,
      doc: "Adds a linked work tree with a branch of its own.\n\n" +
        "    salt '*' git.worktree_add /path/to/repo/main ../hotfix ref=origin/main branch=hotfix21",
      run: addWorktree,
    }),
    [`worktree_prune(cwd, dry_run=False, verbose=True, expire=None, ${OPTS}, ${END})` as const]: {
      doc: "Prunes work trees whose directories are gone.\n\n    salt '*' git.worktree_prune /path/to/repo",
      run: pruneWorktrees,
    },
    "worktree_rm(cwd, user=None, output_encoding=None)": {
      doc: "Removes the directory of a work tree.\n\n    salt '*' git.worktree_rm /path/to/worktree",
      run: removeWorktree,
    },
  }),
};
