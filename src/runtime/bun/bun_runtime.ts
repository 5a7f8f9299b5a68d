/** Bun: Node's adapter, with its own way to dial, which spares commands the streams of Node, and datagrams to Unix sockets. */
import type { Runtime } from "../runtime.ts";
import { nodeRuntime } from "../node/node_runtime.ts";
import { fifoPipes } from "../node/pipes.ts";
import { nodeProcess } from "../node/process.ts";
import { bunDial } from "./dial.ts";
import { bunStreams } from "./descriptor_streams.ts";
import { bunUnixDatagram } from "./unix_datagram.ts";
import type { Crypto, Hasher, HashName } from "../crypto.ts";
import { nodeCrypto, plain, pooledRandom } from "../node/crypto.ts";
import { type Libcrypto, rsaByLibcrypto } from "../node/libcrypto.ts";
import { openBunLibcrypto } from "./libcrypto.ts";
import type { FileSystem } from "../fs.ts";
import { builtin } from "../node/builtin.ts";

const { readFileSync } = builtin("node:fs");

/** The directory of embedded files in a program that Bun compiled to one file. */
const EMBEDDED = "/$bunfs/";

/** Adds the files that are embedded in this program to a file system. They have the age of the program, and no links lead to them. */
function withEmbeddedFiles(fs: FileSystem, program: string): FileSystem {
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

/** Hashes and random bytes without `node:crypto`, which takes 8 ms to load: for many commands they are enough. */
function ownPrimitives(): Pick<Crypto, "hash" | "hexHash" | "hasher" | "randomBytes"> {
  const { CryptoHasher } = (globalThis as unknown as { Bun: BunGlobal }).Bun;
  return {
    hash: (name, data) => plain(new CryptoHasher(name).update(data).digest()),
    hexHash: (name, data) => new CryptoHasher(name).update(data).digest("hex"),
    hasher(name): Hasher {
      const hash = new CryptoHasher(name);
      return { update: (data) => void hash.update(data), digest: () => plain(hash.digest()) };
    },
    randomBytes: pooledRandom((length) => {
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; at += MOST_RANDOM) crypto.getRandomValues(bytes.subarray(at, at + MOST_RANDOM));
      return bytes;
    }),
  };
}

/** The bytes that Web Crypto draws at once. */
const MOST_RANDOM = 65_536;

/** The operations with RSA keys that Bun does itself: a minion or a command needs only a few, and loading the library takes 9 ms. */
const FEW = 8;

/**
 * The primitives on Bun: Node's, but for hashes and random bytes, and for RSA by OpenSSL of the host if it is installed, which takes half
 * the time.
 *
 * @param open finds the library. Called once
 */
export function bunCrypto(open: () => Libcrypto | undefined = openBunLibcrypto, few = FEW): Crypto {
  const node = nodeCrypto();
  let library: Libcrypto | null | undefined;
  let left = few;
  return {
    ...node,
    ...ownPrimitives(),
    ...rsaByLibcrypto(node, () => {
      if (left > 0) left--;
      else if (library === undefined) library = open() ?? null;
      return library ?? undefined;
    }),
    // By Bun itself on another thread: the library would do it on the event loop.
    pkcs1SignAsync: node.pkcs1SignAsync,
  };
}

interface BunHasher {
  update(data: Uint8Array): BunHasher;
  digest(): Uint8Array;
  digest(as: "hex"): string;
}

interface BunGlobal {
  version: string;
  CryptoHasher: new (name: HashName) => BunHasher;
}

export function bunRuntime(): Runtime {
  const base = nodeRuntime();
  const { version } = (globalThis as unknown as { Bun: BunGlobal }).Bun;
  const unixDatagram = bunUnixDatagram();
  // A program that was compiled to one file has other files embedded in it.
  const net = { ...base.net, dial: bunDial(base.net.dial), ...(unixDatagram === undefined ? {} : { unixDatagram }) };
  const fs = import.meta.url.includes("/$bunfs/") ? withEmbeddedFiles(base.fs, process.execPath) : base.fs;
  return {
    ...base,
    name: "bun",
    crypto: bunCrypto(),
    fs,
    net,
    process: nodeProcess({ pipes: fifoPipes(bunStreams) }),
    host: { ...base.host, runtimeVersion: () => ["bun", version] },
    http: {
      serve: async (handler, options) => (await import("./http.ts")).serveBunHttp(handler, options, net),
      request: async (url, request) => (await import("../node/http_request.ts")).requestHttp(url, request),
    },
    // Imported by path: Bun ignores the query of a file: URL, so a changed file would not be loaded again.
    importFile: (path, stamp) => import(`${path}?${encodeURIComponent(stamp)}`),
  };
}
