import { baseName, joinPath, normalizePath } from "../../../base/paths.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { compileGlob } from "../../../language/python/glob.ts";

/** True for a path that may be pushed: absolute and without `..`. */
function isPushable(path: string): boolean {
  return path.startsWith("/") && !path.split("/").includes("..");
}

export async function pushFile(
  context: JobContext,
  path: string,
  options: { keepLinks?: boolean; uploadPath?: string | undefined; removeSource?: boolean } = {},
): Promise<boolean> {
  const { files, log, runtime: { fs } } = context;
  const { uploadPath = "" } = options;
  if (!isPushable(path) || uploadPath.split("/").includes("..")) {
    log.error('file not pushed: expected an absolute path without ".."', { path, upload_path: uploadPath });
    return false;
  }
  if (fs.stat(path)?.kind !== "file") {
    log.error("file not pushed: it does not exist, or is not a file", { path });
    return false;
  }
  const source = options.keepLinks ? path : fs.realpath(path);
  const name = normalizePath((uploadPath === "" ? source : uploadPath).replace(/^\/+/, ""));
  if (!await files.push(source, name.split("/"))) return false;
  if (options.removeSource) fs.remove(path);
  return true;
}

/** Sends what is below a directory, as far as the names fit; false as soon as one is not taken. */
export async function pushDirectory(
  context: JobContext,
  path: string,
  options: { glob?: string | undefined; uploadPath?: string | undefined } = {},
): Promise<boolean> {
  const { log, runtime: { fs } } = context;
  const { uploadPath = "", glob } = options;
  if (!isPushable(path) || fs.stat(path) === undefined) {
    log.error('directory not pushed: expected the absolute path of an existing directory, without ".."', { path });
    return false;
  }
  const root = fs.realpath(path);
  if (fs.stat(root)?.kind === "file") return await pushFile(context, root, { uploadPath });
  const fits = glob === undefined ? () => true : compileGlob(glob);
  const found: string[] = [];
  const enter = (directory: string) => {
    for (const name of fs.list(directory)) {
      const full = joinPath(directory, name);
      // Not into directories through links: they may lead back.
      if (fs.stat(full, { follow: false })?.kind === "directory") enter(full);
      else if (fs.stat(full)?.kind === "file" && fits(baseName(full))) found.push(full);
    }
  };
  enter(root);
  for (const full of found) {
    const upload = uploadPath === "" ? "" : joinPath(uploadPath, full.slice(root.length + 1));
    if (!await pushFile(context, full, { uploadPath: upload })) return false;
  }
  return found.length > 0;
}
