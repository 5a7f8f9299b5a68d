import { joinPath } from "../../base/paths.ts";
import type { ExecutionModule } from "../../model/loader/family.ts";
import { CommandExecutionError, CommandNotFoundError, executionFunction } from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/text.ts";
import { str, truthy } from "../../language/python/values.ts";
import { programPath, runAll } from "../commands.ts";
import { install } from "./aptpkg/install.ts";
import { isFamily } from "./dpkg_lowpkg.ts";
import { packageFunctions } from "../packages/functions.ts";
import { changes } from "../packages/lists.ts";
import { downloadedPackages } from "../packages/package_file.ts";
import { fileFunctions, versionFunctions } from "../packages/shared_functions.ts";
import { aptRemove, upgrade } from "./aptpkg/change.ts";
import { aptGet, askApt, dpkgInstalled, nativeArchitecture, paragraphs } from "./aptpkg/dpkg.ts";
import { addRepoKey, delRepoKey, repoKeys } from "./aptpkg/keys.ts";
import { refresh } from "./aptpkg/refresh.ts";
import { delRepo, getRepo, listRepos, modRepo } from "./aptpkg/repositories.ts";
import { hold, selections, setSelections } from "./aptpkg/selections.ts";
import { files, info, owner, repoPackages, show } from "./aptpkg/details.ts";
import { checkFrom, compareDebian, newest, upgrades } from "./aptpkg/versions.ts";

const ARCHITECTURES = [
  "all",
  "any",
  "amd64",
  "i386",
  "arm64",
  "armhf",
  "armel",
  "ppc64el",
  "s390x",
  "riscv64",
  "mips64el",
];

/** Name and architecture of `zsh:amd64`. */
function parseArch(name: string): { name: string; arch: string | null } {
  const at = name.lastIndexOf(":");
  const arch = name.slice(at + 1);
  return at > 0 && ARCHITECTURES.includes(arch) ? { name: name.slice(0, at), arch } : { name, arch: null };
}

const KEYS =
  "\n\naptkey: those of the program apt-key, where there is one. keydir: otherwise the directory of keys,\n" +
  "/etc/apt/keyrings";

/** Packages of Debian and its relatives. Other systems get a module of their own under this name. */
export const module: ExecutionModule = {
  virtual: (context) => isFamily(context, ["Debian"]) ? "pkg" : { unavailable: "Packages are not handled by apt here" },
  functions: packageFunctions({
    async "list_pkgs(versions_as_list: bool=False, removed=False, purge_desired=False, **kwargs)"(context, args) {
      const all = await dpkgInstalled(context, {
        removed: args.removed === true,
        purgeDesired: args.purge_desired === true,
      });
      const sorted = Object.entries(all).sort(([a], [b]) => a < b ? -1 : 1);
      return Object.fromEntries(sorted.map(([name, of]) => [name, args.versions_as_list ? [of] : of]));
    },
    ...versionFunctions({
      check: checkFrom,
      refresh: (context, kwargs) => refresh(context, { validS: Number(kwargs.cache_valid_time ?? 0) }),
      newest,
    }),
    "list_upgrades(refresh=True, dist_upgrade: bool=True, **kwargs)": upgrades,
    "refresh_db(cache_valid_time=0, failhard=False, **kwargs)": (context, { cache_valid_time: validS, failhard }) =>
      refresh(context, { validS: Number(validS), failhard }),
    [
      `install(name=None, refresh=False, fromrepo=None, skip_verify=False, debconf=None, pkgs=None, sources=None,
      reinstall=False, downloadonly=False, ignore_epoch=False, normalize=True, **kwargs)` as const
    ]: install,
    "remove(name=None, pkgs=None, **kwargs)": (context, args) => aptRemove(context, "remove", args),
    "purge(name=None, pkgs=None, **kwargs)": (context, args) => aptRemove(context, "purge", args),
    "upgrade(refresh=True, dist_upgrade=False, **kwargs)": upgrade,
    "autoremove(list_only: bool=False, purge: bool=False)": {
      doc:
        "Removes packages that were installed as dependencies and are no longer needed.\n\n    salt '*' pkg.autoremove list_only=True",
      async run(context, args): Promise<unknown> {
        const words = ["autoremove", ...(args.purge ? ["--purge"] : [])];
        if (args.list_only) {
          const { stdout } = await askApt(context, ["apt-get", "--just-print", ...words]);
          return [...stdout.matchAll(/^(?:Remv|Purg) (\S+)/gm)].map(([, name]) => name);
        }
        const before = await dpkgInstalled(context);
        await aptGet(context, words);
        return changes(before, await dpkgInstalled(context));
      },
    },
    "hold(name=None, pkgs=None, sources=None, **kwargs)": (context, args) => hold(context, args, true),
    "unhold(name=None, pkgs=None, sources=None, **kwargs)": (context, args) => hold(context, args, false),
    "get_selections(pattern=None, state=None)": {
      doc: "The selection states of packages: state → names.\n\n    salt '*' pkg.get_selections 'python-*' state=hold",
      run: (context, { pattern, state }) => selections(context, pattern, state),
    },
    set_selections: setSelections,
    "version_cmp(pkg1, pkg2, ignore_epoch=False, **kwargs)": (context, { pkg1, pkg2, ignore_epoch }) =>
      compareDebian(context, pkg1, pkg2, ignore_epoch),
    async "normalize_name(name: str)"(context, { name }): Promise<string> {
      const { name: bare, arch } = parseArch(name);
      return arch === null || ["all", "any", await nativeArchitecture(context)].includes(arch) ? bare : name;
    },
    "parse_arch(name: str)": (_, { name }) => parseArch(name),
    ...fileFunctions(packageFunctions, files, true),
    "owner(*paths, **kwargs)": (context, { paths }) => owner(context, paths.map(str)),
    "info_installed(*names, **kwargs)": (context, { names, kwargs }) => info(context, names.map(str), kwargs),
    "show(*names, **kwargs)": {
      doc:
        "Details of packages from the package lists; only some fields with `filter`.\n\n    salt '*' pkg.show foo filter=description,provides",
      run: (context, { names, kwargs }) => show(context, names.map(str), kwargs),
    },
    "list_repo_pkgs(*args, **kwargs)": (context, { args }) => repoPackages(context, args.map(str)),
    "list_repos(**kwargs)": listRepos,
    "get_repo(repo: str, **kwargs)": (context, { repo }) => getRepo(context, repo),
    "mod_repo(repo: str, saltenv='base', aptkey=True, **kwargs)": {
      doc: "Adds a repository, or changes an existing one.\n\n" +
        "    salt '*' pkg.mod_repo 'deb http://deb.example.org/debian bookworm main' file=/etc/apt/sources.list.d/x.list\n\n" +
        "file: the list for a new one. comps, architectures: as lists. signedby: the file of its key\n" +
        "disabled: keep the line, and do not use it. refresh: fetch the lists of packages afterwards",
      run: (context, { repo, kwargs }) => modRepo(context, repo, kwargs),
    },
    "get_repo_keys(aptkey=True, keydir=None)": {
      doc: `The keys of repositories: id → details.\n\n    salt '*' pkg.get_repo_keys aptkey=False${KEYS}`,
      run: repoKeys,
    },
    add_repo_key: executionFunction({
      signature:
        "path=None, text=None, keyserver=None, keyid=None, saltenv='base', aptkey=True, keydir=None, keyfile=None",
      doc: "Adds a key of a repository, from a file, a text, or a key server by its id; True on success.\n\n" +
        `    salt '*' pkg.add_repo_key salt://apt/test.gpg aptkey=False${KEYS}\nkeyfile: the name of its file there`,
      run: addRepoKey,
    }),
    "del_repo_key(name=None, aptkey=True, keydir=None, **kwargs)": {
      doc: "Removes the key with the id `keyid`; returns the id, or False if it does not exist.\n\n" +
        `    salt '*' pkg.del_repo_key keyid=0123ABCD aptkey=False${KEYS}`,
      run: delRepoKey,
    },
    "list_downloaded(root=None, **kwargs)": (context, { root }) =>
      downloadedPackages(context, joinPath(truthy(root) ? str(root) : "/", "var/cache/apt"), ".deb", async (path) => {
        const { retcode, stdout, stderr } = await runAll(context, ["dpkg-deb", "-f", path]);
        if (retcode !== 0) throw new CommandExecutionError(`Unable to get info for ${path}: ${stderr}`);
        const { Package: name = "", Version: version = "", Architecture: arch = "" } = paragraphs(stdout)[0] ?? {};
        const own = ["all", await nativeArchitecture(context)].includes(arch);
        return { name: own ? name : `${name}:${arch}`, version };
      }),
    async "services_need_restart(**kwargs)"(context): Promise<string[]> {
      if (programPath(context, "checkrestart") === undefined) {
        throw new CommandNotFoundError("'checkrestart' is needed: install the package debian-goodies");
      }
      const { stdout } = await runAll(context, ["checkrestart", "--machine", "--package"]);
      const names = splitLines(stdout).flatMap((line) => /^SERVICE:([^,]*)/.exec(line)?.[1] ?? []);
      return [...new Set(names)];
    },
    "del_repo(repo: str, **kwargs)": {
      doc: "Removes a repository, or the components of it that are named.\n\n" +
        "    salt '*' pkg.del_repo 'deb http://deb.example.org/debian bookworm main'",
      run: (context, { repo, kwargs }) => delRepo(context, repo, kwargs),
    },
  }),
};
