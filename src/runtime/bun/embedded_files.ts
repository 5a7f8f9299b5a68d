import type { FileSystem } from "../fs.ts";
import { builtin } from "../node/builtin.ts";

const { readFileSync } = builtin("node:fs");

/** The directory of embedded files in a program that Bun compiled to one file. */
const EMBEDDED = "/$bunfs/";

/** Adds the files that are embedded in this program to a file system. They have the age of the program, and no links lead to them. */
export function withEmbeddedFiles(fs: FileSystem, program: string): FileSystem {
  const isEmbedded = (path: string) => path.startsWith(EMBEDDED);
  return {
    ...fs,
    stat(path, options) {
      const found = fs.stat(path, options);
      const mtimeMs = isEmbedded(path) && found !== undefined ? fs.stat(program)?.mtimeMs : undefined;
      return mtimeMs === undefined ? found : { ...found!, mtimeMs };
    },
    // Bun can read embedded files by their path, but not open them.
    read: (path) => isEmbedded(path) ? readFileSync(path) : fs.read(path),
    readText: (path) => isEmbedded(path) ? readFileSync(path, "utf8") : fs.readText(path),
    realpath: (path) => isEmbedded(path) && fs.stat(path) !== undefined ? path : fs.realpath(path),
  };
}
