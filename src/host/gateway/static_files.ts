import { isWithin, joinPath } from "../../base/paths.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { HttpError } from "./wire/errors.ts";

const TYPES: Record<string, string> = {
  html: "text/html;charset=utf-8",
  htm: "text/html;charset=utf-8",
  css: "text/css",
  js: "text/javascript",
  mjs: "text/javascript",
  json: "application/json",
  map: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  ico: "image/x-icon",
  txt: "text/plain",
  xml: "application/xml",
  woff: "font/woff",
  woff2: "font/woff2",
  wasm: "application/wasm",
};

function typeOf(path: string): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(TYPES, extension) ? TYPES[extension]! : "application/octet-stream";
}

/** The response with a file; undefined if there is no such file. */
export function fileResponse(
  fs: FileSystem,
  path: string,
  request: Request,
  headers: Record<string, string> = {},
): Response | undefined {
  const stat = fs.stat(path);
  if (stat?.kind !== "file") return undefined;
  const modified = new Date(Math.floor(stat.mtimeMs / 1000) * 1000);
  const all = {
    ...headers,
    "Content-Type": typeOf(path),
    "Last-Modified": modified.toUTCString(),
    "Accept-Ranges": "bytes",
    "X-Content-Type-Options": "nosniff",
  };
  const since = Date.parse(request.headers.get("If-Modified-Since") ?? "");
  if (since >= modified.getTime()) return new Response(null, { status: 304, headers: all });
  return new Response(Uint8Array.from(fs.read(path)), { headers: all });
}

/**
 * The real path of a file below a directory, with links followed; undefined if there is none, or if it is outside.
 *
 * @param rest the part of the request's path after the mount, still encoded
 * @throws {HttpError} 400
 */
export function fileBelow(fs: FileSystem, directory: string, rest: string): string | undefined {
  let name: string;
  try {
    name = decodeURIComponent(rest);
  } catch {
    throw new HttpError(400, "The path is malformed: expected percent-encoded UTF-8");
  }
  if (name.includes("\0") || name.includes("\\") || name.split("/").includes("..")) return undefined;
  try {
    const path = fs.realpath(joinPath(directory, name));
    return isWithin(fs.realpath(directory), path) && fs.stat(path)?.kind === "file" ? path : undefined;
  } catch {
    // No such file.
    return undefined;
  }
}
