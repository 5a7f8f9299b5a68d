import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { needProgram, runAll } from "../../commands.ts";
import { isPattern, type ServiceManager } from "./manager.ts";

/** Kinds of units that are named with their ending; a service is named without. */
const KINDS = ["service", "socket", "device", "mount", "automount", "swap", "target", "path", "timer"];

export const unitOf = (name: string): string =>
  KINDS.some((kind) => name.endsWith(`.${kind}`)) ? name : `${name}.service`;
/** The name by which callers know a unit. */
const nameOf = (unit: string): string => unit.replace(/\.service$/, "");

const rootWords = (root: unknown): string[] => truthy(root) ? ["--root", str(root)] : [];

/**
 * The words of a call of systemctl. One that changes something gets a scope of its own: when the minion's own service is
 * restarted, systemd would end the command together with the minion.
 */
function words(context: JobContext, rest: string[], options: { scope?: boolean } = {}): string[] {
  needProgram(context, "systemctl");
  const { fs } = context.runtime;
  const scoped = options.scope === true && context.opts["systemd.scope"] !== false &&
    fs.stat("/run/systemd/system") !== undefined && fs.stat("/usr/bin/systemd-run") !== undefined;
  return [...(scoped ? ["/usr/bin/systemd-run", "--scope"] : []), "systemctl", ...rest];
}

async function ask(context: JobContext, rest: string[]): Promise<{ retcode: number; stdout: string }> {
  return await runAll(context, words(context, rest), { ignore_retcode: true });
}

/** Does something; what systemctl says where it fails is the error. */
async function act(context: JobContext, rest: string[]): Promise<true> {
  const { retcode, stderr, stdout } = await runAll(context, words(context, rest, { scope: true }));
  if (retcode !== 0) {
    // The first line is about the scope, not about the service.
    const said = splitLines(stderr || stdout).filter((line) => !line.startsWith("Running scope as unit")).join("\n");
    throw new CommandExecutionError(said);
  }
  return true;
}

async function unitFiles(context: JobContext, root?: unknown): Promise<Map<string, string>> {
  const { stdout } = await ask(context, ["--full", "--no-legend", "--no-pager", "list-unit-files", ...rootWords(root)]);
  const found = new Map<string, string>();
  for (const line of splitLines(stdout)) {
    const [unit = "", state = ""] = splitWords(line);
    if (KINDS.some((kind) => unit.endsWith(`.${kind}`))) found.set(nameOf(unit), state);
  }
  return found;
}

async function loaded(context: JobContext, state: (words: string[]) => boolean): Promise<string[]> {
  const { stdout } = await ask(context, ["--full", "--no-legend", "--no-pager", "--plain", "list-units", "--all"]);
  return splitLines(stdout).map(splitWords)
    .filter((row) => KINDS.some((kind) => row[0]?.endsWith(`.${kind}`)) && state(row)).map(([unit = ""]) =>
      nameOf(unit)
    );
}

const STATES = { enabled: ["enabled", "enabled-runtime"], disabled: ["disabled"], static: ["static"] } as const;

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

async function show(context: JobContext, name: string, root: unknown): Promise<Record<string, unknown>> {
  const { stdout } = await ask(context, ["show", unitOf(name), ...rootWords(root)]);
  const found: Record<string, unknown> = {};
  for (const line of splitLines(stdout)) {
    const at = line.indexOf("=");
    const [key, value] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
    if (value.startsWith("{")) {
      // `{ path=/usr/sbin/nginx ; argv[]=… ; … }`
      found[key] = Object.fromEntries(
        value.slice(1, -1).split(" ; ").map((part) => part.trim()).filter((part) => part !== "").map((part) => {
          const equals = part.indexOf("=");
          return equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
        }),
      );
    } else found[key] = value;
  }
  return found;
}

async function masked(context: JobContext, name: string, runtime: boolean, root: unknown): Promise<boolean> {
  const { fs } = context.runtime;
  const below = truthy(root) ? str(root) : "";
  const path = `${below}/${runtime ? "run" : "etc"}/systemd/system/${unitOf(name)}`;
  if (fs.stat(path, { follow: false })?.kind !== "symlink") return false;
  return await Promise.resolve(fs.readlink(path) === "/dev/null");
}

async function mask(context: JobContext, name: string, wanted: boolean, runtime: boolean, root: unknown) {
  if (await masked(context, name, runtime, root) === wanted) return true;
  return await act(context, [
    wanted ? "mask" : "unmask",
    ...(runtime ? ["--runtime"] : []),
    unitOf(name),
    ...rootWords(root),
  ]);
}

async function state(context: JobContext, name: string, root: unknown): Promise<string> {
  return (await ask(context, ["is-enabled", unitOf(name), ...rootWords(root)])).stdout.trim();
}

async function isActive(context: JobContext, name: string): Promise<boolean> {
  return (await ask(context, ["is-active", unitOf(name)])).retcode === 0;
}

async function available(context: JobContext, name: string): Promise<boolean> {
  const { LoadState: load } = await show(context, name, null);
  return load !== undefined && load !== "not-found";
}

export const systemd: ServiceManager & {
  show: typeof show;
  mask: typeof mask;
  masked: typeof masked;
  daemonReload(context: JobContext): Promise<true>;
} = {
  show,
  mask,
  masked,
  available,
  daemonReload: (context) => act(context, ["daemon-reload"]),
  async list(context, which) {
    if (which === "running") {
      return sorted(await loaded(context, ([, , active, sub]) => active === "active" && sub === "running"));
    }
    const files = await unitFiles(context);
    if (which === "all") return sorted([...files.keys(), ...await loaded(context, ([, load]) => load !== "not-found")]);
    const states: readonly string[] = STATES[which];
    return sorted([...files].filter(([, word]) => states.includes(word)).map(([name]) => name));
  },
  async act(context, verb, name, { noBlock, unmask, unmaskRuntime }) {
    if (unmask) await mask(context, name, false, false, null);
    if (unmaskRuntime) await mask(context, name, false, true, null);
    return await act(context, [...(noBlock ? ["--no-block"] : []), verb, unitOf(name)]);
  },
  async status(context, name) {
    if (!isPattern(name)) return await isActive(context, name);
    const matches = compileGlob(name);
    const found: Record<string, boolean> = {};
    for (const unit of (await this.list(context, "all")).filter(matches)) found[unit] = await isActive(context, unit);
    return found;
  },
  enable: (context, name, wanted, root) =>
    act(context, [wanted ? "enable" : "disable", unitOf(name), ...rootWords(root)]),
  async enabled(context, name, root) {
    return ["enabled", "enabled-runtime", "static", "alias", "indirect", "generated"].includes(
      await state(context, name, root),
    ) &&
      !(await masked(context, name, false, root));
  },
  async disabled(context, name, root) {
    return await available(context, name) && !await this.enabled(context, name, root);
  },
};
