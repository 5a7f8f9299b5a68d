import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { fail, type StateContext, StateEnd, type StateReturn } from "../../../model/loader/states.ts";
import { joinPath } from "../../../base/paths.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { exists, expandUser, isDirectory, isFile } from "../../linux/paths.ts";

export function formatComments(comments: readonly string[]): string {
  return comments.join(". ") + (comments.length > 1 ? "." : "");
}

/** The words of git itself, without those of the function that called it. */
export const gitWords = (error: unknown): string => messageOf(error).replace(/^Command ['"].+['"] failed: /, "");

/** The same of what git refuses; any other error is thrown again. */
export function gitFailure(error: unknown): string {
  if (error instanceof CommandExecutionError) return gitWords(error);
  throw error;
}

export const shortSha = (sha: string | undefined): string => sha === undefined ? "None" : sha.slice(0, 7);

type Values = Record<string, unknown>;

/** A working tree or bare repository at its place, with the arguments that all calls have. */
export class GitCheckout {
  readonly context: StateContext;
  readonly target: string;
  readonly args: Args;
  /** What was done so far, in words. */
  readonly comments: string[] = [];
  readonly ret: StateReturn;

  constructor(context: StateContext, args: Args) {
    this.context = context;
    this.args = args;
    this.target = str(args.target);
    this.ret = { name: args.name, result: true, comment: "", changes: {} };
  }

  /** Fails; what was done before is told too. */
  fail(comment: string): never {
    const done = this.comments.length === 0 ? "" : `\n\nChanges already made: ${formatComments(this.comments)}`;
    fail(comment + done);
  }

  /** For `.catch()` of a step that git may refuse: fails with these words. */
  refuses(words: string, textOf = gitFailure): (error: unknown) => never {
    return (error) => this.fail(words + textOf(error));
  }

  call(fun: string, more: Values = {}): Promise<unknown> {
    const { user, password, output_encoding } = this.args;
    return this.context.call(`git.${fun}`, [this.target], { user, password, output_encoding, ...more });
  }

  /** The same; undefined if git fails, which nobody counts. */
  async ask(fun: string, more: Values = { ignore_retcode: true }): Promise<unknown> {
    try {
      return await this.call(fun, more);
    } catch (error) {
      if (error instanceof CommandExecutionError) return undefined;
      throw error;
    }
  }

  /** What `rev` stands for; undefined if nothing. */
  async resolve(rev: string, opts?: string[]): Promise<string | undefined> {
    const found = await this.ask("rev_parse", { rev, ignore_retcode: true, ...(opts === undefined ? {} : { opts }) });
    return found === undefined ? undefined : str(found);
  }

  async head(): Promise<string | undefined> {
    const found = await this.ask("revision");
    return found === undefined ? undefined : str(found);
  }

  async branch(): Promise<string | undefined> {
    const found = await this.ask("current_branch");
    return truthy(found) ? str(found) : undefined;
  }

  async branches(): Promise<string[]> {
    return await this.call("list_branches") as string[];
  }

  async exists(bare = false): Promise<boolean> {
    const { fs } = this.context.runtime;
    return isDirectory(fs, joinPath(this.target, bare ? "refs" : ".git")) || truthy(await this.call("is_worktree"));
  }

  /** Arguments for a remote that asks who calls. */
  get credentials(): Values {
    const { https_user, https_pass } = this.args;
    return { ...this.key, https_user, https_pass };
  }

  /** The same without those of https, which are in the address of the remote. */
  get key(): Values {
    return { identity: this.args.identity, saltenv: this.context.saltenv };
  }

  async clone(opts: readonly string[]): Promise<void> {
    await this.call("clone", { url: this.args.name, opts, ...this.credentials });
  }

  async updateSubmodules(): Promise<void> {
    await this.call("submodule", { command: "update", opts: ["--init", "--recursive"], ...this.key }).catch(
      this.refuses("Failed to update submodules: "),
    );
  }

  /** Empties the directory for a clone. @throws {StateEnd} if something is there and may not go */
  clear(dry: (comment: string) => never): void {
    const { fs } = this.context.runtime;
    if (!isDirectory(fs, this.target)) return;
    const names = fs.list(this.target);
    if (truthy(this.args.force_clone)) {
      if (this.context.test) {
        dry(
          `Target directory ${this.target} exists. Since force_clone=True, the contents of ${this.target} would be ` +
            `deleted, and ${str(this.args.name)} would be cloned into this directory.`,
        );
      }
      for (const name of names) fs.remove(joinPath(this.target, name), { recursive: true });
      this.ret.changes["forced clone"] = true;
    } else if (names.length > 0) {
      this.fail(
        `Target '${this.target}' exists, is non-empty and is not a git repository. Set the 'force_clone' option to ` +
          "True to remove this directory's contents and proceed with cloning the remote repository",
      );
    }
  }
}

/** The paths of keys. @throws {StateEnd} for one that is not there or not absolute */
async function identities(context: StateContext, identity: unknown, word: string): Promise<string[] | null> {
  if (identity === null) return null;
  if (typeof identity !== "string" && !Array.isArray(identity)) {
    fail(`${word} must be either a list or a string`);
  }
  const paths: string[] = [];
  for (const one of [identity].flat()) {
    const path = expandUser(context.runtime, str(one));
    const cached = path.includes("salt://") ? await context.call("cp.cache_file", [path, context.saltenv]) : path;
    if (!truthy(cached)) fail(`${word} '${path}' does not exist.`);
    if (!str(cached).startsWith("/")) fail(`${word} '${path}' is not an absolute path`);
    paths.push(path);
  }
  return paths;
}

/** Checks the arguments that `latest` and `detached` share. @throws {StateEnd} */
export async function checkArguments(
  context: StateContext,
  args: Args,
  words: { target: string; identity: string },
): Promise<Args> {
  const unknown = Object.entries(args.kwargs as Values).filter(([name]) => !name.startsWith("__"));
  if (unknown.length > 0) {
    const shown = unknown.map(([name, value]) => `${name}=${str(value)}`).join(", ");
    fail(`The following keyword arguments are not valid: ${shown}`);
  }
  const target = str(args.target);
  if (!target.startsWith("/")) fail(`${words.target} '${target}' is not an absolute path`);
  if (exists(context.runtime.fs, target) && isFile(context.runtime.fs, target)) {
    fail(`Target '${target}' exists and is a regular file, cannot proceed`);
  }
  const optional = (value: unknown) => value === null ? null : str(value);
  const checked = {
    ...args,
    target,
    rev: str(args.rev),
    remote: str(args.remote),
    user: optional(args.user),
    password: optional(args.password),
    https_user: optional(args.https_user),
    https_pass: optional(args.https_pass),
    identity: await identities(context, args.identity, words.identity),
  };
  if ((checked.https_user !== null || checked.https_pass !== null) && !/^https:/i.test(str(args.name))) {
    fail("Basic Auth only supported for HTTPS");
  }
  return checked;
}

/** Runs a state on a repository: what ends it and what git refuses become its return. */
export async function onRepository(
  repository: GitCheckout,
  run: (repository: GitCheckout) => Promise<StateReturn>,
): Promise<StateReturn> {
  try {
    return await run(repository).catch((error) => {
      if (error instanceof StateEnd) throw error;
      return repository.fail(gitWords(error));
    });
  } catch (error) {
    if (!(error instanceof StateEnd)) throw error;
    return { ...repository.ret, ...error.ret };
  }
}
