import type { RunnerContext, RunnerModule } from "../../model/loader/family.ts";
import { runnerFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { messageOf } from "../../base/errors.ts";
import { str, truthy } from "../../language/python/values.ts";

function checked(context: RunnerContext, backend: unknown): unknown {
  const wanted = truthy(backend) ? backend : undefined;
  try {
    context.files.backends(wanted);
  } catch (error) {
    if (error instanceof RangeError) throw new SaltInvocationError(messageOf(error));
    throw error;
  }
  return wanted;
}

/** Names as `a,b` or a list; undefined for all. */
function namesOf(value: unknown): string[] | undefined {
  if (!truthy(value)) return undefined;
  return (Array.isArray(value) ? value.map(str) : str(value).split(",")).map((name) => name.trim());
}

const LIST = "saltenv='base', backend=None";
const BACKEND = "\n\nbackend: only these of fileserver_backend: `roots`, `gitfs`, `a,b`, or `-a` for all but that one";

/** What was done and what went wrong, under Salt's names; a sentence if neither. */
function answer(what: string, { done, errors }: { done: string[]; errors: string[] }, nothing: string): unknown {
  if (done.length === 0 && errors.length === 0) return nothing;
  return { ...done.length > 0 ? { [what]: done } : {}, ...errors.length > 0 ? { errors } : {} };
}

/** The glob of remotes; undefined for all. */
const remotesOf = (remote: unknown) => truthy(remote) ? str(remote) : undefined;

/** SLS files that are opened for their comments, and the bytes of each that are looked at. */
const MOST_SLS = 500;
const MOST_READ = 4096;
const LONGEST_COMMENT = 300;

/** The comment that an SLS file begins with, on one line: lines with `#`, or one between `{#` and `#}`. */
function firstComment(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const from = lines.findIndex((line) => line !== "" && !line.startsWith("#!"));
  const [, jinja] = /^\{#-?([^]*?)-?#\}/.exec(lines.slice(Math.max(0, from)).join("\n")) ?? [];
  const words: string[] = [];
  for (const line of from < 0 ? [] : lines.slice(from)) {
    if (!line.startsWith("#")) break;
    words.push(line.replace(/^#+\s?/, ""));
  }
  return (jinja ?? words.join(" ")).replace(/\s+/g, " ").trim().slice(0, LONGEST_COMMENT);
}

/** The files that the master serves. */
export const runner: RunnerModule = {
  functions: runnerFunctions({
    "envs(backend=None, sources: bool=False)": {
      doc: "The environments.\n\n    salt-run fileserver.envs" + BACKEND + "\nsources: the backends instead",
      run(context, { backend, sources }) {
        const wanted = checked(context, backend);
        if (sources) return context.files.backends(wanted).map(({ name }) => name).sort();
        return context.files.environments(wanted).sort();
      },
    },
    [`file_list(${LIST})` as const]: {
      doc: "The files of an environment.\n\n    salt-run fileserver.file_list saltenv=dev" + BACKEND,
      run: (context, { saltenv, backend }) =>
        context.files.list({ saltenv: str(saltenv), fsbackend: checked(context, backend) }, "files"),
    },
    [`sls_list(${LIST})` as const]: {
      doc: "The SLS files of an environment, each with the comment that it begins with.\n\n" +
        `    salt-run fileserver.sls_list saltenv=dev\n\nAt most ${MOST_SLS} files are opened; of others the comment is empty.` +
        BACKEND,
      async run(context, { saltenv, backend }) {
        const { files, fetched } = context;
        const found = new Map<string, string>();
        const served = await files.list({ saltenv: str(saltenv), fsbackend: checked(context, backend) }, "files");
        const paths = served.filter((path) => path.endsWith(".sls"));
        for (const path of paths.sort()) {
          const name = path.replace(/(?:\/init)?\.sls$/, "").replaceAll("/", ".");
          // Of a file and a directory of one name, the file is the one that is applied.
          if (found.has(name) && path.endsWith("/init.sls")) continue;
          const bytes = found.size < MOST_SLS
            ? await fetched.read(`salt://${path}`, { saltenv: str(saltenv) })
            : undefined;
          found.set(
            name,
            bytes === undefined ? "" : firstComment(new TextDecoder().decode(bytes.subarray(0, MOST_READ))),
          );
        }
        return Object.fromEntries(found);
      },
    },
    [`dir_list(${LIST})` as const]: {
      doc: "The directories of an environment.\n\n    salt-run fileserver.dir_list saltenv=dev" + BACKEND,
      run: (context, { saltenv, backend }) =>
        context.files.list({ saltenv: str(saltenv), fsbackend: checked(context, backend) }, "dirs"),
    },
    [`empty_dir_list(${LIST})` as const]: {
      doc: "The empty directories of an environment.\n\n    salt-run fileserver.empty_dir_list saltenv=dev" + BACKEND,
      run: (context, { saltenv, backend }) =>
        context.files.list({ saltenv: str(saltenv), fsbackend: checked(context, backend) }, "empty_dirs"),
    },
    [`symlink_list(${LIST})` as const]: {
      doc:
        "The symbolic links of an environment with their targets.\n\n    salt-run fileserver.symlink_list saltenv=dev" +
        BACKEND,
      run: (context, { saltenv, backend }) =>
        context.files.links({ saltenv: str(saltenv), fsbackend: checked(context, backend) }),
    },
    "update(backend=None, **kwargs)": {
      doc:
        "Looks for changes; with fileserver_events fires an event if there are any.\n\n    salt-run fileserver.update" +
        BACKEND,
      async run(context, { backend }) {
        await context.files.update(checked(context, backend));
        return true;
      },
    },
    "clear_file_list_cache(saltenv=None, backend=None)": {
      doc: "Clears cached listings, so that the master reads again: backend → environments.\n\n" +
        "    salt-run fileserver.clear_file_list_cache saltenv=base,dev" + BACKEND,
      run: (context, { saltenv, backend }) => context.files.forgetLists(namesOf(saltenv), checked(context, backend)),
    },
    "clear_cache(backend=None)": {
      doc: "Clears what backends have fetched.\n\n    salt-run fileserver.clear_cache" + BACKEND,
      run: (context, { backend }) =>
        answer("cleared", context.files.clearCache(checked(context, backend)), "No cache was cleared"),
    },
    "lock(backend=None, remote=None)": {
      doc: "Locks remotes against updates.\n\n    salt-run fileserver.lock remote='*example.com*'" + BACKEND,
      run: (context, { backend, remote }) => {
        const locked = context.files.setLocks("lock", checked(context, backend), remotesOf(remote));
        return answer("locked", locked, "No locks were set");
      },
    },
    "clear_lock(backend=None, remote=None)": {
      doc: "Unlocks remotes.\n\n    salt-run fileserver.clear_lock" + BACKEND,
      run: (context, { backend, remote }) => {
        const cleared = context.files.setLocks("clear", checked(context, backend), remotesOf(remote));
        return answer("cleared", cleared, "No locks were removed");
      },
    },
  }),
};
