import { customFilesOf, type CustomPlace, loadCustomFile, logForeign } from "./custom_file.ts";
import type { CustomFile } from "./custom_files.ts";
import { bindArguments, parseSignature } from "./signature.ts";

/** A custom outputter; the host reports its errors. */
export type CustomOutputter = (data: unknown, options: Record<string, unknown>) => Promise<string>;

async function load(place: CustomPlace, file: CustomFile): Promise<CustomOutputter> {
  const { exports, functions, virtual } = await loadCustomFile(place, "output", file);
  const { output } = exports;
  if (typeof output === "function") return async (data, options) => String(await output(data, options));
  const available = virtual(place);
  if (typeof available === "object") throw new TypeError(`"${file.path}" is not available: ${available.unavailable}`);
  const found = functions.get("output");
  if (found === undefined) throw new TypeError(`"${file.path}" has no function "output"`);
  return async (data, options) => {
    const bound = bindArguments("output", parseSignature(found.signature), [data], new Map());
    return String(await found.run({ ...place, opts: { ...place.opts, ...options } }, bound));
  };
}

/** The name that a Python file may give itself: its text is read, and nothing is started for it. */
function ownName({ runtime: { fs } }: CustomPlace, { name, path, form }: CustomFile): string {
  if (form !== "python" || !path.endsWith(".py")) return name;
  return /^__virtualname__\s*=\s*["'](\w+)["']/m.exec(fs.readText(path))?.[1] ?? name;
}

export function customOutputters(place: CustomPlace): Record<string, () => Promise<CustomOutputter>> {
  const { usable, foreign } = customFilesOf(place, "output");
  logForeign(place, "output", foreign);
  return Object.fromEntries(usable.map((file) => [ownName(place, file), () => load(place, file)]));
}
