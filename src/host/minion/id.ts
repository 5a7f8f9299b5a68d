import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { joinPath } from "../../base/paths.ts";
import { ConfigError, messageOf } from "../../base/errors.ts";
import { isMinionId } from "../../base/minion_id.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** Names that do not identify a host. */
const NO_NAME = /^(localhost.*|ip6-.*|127\..*|0\.0\.0\.0|::1.*|fe00::.*|ff02::.*)$/;

async function generate(runtime: Runtime): Promise<string> {
  const { host, fs } = runtime;
  const candidates: (string | undefined)[] = [await host.canonicalName(), host.hostname()];
  for (const path of ["/etc/hostname", "/etc/nodename"]) {
    if (fs.stat(path)?.kind === "file") candidates.push(fs.readText(path).trim());
  }
  for (const addresses of Object.values(host.interfaces())) {
    for (const { family, address, internal } of addresses) if (family === "IPv4" && !internal) candidates.push(address);
  }
  return candidates.find((name) => name !== undefined && name !== "" && !NO_NAME.test(name)) ?? "localhost";
}

/**
 * Returns the id of this minion: the configured id, else the one cached in the file `minion_id`, else one made from the host's names,
 * which is then cached.
 *
 * @throws {ConfigError} if the id is not valid
 */
export async function minionId(runtime: Runtime, opts: MinionOpts, log: Logger): Promise<string> {
  const check = (id: string, from: string): string => {
    if (isMinionId(id)) return id;
    throw new ConfigError(
      `The minion id "${id}" (${from}) is not valid: it must not contain "/", "\\" or NUL, nor be ".."`,
    );
  };
  if (opts.id !== "") return check(opts.id, "option id");
  const { fs } = runtime;
  const remembered = joinPath(opts.conf_file.slice(0, opts.conf_file.lastIndexOf("/")), "minion_id");
  if (opts.minion_id_caching && fs.stat(remembered)?.kind === "file") {
    const id = fs.readText(remembered).replace(/^\uFEFF/, "").trim();
    if (id !== "" && id !== "localhost") return check(id, remembered);
  }
  let id = await generate(runtime);
  if (opts.minion_id_lowercase) id = id.toLowerCase();
  const suffix = opts.minion_id_remove_domain;
  if (suffix === true) id = id.split(".")[0]!;
  else if (typeof suffix === "string" && id.endsWith(`.${suffix}`)) id = id.slice(0, -suffix.length - 1);
  const isAddress = /^[\d.]+$|:/.test(id);
  if (opts.append_domain !== "" && !isAddress && !id.endsWith(`.${opts.append_domain}`)) {
    id = `${id}.${opts.append_domain}`;
  }
  check(id, "made from the host's names");
  log.info("minion id chosen from the host's names", { id });
  if (opts.minion_id_caching) {
    try {
      fs.write(remembered, id, { mode: 0o644, sync: true });
    } catch (error) {
      // A user who is not root cannot write the file: the id is made again at the next start.
      log.warning("the minion id cannot be saved and may change: set the option id", { id, error: messageOf(error) });
    }
  }
  return id;
}
