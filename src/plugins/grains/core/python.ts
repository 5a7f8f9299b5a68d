import { askOnce, type Grains, type GrainsContext, program } from "./source.ts";

const PROGRAM = "import json, sys; print(json.dumps([list(sys.version_info), sys.path, sys.executable]))";

/** The grains of the host's `python3`, by which templates choose names of packages; none where there is none. */
export async function python(context: GrainsContext): Promise<Grains> {
  const executable = program(context, "python3");
  const text = executable === undefined ? "" : await askOnce(context, "python.json", [executable, "-I", "-c", PROGRAM]);
  if (text === "") return {};
  const [pythonversion, pythonpath, pythonexecutable] = JSON.parse(text) as unknown[];
  return { pythonversion, pythonpath, pythonexecutable };
}
