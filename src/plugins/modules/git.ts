import type { Args } from "../../model/loader/signature.ts";
import type { JobContext } from "../../model/loader/context.ts";
import {
  CommandExecutionError,
  exampledFunctions,
  type ExecutionModule,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { isInteger } from "../../language/python/float.ts";
import { splitLines } from "../../language/python/lines.ts";
import { basename } from "../../language/python/posixpath.ts";
import { str } from "../../language/python/repr.ts";
import { truthy } from "../../language/python/truth.ts";
import { programPath } from "../commands.ts";
import { keywords } from "../keywords.ts";
import { exists } from "../linux/paths.ts";
import { splitWords } from "../linux/words.ts";
import { configGet, configGetRegexp, configSet, configUnset } from "./git/config.ts";
import { command, directoryOf, git, optionWords, type RunOptions, versionOf, withCredentials } from "./git/run.ts";
import { addWorktree, isWorktree, listWorktrees, pruneWorktrees, removeWorktree } from "./git/worktree.ts";
import { mergeBase, mergeTree } from "./git/merge.ts";
import { output } from "./git/output.ts";
import { commaList, fetchRefs, given, lsRemote, remoteGet, remoteRefs, remotes, remoteSet } from "./git/remotes.ts";

/** Arguments that most functions end with. */
const END = "user=None, password=None, ignore_retcode=False, output_encoding=None";

const OPTS = "opts='', git_opts=''";

const IDENTITY = "user=None, password=None, identity=None, ignore_retcode=False";

const fun = exampledFunctions("git");

/** The same, for a command whose words depend on the arguments only. */
const simple = (words: (args: Args) => string[], options: RunOptions = {}) => (context: JobContext, args: Args) =>
  output(context, args, words(args), options);

function checkoutWords(args: Args): string[] {
  const opts = optionWords(args.opts);
  if (args.rev === null && !opts.includes("-b") && !opts.includes("-B")) {
    throw new SaltInvocationError("'rev' argument is required unless -b or -B in opts");
  }
  return [...command(args, "checkout"), ...(truthy(args.force) ? ["--force"] : []), ...opts, ...given(args.rev)];
}

async function clone(context: JobContext, args: Args): Promise<true> {
  const cwd = directoryOf(context, args);
  if (!truthy(args.url)) throw new SaltInvocationError("Missing 'url' argument");
  const url = withCredentials(args.url, args.https_user, args.https_pass);
  const words = [...command(args, "clone"), ...optionWords(args.opts), "--", url];
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
  const words = [...command(args, "diff"), ...optionWords(args.opts)];
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
    ...command(args, "init"),
    ...(truthy(args.bare) ? ["--bare"] : []),
    ...given(args.template).map((path) => `--template=${path}`),
    ...given(args.separate_git_dir).map((path) => `--separate-git-dir=${path}`),
    ...(shared === null ? [] : [`--shared=${sharing}`]),
    ...optionWords(args.opts),
    directoryOf(context, args),
  ];
  return (await git(context, words, args)).stdout;
}

const STATES: Record<string, string> = { M: "modified", A: "new", D: "deleted", "??": "untracked" };

async function status(context: JobContext, args: Args): Promise<Record<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const entry of (await output(context, args, ["git", "status", "-z", "--porcelain"])).split("\0")) {
    const [, state, name] = /^\s*(\S+)\s+([^]+)$/.exec(entry) ?? [];
    if (state === undefined) continue;
    const key = Object.hasOwn(STATES, state) ? STATES[state]! : state;
    found.set(key, [...found.get(key) ?? [], name!]);
  }
  return Object.fromEntries(found);
}

function tagWords(args: Args): string[] {
  const opts = optionWords(args.opts).filter((option) => option !== "-a" && option !== "--annotate");
  if (opts.some((option) => option === "-m" || option.includes("--message"))) {
    throw new SaltInvocationError('Tag messages must be passed in the "message" argument');
  }
  const message = args.message === null ? [] : ["-a", "-m", str(args.message)];
  const deletes = opts.includes("-d") || opts.includes("--delete");
  return [...command(args, "tag"), ...message, ...opts, str(args.name), ...(deletes ? [] : [str(args.ref)])];
}

function symbolicRefWords(args: Args): string[] {
  const opts = optionWords(args.opts);
  if (args.value !== null && (opts.includes("-d") || opts.includes("--delete"))) {
    throw new SaltInvocationError("Value cannot be set for symbolic ref if -d/--delete is included in opts");
  }
  return [...command(args, "symbolic-ref"), ...opts, str(args.ref), ...(truthy(args.value) ? [str(args.value)] : [])];
}

function rebaseWords(args: Args): string[] {
  const opts = optionWords(args.opts);
  if (opts.some((option) => option === "-i" || option === "--interactive")) {
    throw new SaltInvocationError("Interactive rebases are not supported");
  }
  return [...command(args, "rebase"), ...opts, ...splitWords(str(args.rev))];
}

const forEachRef = (refs: string) => ["git", "for-each-ref", "--format", "%(refname:short)", refs];

/** Repositories, by the program git. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "git") === undefined
      ? { unavailable: "The git execution module cannot be loaded: git unavailable." }
      : true,
  functions: {
    version: fun(
      "versioninfo: bool=False",
      "The version of git; with `versioninfo` as numbers.",
      "version",
      async (context, { versioninfo }) => {
        const version = await versionOf(context);
        if (!versioninfo) return version;
        return version.split(".").map((part) => /^\d+$/.test(part) ? Number(part) : part);
      },
    ),
    init: fun(
      `cwd, bare=False, template=None, separate_git_dir=None, shared=None, opts='', git_opts='', ${END}`,
      "Creates a repository.",
      "init /path/to/repo",
      init,
    ),
    clone: fun(
      `cwd, url=None, name=None, opts='', git_opts='', user=None, password=None, identity=None, https_user=None,
        https_pass=None, ignore_retcode=False, saltenv='base', output_encoding=None`,
      "Clones a repository into a directory, or with `name` into one below it.",
      "clone /path/to/repo git://github.com/saltstack/salt.git",
      clone,
    ),
    add: fun(
      `cwd, filename, ${OPTS}, ${END}`,
      "Adds a file to the index.",
      "add /path/to/repo foo/bar.py",
      simple((args) => [
        ...command(args, "add", "--verbose"),
        ...optionWords(args.opts).filter((option) => option !== "-v" && option !== "--verbose"),
        "--",
        str(args.filename),
      ]),
    ),
    archive: fun(
      `cwd, output, rev: str='HEAD', prefix=None, git_opts='', ${END}, **kwargs`,
      "Exports a revision of a repository as an archive; `format` may be tar or zip.",
      "archive /path/to/repo /path/to/archive.tar",
      async (context, args) => {
        const { format } = keywords(args.kwargs, "format");
        const prefix = truthy(args.prefix) ? str(args.prefix) : `${basename(directoryOf(context, args))}/`;
        const words = [
          ...command(args, "archive"),
          ...(args.prefix === "" ? [] : ["--prefix", prefix]),
          ...(truthy(format) ? ["--format", str(format)] : []),
          "--output",
          directoryOf(context, { ...args, cwd: args.output }),
          args.rev,
        ];
        await output(context, args, words);
        return true;
      },
    ),
    branch: fun(
      `cwd, name=None, ${OPTS}, ${END}`,
      "Creates a branch; `opts` may ask for another action, such as -d.",
      "branch /path/to/repo mybranch opts='--set-upstream-to=origin/mybranch'",
      async (context, args) => {
        await output(context, args, [...command(args, "branch"), ...optionWords(args.opts), ...given(args.name)]);
        return true;
      },
    ),
    checkout: fun(
      `cwd, rev=None, force=False, ${OPTS}, ${END}`,
      "Checks out a branch, tag or commit.",
      "checkout /path/to/repo somebranch",
      simple(checkoutWords, { redirect: true }),
    ),
    commit: fun(
      `cwd, message, ${OPTS}, user=None, password=None, filename=None, ignore_retcode=False, output_encoding=None`,
      "Commits what was added, or a file.",
      "commit /path/to/repo 'The commit message'",
      simple((args) => [
        ...command(args, "commit", "-m", str(args.message)),
        ...optionWords(args.opts),
        ...(truthy(args.filename) ? ["--", str(args.filename)] : []),
      ]),
    ),
    config_get: fun(
      `key, cwd=None, ${END}, **kwargs`,
      "A value of the configuration; `all` returns every value, `global` reads the user's configuration.",
      "config_get user.name cwd=/path/to/repo",
      configGet,
    ),
    config_get_regexp: fun(
      `key, value_regex=None, cwd=None, ${END}, **kwargs`,
      "Values of the configuration whose names match a regular expression.",
      "config_get_regexp 'foo.*' cwd=/path/to/repo",
      configGetRegexp,
    ),
    config_get_regex: fun(
      `key, value_regex=None, cwd=None, ${END}, **kwargs`,
      "The same as git.config_get_regexp.",
      "config_get_regex 'foo.*' cwd=/path/to/repo",
      configGetRegexp,
    ),
    config_set: fun(
      `key, value=None, multivar=None, cwd=None, ${END}, **kwargs`,
      "Sets one or several values of the configuration; `add` keeps the others, `global` writes the user's configuration.",
      "config_set user.email me@example.com cwd=/path/to/repo",
      configSet,
    ),
    config_unset: fun(
      `key, value_regex=None, cwd=None, ${END}, **kwargs`,
      "Removes a value from the configuration; `all` removes every value of that name.",
      "config_unset foo.bar cwd=/path/to/repo",
      configUnset,
    ),
    current_branch: fun(
      `cwd, ${END}`,
      "The branch that is checked out.",
      "current_branch /path/to/repo",
      simple(() => ["git", "rev-parse", "--abbrev-ref", "HEAD"]),
    ),
    describe: fun(
      `cwd, rev='HEAD', ${END}`,
      "Describes a commit by the last tag before it.",
      "describe /path/to/repo",
      simple(({ rev }) => ["git", "describe", "--always", str(rev)]),
    ),
    diff: fun(
      `cwd, item1=None, item2=None, ${OPTS}, user=None, password=None, no_index=False, cached=False, paths=None,
        output_encoding=None`,
      "The changes between two revisions, or in the work tree.",
      "diff /path/to/repo HEAD~1 HEAD",
      (context, args) => {
        const noIndex = truthy(args.no_index);
        const own = { ...args, ignore_retcode: noIndex };
        return output(context, own, diffWords(args), { redirect: true, failHard: !noIndex });
      },
    ),
    discard_local_changes: fun(
      `cwd, path='.', ${END}`,
      "Discards changes of files in the work tree.",
      "discard_local_changes /path/to/repo path=foo",
      simple(({ path }) => ["git", "checkout", "--", str(path)], { redirect: true }),
    ),
    fetch: fun(
      `cwd, remote=None, force=False, refspecs=None, ${OPTS}, ${IDENTITY}, saltenv='base', output_encoding=None`,
      "Fetches from a remote repository; returns what is new.",
      "fetch /path/to/repo upstream",
      fetchRefs,
    ),
    is_worktree: fun(
      "cwd, user=None, password=None, output_encoding=None",
      "True for a linked work tree of a repository.",
      "is_worktree /path/to/repo",
      isWorktree,
    ),
    list_branches: fun(
      `cwd, remote: bool=False, ${END}`,
      "The names of the branches, or of the remote ones.",
      "list_branches /path/to/repo",
      async (context, args) =>
        splitLines(await output(context, args, forEachRef(`refs/${args.remote ? "remotes" : "heads"}/`))),
    ),
    list_tags: fun(
      `cwd, ${END}`,
      "The names of the tags.",
      "list_tags /path/to/repo",
      async (context, args) => splitLines(await output(context, args, forEachRef("refs/tags/"))),
    ),
    list_worktrees: fun(
      "cwd, stale=False, user=None, password=None, output_encoding=None, **kwargs",
      "The work trees of a repository; `stale` returns those whose directories are gone, `all` both.",
      "list_worktrees /path/to/repo",
      listWorktrees,
    ),
    ls_remote: fun(
      `cwd=None, remote='origin', ref=None, ${OPTS}, user=None, password=None, identity=None, https_user=None,
        https_pass=None, ignore_retcode=False, output_encoding=None, saltenv='base'`,
      "The references of a remote repository.",
      "ls_remote /path/to/repo origin master",
      lsRemote,
    ),
    merge: fun(
      `cwd, rev=None, ${OPTS}, ${IDENTITY}, output_encoding=None, **kwargs`,
      "Merges another revision into the branch.",
      "merge /path/to/repo rev=upstream/foo",
      (context, args) => {
        keywords(args.kwargs);
        const rev = truthy(args.rev) ? [str(args.rev)] : [];
        return output(context, args, [...command(args, "merge"), ...optionWords(args.opts), ...rev]);
      },
    ),
    merge_base: fun(
      `cwd, refs=None, octopus=False, is_ancestor=False, independent=False, fork_point=None, opts='', git_opts='',
        ${END}, **kwargs`,
      "The best common ancestor of commits; with `is_ancestor`, whether the first is an ancestor of the second.",
      "merge_base /path/to/repo refs=mybranch,mytag",
      mergeBase,
    ),
    merge_tree: fun(
      `cwd, ref1, ref2, base=None, ${END}`,
      "The result that a merge of two revisions would have.",
      "merge_tree /path/to/repo HEAD upstream/dev",
      mergeTree,
    ),
    pull: fun(
      `cwd, ${OPTS}, ${IDENTITY}, saltenv='base', output_encoding=None`,
      "Fetches and merges.",
      "pull /path/to/repo opts='--rebase origin master'",
      simple((args) => [...command(args, "pull"), ...optionWords(args.opts)]),
    ),
    push: fun(
      `cwd, remote=None, ref=None, ${OPTS}, ${IDENTITY}, saltenv='base', output_encoding=None, **kwargs`,
      "Pushes a branch or tag to a remote repository.",
      "push /path/to/repo upstream issue21:upstream-issue21",
      (context, args) => {
        keywords(args.kwargs);
        const words = [...command(args, "push"), ...optionWords(args.opts), ...given(args.remote), ...given(args.ref)];
        return output(context, args, words);
      },
    ),
    rebase: fun(
      `cwd, rev='master', ${OPTS}, ${END}`,
      "Rebases the branch onto another revision.",
      "rebase /path/to/repo 'upstream master'",
      simple(rebaseWords),
    ),
    remote_get: fun(
      "cwd, remote='origin', user=None, password=None, redact_auth=True, ignore_retcode=False, output_encoding=None",
      "The addresses of a remote repository.",
      "remote_get /path/to/repo upstream",
      remoteGet,
    ),
    remote_refs: fun(
      `url, heads=False, tags=False, user=None, password=None, identity=None, https_user=None, https_pass=None,
        ignore_retcode=False, output_encoding=None, saltenv='base', **kwargs`,
      "The references of a repository by its address; `filter` selects those that match a pattern.",
      "remote_refs https://github.com/saltstack/salt.git heads=True",
      remoteRefs,
    ),
    remote_set: fun(
      `cwd, url, remote='origin', user=None, password=None, https_user=None, https_pass=None, push_url=None,
        push_https_user=None, push_https_pass=None, ignore_retcode=False, output_encoding=None`,
      "Sets the addresses of a remote repository.",
      "remote_set /path/to/repo git@github.com:user/repo.git remote=upstream",
      remoteSet,
    ),
    remotes: fun(
      "cwd, user=None, password=None, redact_auth=True, ignore_retcode=False, output_encoding=None",
      "The remote repositories by name, with their addresses.",
      "remotes /path/to/repo",
      remotes,
    ),
    reset: fun(
      `cwd, ${OPTS}, ${IDENTITY}, output_encoding=None`,
      "Resets the branch, and with options the work tree, to another revision.",
      "reset /path/to/repo opts='--hard origin/master'",
      simple((args) => [...command(args, "reset"), ...optionWords(args.opts)]),
    ),
    rev_parse: fun(
      `cwd, rev=None, ${OPTS}, ${END}`,
      "Runs git rev-parse on a name.",
      "rev_parse /path/to/repo HEAD",
      simple((args) => [...command(args, "rev-parse"), ...optionWords(args.opts), ...given(args.rev)]),
    ),
    revision: fun(
      `cwd, rev='HEAD', short=False, ${END}`,
      "The SHA-1 of a revision.",
      "revision /path/to/repo mybranch",
      simple(({ rev, short }) => ["git", "rev-parse", ...(truthy(short) ? ["--short"] : []), str(rev)]),
    ),
    rm: fun(
      `cwd, filename, ${OPTS}, ${END}`,
      "Removes a file from the work tree and the index.",
      "rm /path/to/repo foo/bar.py",
      simple((args) => [...command(args, "rm"), ...optionWords(args.opts), "--", str(args.filename)]),
    ),
    stash: fun(
      `cwd, action='save', ${OPTS}, ${END}`,
      "Stashes changes, or restores them: save, apply, pop, list, show, drop, clear.",
      "stash /path/to/repo pop",
      simple((args) => [...command(args, "stash", str(args.action)), ...optionWords(args.opts)]),
    ),
    status: fun(
      `cwd, ${END}`,
      "The changed files by kind of change.",
      "status /path/to/repo",
      status,
    ),
    submodule: fun(
      `cwd, command: str, ${OPTS}, ${IDENTITY}, saltenv='base', output_encoding=None, **kwargs`,
      "Runs a command on the submodules.",
      "submodule /path/to/repo.git update opts='--init'",
      (context, args) => {
        const { init: initialise } = keywords(args.kwargs, "init");
        if (truthy(initialise)) {
          throw new SaltInvocationError(
            "The 'init' argument is no longer supported. Either set 'command' to 'init', or include '--init' in the " +
              "'opts' argument and set 'command' to 'update'.",
          );
        }
        return output(context, args, [...command(args, "submodule", args.command), ...optionWords(args.opts)]);
      },
    ),
    symbolic_ref: fun(
      `cwd, ref, value=None, ${OPTS}, ${END}`,
      "Reads or sets the target of a symbolic reference.",
      "symbolic_ref /path/to/repo HEAD",
      simple(symbolicRefWords),
    ),
    tag: fun(
      `cwd, name, ref='HEAD', message=None, ${OPTS}, ${END}`,
      "Creates a tag; with `message` an annotated one.",
      "tag /path/to/repo v1.2 message='Version 1.2'",
      simple(tagWords, { redirect: true }),
    ),
    worktree_add: fun(
      `cwd, worktree_path, ref=None, reset_branch=None, force=None, detach=False, opts='', git_opts='', ${END},
        **kwargs`,
      "Adds a linked work tree with a branch of its own.",
      "worktree_add /path/to/repo/main ../hotfix ref=origin/main branch=hotfix21",
      addWorktree,
    ),
    worktree_prune: fun(
      `cwd, dry_run=False, verbose=True, expire=None, ${OPTS}, ${END}`,
      "Prunes work trees whose directories are gone.",
      "worktree_prune /path/to/repo",
      pruneWorktrees,
    ),
    worktree_rm: fun(
      "cwd, user=None, output_encoding=None",
      "Removes the directory of a work tree.",
      "worktree_rm /path/to/worktree",
      removeWorktree,
    ),
  },
};
