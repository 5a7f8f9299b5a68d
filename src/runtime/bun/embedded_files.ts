import type { FileSystem } from "../fs.ts";
import { builtin } from "../node/builtin.ts";

const { readFileSync } = builtin("node:fs");

/** Where a program that Bun made one file of finds what is embedded in it. */
const EMBEDDED = "/$bunfs/";

/** The same files, with those that are embedded in this program: they are as old as the program is, and no links lead to them. */
export function withEmbeddedFiles(fs: FileSystem, program: string): FileSystem {
  const isEmbedded = (path: string) => path.startsWith(EMBEDDED);
  return {
    ...fs,
    stat(path, options) {
      const found = fs.stat(path, options);
      const mtimeMs = isEmbedded(path) && found !== undefined ? fs.stat(program)?.mtimeMs : undefined;
      return mtimeMs === undefined ? found : { ...found!, mtimeMs };
    },
    // They can be read by their path, and not opened.
    read: (path) => isEmbedded(path) ? readFileSync(path) : fs.read(path),
    readText: (path) => isEmbedded(path) ? readFileSync(path, "utf8") : fs.readText(path),
    realpath: (path) => isEmbedded(path) && fs.stat(path) !== undefined ? path : fs.realpath(path),
  };
}
