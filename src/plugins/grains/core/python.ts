import { joinPath } from "../../../base/paths.ts";
import { ask, type Grains, type GrainsContext, program, textOf } from "./source.ts";

const PROGRAM = "import json, sys; print(json.dumps([list(sys.version_info), sys.path, sys.executable]))";

/** What is kept of an interpreter, since asking it takes longer than all other grains together. */
interface Kept {
  /** The program, with the time and size of its file. */
  of: string;
  grains: Grains;
}

function keptIn(context: GrainsContext, path: string): Partial<Kept> {
  const text = path === "" ? "" : textOf(context, path);
  try {
    return text === "" ? {} : JSON.parse(text) as Partial<Kept>;
  } catch {
    // Written by half: the interpreter is asked again.
    return {};
  }
}

function keep({ runtime: { fs }, log }: GrainsContext, directory: string, path: string, kept: Kept): void {
  try {
    fs.mkdir(directory, 0o755);
    fs.write(path, JSON.stringify(kept), { mode: 0o600 });
  } catch (error) {
    log.debug("version of Python not kept", { path, error: String(error) });
  }
}

/** The grains of the host's `python3`, by which templates choose names of packages; none where there is none. */
export async function python(context: GrainsContext): Promise<Grains> {
  const executable = program(context, "python3");
  const stat = executable === undefined ? undefined : context.runtime.fs.stat(executable);
  if (executable === undefined || stat === undefined) return {};
  const of = `${executable} ${stat.mtimeMs} ${stat.size}`;
  const { cachedir } = context.opts;
  const directory = typeof cachedir === "string" ? cachedir : "";
  const path = directory === "" ? "" : joinPath(directory, "python.json");
  const known = keptIn(context, path);
  if (known.of === of && known.grains !== undefined) return known.grains;
  const text = await ask(context, [executable, "-I", "-c", PROGRAM]);
  if (text === "") return {};
  const [pythonversion, pythonpath, pythonexecutable] = JSON.parse(text) as unknown[];
  const grains = { pythonversion, pythonpath, pythonexecutable };
  if (directory !== "") keep(context, directory, path, { of, grains });
  return grains;
}
