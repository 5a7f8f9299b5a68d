import { SystemError } from "../../../base/errors.ts";
import { findGroup } from "../../../runtime/accounts.ts";
import { searchPath } from "../../linux/programs.ts";
import { fileText, type Grains, type GrainsContext } from "./source.ts";

/** A number computed from the id: the same on every host with that id. */
function serverId(context: GrainsContext): number {
  const { crypto } = context.runtime;
  const id = new TextEncoder().encode(typeof context.opts.id === "string" ? context.opts.id : "");
  const digest = crypto.hash("sha256", id);
  // The digest as one number, modulo 2^31: its last four bytes without the highest bit.
  return new DataView(digest.buffer, digest.byteOffset + digest.length - 4, 4).getUint32(0) & 0x7fffffff;
}

/** Language and encoding from the minion's environment. */
function locale(context: GrainsContext): Grains {
  const { process } = context.runtime;
  const asked = ["LC_ALL", "LC_CTYPE", "LANG", "LANGUAGE"].map((name) => process.env(name))
    .find((value) => value !== undefined && value !== "") ?? "C";
  const [language = "C", encoding] = asked.split("@", 1)[0]!.split(".");
  const plain = language === "C" || language === "POSIX";
  const normal = encoding === undefined ? null : /^utf-?8$/i.test(encoding) ? "UTF-8" : encoding;
  return {
    locale_info: {
      // Python treats C.UTF-8 as English.
      defaultlanguage: plain ? (normal === null ? null : "en_US") : language,
      defaultencoding: plain && normal === null ? null : normal ?? "ISO8859-1",
      detectedencoding: "utf-8",
      timezone: timeZone(context),
    },
  };
}

/** The short name of the current time zone: `UTC`, `CET`, or an offset if it has no name. */
function timeZone(context: GrainsContext): string {
  const now = new Date(context.runtime.clock.now());
  // Loading the tables of time zone names takes longer than all other grains together.
  if (now.getTimezoneOffset() === 0 && (context.runtime.process.env("TZ") ?? "") === "") {
    const zone = fileText(context, "/etc/timezone").trim();
    if (zone === "" || /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu)$/.test(zone)) return "UTC";
  }
  const parts = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" }).formatToParts(now);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "unknown";
}

/** Empty if the working directory has been removed: that is no reason to go without the other grains. */
function workingDirectory({ runtime }: GrainsContext): Grains {
  try {
    return { cwd: runtime.process.cwd() };
  } catch (error) {
    if (error instanceof SystemError) return {};
    throw error;
  }
}

/** Grains of the minion process: its host, paths and user. */
export function minion(context: GrainsContext): Grains {
  const { host, process } = context.runtime;
  const user = host.user();
  const path = process.env("PATH") ?? "";
  const { id, master } = context.opts;
  const machineId = (fileText(context, "/etc/machine-id") || fileText(context, "/var/lib/dbus/machine-id")).trim();
  return {
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    ...(master === undefined ? {} : { master }),
    server_id: serverId(context),
    ...(machineId === "" ? {} : { machine_id: machineId }),
    ...workingDirectory(context),
    path: path.trim(),
    systempath: searchPath(path),
    shell: process.env("SHELL") ?? "/bin/sh",
    pid: process.pid,
    uid: user.uid,
    username: user.name,
    gid: user.gid,
    groupname: findGroup(context.runtime, user.gid)?.name ?? "",
    ...locale(context),
  };
}
