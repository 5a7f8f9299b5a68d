/** A runtime whose default directories are below one of the test: what a program without a configuration makes is made there. */
import type { FileSystem } from "../../src/runtime/fs.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

/** Where programs write that find no configuration. */
export const DEFAULT_DIRECTORIES = ["/etc/salt", "/var/cache/salt", "/var/log/salt", "/var/run/salt", "/run/salt"];

/** @param root an existing directory of the test */
export function ownHost(runtime: Runtime, root: string): Runtime {
  const isDefault = (text: string) => DEFAULT_DIRECTORIES.some((one) => text === one || text.startsWith(`${one}/`));
  const moved = (value: unknown) => typeof value === "string" && isDefault(value) ? root + value : value;
  const fs = new Proxy(runtime.fs, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      return typeof member === "function"
        ? (...args: unknown[]) => {
          // The others have one path, and then what is written.
          const paths = /rename|link|copy/i.test(String(name)) ? 2 : 1;
          const own = args.map((value, at) => at < paths ? moved(value) : value);
          return (member as (...args: unknown[]) => unknown).apply(target, own);
        }
        : member;
    },
  }) as FileSystem;
  return { ...runtime, fs };
}
