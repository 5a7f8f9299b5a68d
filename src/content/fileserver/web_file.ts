import { webLimits } from "../../model/config/web_limits.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { digestFile, type SourceHash } from "./digest.ts";
import type { FileWriter } from "./file_writer.ts";
import { download, type Fetch, withoutPassword } from "./http.ts";
import { statOf } from "./walk.ts";

interface WebFileOptions {
  runtime: Pick<Runtime, "fs" | "crypto" | "later">;
  /** `{http_connect_timeout, http_request_timeout, http_max_body}` */
  opts: Record<string, unknown>;
  fetch: Fetch;
  writer: FileWriter;
}

/** What the target file must contain, and whether the server is asked again for a file that is there already. */
interface WebFileCheck {
  wanted?: SourceHash | undefined;
  /** False accepts any TLS certificate. @default true */
  verify?: boolean;
  /** Ask the server, by the ETag of the copy on this host, whether the copy is still current. */
  useEtag: boolean;
}

/** True if the target has the wanted content, so that nothing needs to be fetched. */
export async function isWanted(
  target: string,
  wanted: SourceHash | undefined,
  runtime: WebFileOptions["runtime"],
): Promise<boolean> {
  return wanted !== undefined && statOf(runtime.fs, target)?.kind === "file" &&
    await digestFile(runtime, wanted.name, target) === wanted.hsum;
}

/**
 * Fetches a file over http or https to a path. The file there stays if the server says that it is still good.
 *
 * @throws {CommandExecutionError} if it cannot be fetched, or is not what `wanted` says
 */
export async function fetchWebFile(
  url: string,
  target: string,
  { wanted, useEtag, verify }: WebFileCheck,
  { runtime: { fs, crypto }, opts, fetch, writer }: WebFileOptions,
): Promise<void> {
  const tagPath = `${target}.etag`;
  const isFile = (path: string) => statOf(fs, path)?.kind === "file";
  const known = useEtag && isFile(target) && isFile(tagPath) ? fs.readText(tagPath).trim() : "";
  await writer.write(target, async (draft) => {
    const hasher = wanted && crypto.hasher(wanted.name);
    let size = 0;
    const reply = await download(url, {
      fetch,
      limits: webLimits(opts),
      ...(known === "" ? {} : { etag: known }),
      ...(verify === false ? { tls: { verify } } : {}),
      take(piece) {
        fs.writeAt(draft.path, size, piece);
        hasher?.update(piece);
        size += piece.length;
      },
    });
    if (reply === undefined) return;
    const got = hasher && hex(hasher.digest());
    if (wanted !== undefined && got !== wanted.hsum) {
      throw new CommandExecutionError(
        `Cannot use "${
          withoutPassword(url)
        }": its ${wanted.name} is ${got}, and source_hash says ${wanted.hsum}. If the ` +
          "file changed on purpose, also change source_hash",
      );
    }
    // Remove the old ETag before the content changes: after a crash it would vouch for other content.
    if (useEtag) fs.remove(tagPath);
    draft.keep();
    if (useEtag && reply.etag !== "") fs.write(tagPath, reply.etag, { mode: 0o600 });
  });
}
