import type { StateContext } from "../../../model/loader/states.ts";
import { type Args, isMap, lookup, str, truthy } from "../../../language/python/values.ts";

export interface ActiveMount {
  device: string;
  opts: string[];
  superopts?: string[];
  alt_device?: string | null;
  device_uuid?: string | null;
  device_label?: string | null;
}

/** Options that the system does not show of a mount. */
const INVISIBLE = [
  ..."_netdev actimeo bg comment defaults delay_connect direct-io-mode intr loop nointr nobootwait nofail password"
    .split(" "),
  ..."reconnect retry soft auto users bind nonempty transform_symlinks port backup-volfile-servers".split(" "),
];

/** Options that it shows without their values, or not at all. */
const INVISIBLE_KEYS = "actimeo comment credentials direct-io-mode password port retry secretfile".split(" ");

const TRANSLATED: Record<string, string> = { tcp: "proto=tcp", udp: "proto=udp" };

/** Kilobytes in one of a unit. */
const UNITS: Record<string, number> = { k: 1, m: 1024, g: 1024 * 1024 };

const keyOf = (option: string) => option.split("=")[0]!;

/** A size as the system shows it, in kilobytes; undefined for another option. */
function inKilobytes(option: string): string | undefined {
  const [, count, unit] = /^size=(\d+)([kmg])/.exec(option) ?? [];
  return unit === undefined ? undefined : `size=${Number(count) * UNITS[unit]!}k`;
}

export const mountOptionWords = (value: unknown): string[] =>
  truthy(value) ? (Array.isArray(value) ? value.map(str) : str(value).split(",")) : [];

/** A user or group given by name as the number that the system shows. */
async function withNumber(context: StateContext, option: string): Promise<string> {
  const [key = "", given = ""] = option.split("=");
  if ((key !== "uid" && key !== "gid") || !option.includes("=") || /^\d+$/.test(given)) return option;
  const info = await context.call(key === "uid" ? "user.info" : "group.info", [given]);
  return `${key}=${isMap(info) && truthy(info) ? str(lookup(info, key) ?? given) : given}`;
}

/** Options as the system would show them. */
interface ShownOptions {
  /** Those that a mount should have and has not. */
  missing: string[];
  last: string;
}

/** What a mount lacks of the options that it should have. */
export async function missingOptions(
  context: StateContext,
  args: Args,
  wanted: readonly string[],
  active: ActiveMount,
): Promise<ShownOptions> {
  const { fstype } = args;
  const invisible = new Set([
    ...INVISIBLE,
    ...mountOptionWords(args.extra_mount_invisible_options),
    ...mountOptionWords(args.hidden_opts),
  ]);
  const invisibleKeys = new Set([...INVISIBLE_KEYS, ...mountOptionWords(args.extra_mount_invisible_keys)]);
  const extraIgnored = isMap(args.extra_mount_ignore_fs_keys)
    ? lookup(args.extra_mount_ignore_fs_keys, fstype)
    : undefined;
  const ignored = mountOptionWords(extraIgnored ?? (fstype === "ramfs" ? ["size"] : []));
  const translated = isMap(args.extra_mount_translate_options) ? args.extra_mount_translate_options : {};
  const shown = new Set([...active.opts, ...active.superopts ?? []].map((option) => inKilobytes(option) ?? option));
  const size = active.superopts?.map(inKilobytes).find((option) => option !== undefined);
  const missing: string[] = [];
  let last = "";
  for (const given of wanted) {
    let option = str(lookup(translated, given) ?? TRANSLATED[given] ?? given);
    if (invisibleKeys.has(keyOf(option))) option = keyOf(option);
    option = inKilobytes(option) ?? option;
    if (fstype === "cifs" && keyOf(option) === "user") option = `username=${option.split("=")[1]}`;
    if (ignored.includes(keyOf(option))) option = keyOf(option);
    option = await withNumber(context, option);
    // As in Salt, a mount with a size lacks nothing: a tmpfs does not show a mode or a size in percent as it was given.
    option = size ?? option;
    last = option;
    const hidden = invisible.has(option) || ignored.includes(option) || invisibleKeys.has(option);
    if (!hidden && !shown.has(option)) missing.push(option);
  }
  return { missing, last };
}
