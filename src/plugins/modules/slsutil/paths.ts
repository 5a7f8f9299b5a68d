import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { dirname, normpath } from "../../../language/python/posixpath.ts";
import { str } from "../../../language/python/values.ts";

type Kind = "files" | "directories";

/** What each job has listed: a template may ask for many paths. */
const LISTED = new WeakMap<JobContext, Map<string, Promise<ReadonlySet<string>>>>();

function listed(context: JobContext, what: Kind, saltenv: string): Promise<ReadonlySet<string>> {
  let known = LISTED.get(context);
  if (known === undefined) LISTED.set(context, known = new Map());
  const key = `${what} ${saltenv}`;
  let names = known.get(key);
  if (names === undefined) {
    known.set(key, names = context.files.list(what, { saltenv }).then((paths) => new Set(paths)));
  }
  return names;
}

export const fileExists = async (context: JobContext, path: unknown, saltenv: unknown): Promise<boolean> =>
  (await listed(context, "files", str(saltenv))).has(str(path));

export const directoryExists = async (context: JobContext, path: unknown, saltenv: unknown): Promise<boolean> =>
  (await listed(context, "directories", str(saltenv))).has(str(path));

export const pathExists = async (context: JobContext, path: unknown, saltenv: unknown): Promise<boolean> =>
  await fileExists(context, path, saltenv) || await directoryExists(context, path, saltenv);

/** The function `slsutil.findup`: the first of some names in a directory of the tree, or in the nearest one above. */
export async function findUp(context: JobContext, start: unknown, names: unknown, saltenv: unknown): Promise<string> {
  let at = str(start ?? "") === "" ? "" : normpath(str(start));
  if (at !== "" && !await pathExists(context, at, saltenv)) {
    throw new SaltInvocationError(`Starting path not found in the state tree: ${at}`);
  }
  const wanted = typeof names === "string" ? [names] : names;
  if (!Array.isArray(wanted)) throw new SaltInvocationError("Filenames argument must be a string or list of strings");
  for (;;) {
    for (const name of wanted) {
      const full = at === "" ? str(name) : `${at}/${str(name)}`;
      if (await pathExists(context, full, saltenv)) return full;
    }
    const above = dirname(at);
    if (at === "" || above === at) throw new CommandExecutionError("File pattern(s) not found in path ancestry");
    at = above;
  }
}
