import { dirName } from "../../base/paths.ts";
import { executionFunctions, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import { str, truthy } from "../../language/python/values.ts";
import { isDirectory } from "../linux/paths.ts";
import { renderedWords } from "../templates.ts";
import { pushDirectory, pushFile } from "./cp/push.ts";
import { receiveChunk, receiveFiles } from "./cp/receive.ts";
import { getTemplate } from "./cp/template.ts";

const textOr = (value: unknown) => truthy(value) ? str(value) : undefined;

/** Compression from 1 to 9; anything else is none. */
function gzipOf(value: unknown): number {
  const level = Math.trunc(Number(value));
  return level >= 1 && level <= 9 ? level : 0;
}

/** The path, or what Salt returns for a file that cannot be fetched; the log names the file. */
function cachedOr(context: JobContext, path: string | undefined, url: string, saltenv: unknown): string | false {
  if (path !== undefined) return path;
  const where = textOr(saltenv) ?? textOr(context.opts.saltenv) ?? "base";
  context.log.error(`Unable to cache file '${url}' from saltenv '${where}'.`);
  return false;
}

function contentText(content: Uint8Array): string | Uint8Array {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return content;
  }
}

const SALTENV =
  "\n\nsaltenv: the environment; by default the minion's own, else base. A URL may name one: ?saltenv=dev";

/** Files to and from the master. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "get_file(path: str, dest: str, saltenv=None, makedirs: bool=False, template=None, gzip=None, **kwargs)": {
      doc:
        "Fetches a file of the master and returns its path here; empty if that fails, False if the target directory is missing.\n\n" +
        `    salt '*' cp.get_file salt://vimrc /etc/vimrc${SALTENV}\nmakedirs: make the directories above it\n` +
        "gzip: how hard the master compresses it on the way, from 1 to 9",
      async run(context, { saltenv, makedirs, gzip, ...args }) {
        const { files, runtime } = context;
        const [path, dest] = await renderedWords(context, [args.path, args.dest], {
          ...args.kwargs,
          ...args,
          saltenv,
        });
        const from = textOr(saltenv);
        const options = { saltenv: from, makedirs, gzip: gzipOf(gzip) };
        const got = await files.fetch(path, dest, options);
        if (got !== undefined) return got;
        // Salt returns False if the file exists and the target directory does not.
        const homeless = !options.makedirs && !isDirectory(runtime.fs, dirName(dest));
        return homeless && await files.hash(path, from) !== undefined ? false : "";
      },
    },
    "get_template(path, dest, template='jinja', saltenv=None, makedirs=False, **kwargs)": {
      doc: "Fetches a file of the master and renders it; with template=None, it stays as it is.\n\n" +
        `    salt '*' cp.get_template salt://vimrc /etc/vimrc${SALTENV}`,
      run: getTemplate,
    },
    "get_dir(path: str, dest: str, saltenv=None, template=None, gzip=None, **kwargs)": {
      doc: "Fetches a directory of the master with everything below it, and returns the paths here.\n\n" +
        `    salt '*' cp.get_dir salt://etc/apache2 /etc${SALTENV}\ngzip: as of cp.get_file`,
      async run(context, { saltenv, gzip, ...args }) {
        const [path, dest] = await renderedWords(context, [args.path, args.dest], {
          ...args.kwargs,
          ...args,
          saltenv,
        });
        return await context.files.fetchDirectory(path, dest, { saltenv: textOr(saltenv), gzip: gzipOf(gzip) });
      },
    },
    "get_url(path: str, dest='', saltenv=None, makedirs: bool=False, source_hash=None)": {
      doc:
        "Fetches a file from salt://, http:// or https:// and returns its path here: in the cache without dest, its " +
        "content with dest=None. A file of the minion stays where it is.\n\n" +
        `    salt '*' cp.get_url https://example.com/key.asc /tmp/key.asc${SALTENV}\n` +
        "makedirs: make the directories above it\nsource_hash: the digest that what comes over http must have",
      async run(context, { path, dest, saltenv, makedirs, source_hash }) {
        const url = path;
        const options = {
          saltenv: textOr(saltenv),
          makedirs,
          sourceHash: textOr(source_hash),
        };
        if (typeof dest !== "string") {
          const content = await context.files.read(url, options);
          if (content !== undefined) return contentText(content);
        } else {
          const got = await context.files.fetchUrl(url, dest, options);
          if (got !== undefined) return got;
        }
        const where = options.saltenv ?? textOr(context.opts.saltenv) ?? "base";
        context.log.error(`Unable to fetch file ${url} from saltenv ${where}.`);
        return false;
      },
    },
    "get_file_str(path: str, saltenv=None)": {
      doc: `Returns the content of a file of the master.\n\n    salt '*' cp.get_file_str salt://my/file${SALTENV}`,
      async run(context, { path, saltenv }) {
        const content = await context.files.read(path, { saltenv: textOr(saltenv) });
        return content === undefined
          ? cachedOr(context, undefined, path, saltenv)
          : new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
      },
    },
    "cache_file(path: str, saltenv=None, source_hash=None, verify_ssl: bool=True, use_etag: bool=False)": {
      doc: "Fetches a file into the cache of the minion and returns its path there.\n\n" +
        `    salt '*' cp.cache_file salt://path/to/file${SALTENV}\n` +
        "source_hash: the digest that what comes over http must have; a copy that has it is not fetched again\n" +
        "use_etag: ask the web server whether the copy that is there is still good",
      async run(context, { path, saltenv, source_hash, verify_ssl, use_etag }) {
        const got = await context.files.fetchUrl(path, "", {
          saltenv: textOr(saltenv),
          sourceHash: textOr(source_hash),
          useEtag: use_etag,
          verify: verify_ssl,
        });
        return cachedOr(context, got, path, saltenv);
      },
    },
    "cache_files(paths, saltenv=None)": {
      doc: "Fetches several files into the cache of the minion and returns their paths there.\n\n" +
        `    salt '*' cp.cache_files salt://first,salt://second${SALTENV}`,
      async run(context, { paths, saltenv }) {
        const urls = Array.isArray(paths) ? paths.map(str) : str(paths).split(",");
        const got: (string | false)[] = [];
        for (const url of urls) {
          const path = await context.files.fetchUrl(url, "", { saltenv: textOr(saltenv) });
          got.push(cachedOr(context, path, url, saltenv));
        }
        return got;
      },
    },
    "cache_dir(path: str, saltenv=None, include_empty: bool=False, include_pat=None, exclude_pat=None)": {
      doc: "Fetches all files below a directory of the master into the cache of the minion.\n\n" +
        `    salt '*' cp.cache_dir salt://path/to/dir include_pat='E@\\.conf$'${SALTENV}\n` +
        "include_empty: empty directories, too\n" +
        "include_pat, exclude_pat: which paths; a glob, or E@ and a regular expression",
      run: ({ files }, { path, saltenv, include_empty, include_pat, exclude_pat }) =>
        files.cacheDirectory(path, {
          saltenv: textOr(saltenv),
          includeEmpty: include_empty,
          include: textOr(include_pat),
          exclude: textOr(exclude_pat),
        }),
    },
    "cache_master(saltenv=None)": {
      doc: `Fetches all files of the master into the cache of the minion.\n\n    salt '*' cp.cache_master${SALTENV}`,
      run: async ({ files }, { saltenv }) => (await files.cacheMaster(textOr(saltenv))).map((path) => path ?? false),
    },
    "cache_local_file(path: str)": {
      doc: "Copies a file of the minion into its cache.\n\n    salt '*' cp.cache_local_file /etc/hosts",
      async run({ files, runtime: { fs } }, { path }) {
        const source = path;
        if (fs.stat(source)?.kind !== "file") return "";
        const cached = files.cached(source);
        if (cached !== undefined && (await files.hash(cached))?.hsum === (await files.hash(source))?.hsum) {
          return cached;
        }
        return files.cacheLocal(source);
      },
    },
    "cache_dest(url: str, saltenv=None)": {
      doc: "The path that a file would have in the cache.\n\n    salt '*' cp.cache_dest https://example.com/key.asc" +
        SALTENV,
      run: ({ files }, { url, saltenv }) => files.cachePath(url, textOr(saltenv)),
    },
    "is_cached(path: str, saltenv=None)": {
      doc: "The path of a file in the cache, or an empty text.\n\n    salt '*' cp.is_cached salt://path/to/file" +
        SALTENV,
      run: ({ files }, { path, saltenv }) => files.cached(path, textOr(saltenv)) ?? "",
    },
    "hash_file(path: str, saltenv=None)": {
      doc: "The digest of a file, of the master or of the minion.\n\n" +
        `    salt '*' cp.hash_file salt://path/to/file${SALTENV}`,
      async run({ files }, { path, saltenv }) {
        const hash = await files.hash(path, textOr(saltenv));
        return hash ?? (path.startsWith("salt://") ? "" : {});
      },
    },
    "stat_file(path: str, saltenv=None, octal=True)": {
      doc: "The mode of a file, of the master or of the minion, as Python writes it in octal.\n\n" +
        `    salt '*' cp.stat_file salt://path/to/file${SALTENV}\noctal: False for the number`,
      async run({ files }, { path, saltenv, octal }) {
        const mode = (await files.stat(path, textOr(saltenv)))?.[0];
        if (mode === undefined) return null;
        return octal === true ? (mode & 0o7777).toString(8).padStart(4, "0") : mode;
      },
    },
    "list_master(saltenv=None, prefix: str='')": {
      doc: `The files on the master.\n\n    salt '*' cp.list_master${SALTENV}\nprefix: how their paths begin`,
      run: ({ files }, { saltenv, prefix }) => files.list("files", { saltenv: textOr(saltenv), prefix }),
    },
    "list_master_dirs(saltenv=None, prefix: str='')": {
      doc:
        `The directories of the master.\n\n    salt '*' cp.list_master_dirs${SALTENV}\nprefix: how their paths begin`,
      run: ({ files }, { saltenv, prefix }) => files.list("directories", { saltenv: textOr(saltenv), prefix }),
    },
    "list_master_symlinks(saltenv=None, prefix: str='')": {
      doc: "The symbolic links among the files of the master, with their targets.\n\n" +
        `    salt '*' cp.list_master_symlinks${SALTENV}\nprefix: how their paths begin`,
      run: ({ files }, { saltenv, prefix }) => files.links({ saltenv: textOr(saltenv), prefix }),
    },
    "list_minion(saltenv=None)": {
      doc: `The files in the cache of the minion.\n\n    salt '*' cp.list_minion${SALTENV}`,
      run: ({ files }, { saltenv }) => files.cachedFiles(textOr(saltenv)),
    },
    "list_states(saltenv=None)": {
      doc: `The names of the SLS files of the master.\n\n    salt '*' cp.list_states${SALTENV}`,
      run: ({ files }, { saltenv }) => files.states(textOr(saltenv)),
    },
    "envs()": {
      doc: "The environments of the master.\n\n    salt '*' cp.envs",
      run: ({ files }) => files.environments(),
    },
    "push(path: str, keep_symlinks: bool=False, upload_path=None, remove_source: bool=False)": {
      doc:
        "Sends a file to the master, which keeps it below minions/<id>/files in its cache if its option file_recv is " +
        "set.\n\n    salt '*' cp.push /etc/fstab\n\nkeep_symlinks: under the name of the link rather than of the file\n" +
        "upload_path: under that name. remove_source: remove it here",
      run: (context, { path, keep_symlinks, upload_path, remove_source }) =>
        pushFile(context, path, {
          keepLinks: keep_symlinks,
          uploadPath: textOr(upload_path),
          removeSource: remove_source,
        }),
    },
    "push_dir(path: str, glob=None, upload_path=None)": {
      doc: "Sends all files below a directory to the master, as cp.push does.\n\n" +
        "    salt '*' cp.push_dir /etc/modprobe.d glob='*.conf'\n\nglob: which names. upload_path: below that path",
      run: (context, { path, glob, upload_path }) =>
        pushDirectory(context, path, { glob: textOr(glob), uploadPath: textOr(upload_path) }),
    },
    "recv(files, dest: str)": {
      doc: "Writes files that came with the job: what salt-cp calls.",
      run: (context, { files, dest }) => receiveFiles(context, files, dest),
    },
    "recv_chunked(dest: str, chunk, append=False, compressed=True, mode=None)": {
      doc: "Writes a piece of a file that came with the job: what salt-cp --chunked calls.",
      run: (context, { dest, chunk, append, compressed, mode }) =>
        receiveChunk(context, { dest, chunk, append, compressed, mode }),
    },
  }),
};
