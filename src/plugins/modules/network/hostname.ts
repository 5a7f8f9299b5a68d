import { executionFunction, type JobContext } from "../../../model/loader/family.ts";
import { messageOf } from "../../../base/errors.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { splitWords } from "../../../language/python/text.ts";
import { programPath, runAll } from "../../commands.ts";
import { isDirectory } from "../../linux/paths.ts";
import { hostAddresses } from "./addresses.ts";
import { replaceContent } from "../../host_files.ts";

export const fullName = executionFunction({
  signature: "",
  doc: "The full name of this host.\n\n    salt '*' network.get_fqdn",
  async run(context): Promise<string> {
    return await context.runtime.host.canonicalName() ?? context.runtime.host.hostname();
  },
});

/** Names that the resolver has for the addresses of this host. */
export const fqdns = executionFunction({
  signature: "",
  doc: "The names that the resolver returns for the addresses of this host.\n\n    salt '*' network.fqdns",
  async run(context): Promise<{ fqdns: string[] }> {
    const own = [
      ...await hostAddresses(context, 4, { include_loopback: false }),
      ...await hostAddresses(context, 6, { include_loopback: false }),
    ];
    const names = new Set<string>();
    for (const address of own) {
      const { retcode, stdout } = await runAll(context, ["getent", "hosts", address], { ignore_retcode: true });
      // The first name is the canonical one.
      const [, name] = splitWords(stdout);
      if (retcode === 0 && name !== undefined) names.add(name);
    }
    return { fqdns: [...names].sort() };
  },
});

/** Changes the name of this host now and for later starts. */
export async function setHostname(context: JobContext, name: unknown): Promise<boolean> {
  if (!truthy(name)) return false;
  const { fs } = context.runtime;
  const hostname = str(name);
  const before = context.runtime.host.hostname();
  if (programPath(context, "hostnamectl") !== undefined && isDirectory(fs, "/run/systemd/system")) {
    const { retcode } = await runAll(context, ["hostnamectl", "set-hostname", hostname]);
    if (retcode !== 0) return false;
  } else {
    const { retcode } = await runAll(context, ["hostname", hostname]);
    if (retcode !== 0) return false;
    replaceContent(context.runtime, "/etc/hostname", `${hostname}\n`);
  }
  try {
    const hosts = fs.readText("/etc/hosts").split("\n").map((line) => {
      const [address, ...names] = line.split(/(?<=\S)(?=\s)/);
      return [address, ...names.map((word) => word.trim() === before ? word.replace(before, hostname) : word)].join("");
    });
    replaceContent(context.runtime, "/etc/hosts", hosts.join("\n"));
  } catch (error) {
    context.log.warning("name of this host not changed in /etc/hosts", { error: messageOf(error) });
  }
  return true;
}
