/** Names of RPM packages: that of an architecture is part of those of others. */
import type { Context } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";

const X86_64 = ["x86_64", "x86_64_v2"];
const ARCHES_32 = ["i386", "i486", "i586", "i686"];
const ARM_32 = ["armv5tel", "armv5tejl", "armv6l", "armv6hl", "armv7l", "armv7hl", "armv7hnl"];

/** Every architecture that a name may end in. */
export const ARCHES: readonly string[] = [
  ...X86_64,
  ...["athlon", "amd64", "ia32e", "ia64", "geode"],
  ...ARCHES_32,
  ...["ppc", "ppc64", "ppc64le", "ppc64iseries", "ppc64pseries", "s390", "s390x"],
  ...["alpha", "alphaev4", "alphaev45", "alphaev5", "alphaev56", "alphapca56", "alphaev6", "alphaev67"],
  ...["alphaev68", "alphaev7"],
  ...ARM_32,
  ...["aarch64", "sh3", "sh4", "sh4a"],
];

/** True if both are among the same 32-bit architectures, which are one for packages. */
export const sameOf32 = (one: string, other: string): boolean =>
  [ARCHES_32, ARM_32].some((list) => list.includes(one) && list.includes(other));

/** The architecture of this host, as RPM calls it. */
export const hostArch = ({ grains }: Pick<Context, "grains">): string => str(grains.osarch ?? "x86_64");

/** The name of a package, with its architecture if that is not the host's. */
export function resolveName(name: string, arch: string, osarch: string): string {
  const own = sameOf32(arch, osarch) || [osarch, "noarch"].includes(arch) ||
    (X86_64.includes(arch) && X86_64.includes(osarch));
  return own ? name : `${name}.${arch}`;
}

/** Name and architecture of `zlib.i686`; null for a name without. */
export function parseArch(name: string): { name: string; arch: string | null } {
  const at = name.lastIndexOf(".");
  const arch = name.slice(at + 1);
  return at > 0 && [...ARCHES, "noarch"].includes(arch) ? { name: name.slice(0, at), arch } : { name, arch: null };
}

/** A name without the architecture if that is the host's own. */
export function rpmName(name: string, osarch: string): string {
  const { name: bare, arch } = parseArch(name);
  return arch !== null && resolveName(bare, arch, osarch) === bare ? bare : name;
}
