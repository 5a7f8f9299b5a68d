import { joinPath } from "../../base/paths.ts";
import {
  CommandExecutionError,
  CommandNotFoundError,
  executionFunction,
  executionFunctions,
  type ExecutionModule,
} from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/lines.ts";
import { str } from "../../language/python/repr.ts";
import { truthy } from "../../language/python/truth.ts";
import { programPath, runAll } from "../commands.ts";
import { walk } from "../linux/paths.ts";
import { install } from "./aptpkg/install.ts";
import { isFamily } from "../packages/family.ts";
import { changes } from "../packages/lists.ts";
import { packageFileDetails } from "../packages/package_file.ts";
import { versionFunctions } from "../packages/shared_functions.ts";
import { remove, upgrade } from "./aptpkg/change.ts";
import { aptGet, ask, installed, nativeArchitecture, paragraphs } from "./aptpkg/dpkg.ts";
import { addRepoKey, delRepoKey, repoKeys } from "./aptpkg/keys.ts";
import { refresh } from "./aptpkg/refresh.ts";
import { delRepo, getRepo, listRepos, modRepo } from "./aptpkg/repositories.ts";
import { hold, selections, setSelections } from "./aptpkg/selections.ts";
import { files, info, owner, repoPackages, show } from "./aptpkg/details.ts";
import { compare, latest, upgrades } from "./aptpkg/versions.ts";

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
  functions: executionFunctions({
    "list_pkgs(versions_as_list: bool=False, removed=False, purge_desired=False, **kwargs)": {
      doc: "The installed packages with their versions; or those that were removed but not purged.\n\n" +
        "    salt '*' pkg.list_pkgs",
      async run(context, args) {
        const all = await installed(context, {
          removed: args.removed === true,
          purgeDesired: args.purge_desired === true,
        });
        const sorted = Object.entries(all).sort(([a], [b]) => a < b ? -1 : 1);
        return Object.fromEntries(sorted.map(([name, of]) => [name, args.versions_as_list ? [of] : of]));
      },
    },
    ...versionFunctions(latest),
    list_upgrades: upgrades,
    "refresh_db(cache_valid_time=0, failhard=False, **kwargs)": {
      doc: "Fetches the package lists: True for a new list, null for an unchanged one.\n\n    salt '*' pkg.refresh_db",
      run: (context, { cache_valid_time: validS, failhard }) => refresh(context, { validS: Number(validS), failhard }),
    },
    install: executionFunction({
      signature: `name=None, refresh=False, fromrepo=None, skip_verify=False, debconf=None, pkgs=None,
        sources=None, reinstall=False, downloadonly=False, ignore_epoch=False, normalize=True, **kwargs`,
      doc: "Installs packages: one with its `version`, several as `pkgs`, or files as `sources`.\n\n" +
        "    salt '*' pkg.install pkgs='[foo, {bar: 1.2.3}]' refresh=True",
      run: install,
    }),
    "remove(name=None, pkgs=None, **kwargs)": {
      doc: "Removes packages; their configuration stays.\n\n    salt '*' pkg.remove foo,bar",
      run: (context, args) => remove(context, "remove", args),
    },
    "purge(name=None, pkgs=None, **kwargs)": {
      doc: "Removes packages and their configuration.\n\n    salt '*' pkg.purge foo,bar",
      run: (context, args) => remove(context, "purge", args),
    },
    upgrade,
    "autoremove(list_only: bool=False, purge: bool=False)": {
      doc:
        "Removes packages that were installed as dependencies and are no longer needed.\n\n    salt '*' pkg.autoremove list_only=True",
      async run(context, args): Promise<unknown> {
        const words = ["autoremove", ...(args.purge ? ["--purge"] : [])];
        if (args.list_only) {
          const { stdout } = await ask(context, ["apt-get", "--just-print", ...words]);
          return [...stdout.matchAll(/^(?:Remv|Purg) (\S+)/gm)].map(([, name]) => name);
        }
        const before = await installed(context);
        await aptGet(context, words);
        return changes(before, await installed(context));
      },
    },
    "hold(name=None, pkgs=None, sources=None, **kwargs)": {
      doc: "Holds packages at their version.\n\n    salt '*' pkg.hold foo",
      run: (context, args) => hold(context, args, true),
    },
    "unhold(name=None, pkgs=None, sources=None, **kwargs)": {
      doc: "Lets held packages be upgraded again.\n\n    salt '*' pkg.unhold foo",
      run: (context, args) => hold(context, args, false),
    },
    "get_selections(pattern=None, state=None)": {
      doc: "The selection states of packages: state → names.\n\n    salt '*' pkg.get_selections 'python-*' state=hold",
      run: (context, { pattern, state }) => selections(context, pattern, state),
    },
    set_selections: setSelections,
    "version_cmp(pkg1, pkg2, ignore_epoch=False, **kwargs)": {
      doc: "-1, 0 or 1 for a version that is older than another, the same, or newer.\n\n" +
        "    salt '*' pkg.version_cmp '0.2.4-0ubuntu1' '0.2.4.1-0ubuntu1'",
      run: (context, args) => compare(context, args.pkg1, args.pkg2, args.ignore_epoch),
    },
    "normalize_name(name: str)": {
      doc: "A name without the architecture if that is this system's own.\n\n    salt '*' pkg.normalize_name zsh:amd64",
      async run(context, { name }): Promise<string> {
        const { name: bare, arch } = parseArch(name);
        return arch === null || ["all", "any", await nativeArchitecture(context)].includes(arch) ? bare : name;
      },
    },
    "parse_arch(name: str)": {
      doc: "A package name and its architecture.\n\n    salt '*' pkg.parse_arch zsh:amd64",
      run: (_, { name }) => parseArch(name),
    },
    "file_list(*packages, **kwargs)": {
      doc: "The files of packages in one list.\n\n    salt '*' pkg.file_list httpd",
      async run(context, { packages }) {
        const found = await files(context, packages.map(str));
        if (typeof found === "string") return found;
        return { errors: [], files: [...new Set(Object.values(found).flat())].sort() };
      },
    },
    "file_dict(*packages, **kwargs)": {
      doc: "The files of packages by package.\n\n    salt '*' pkg.file_dict httpd",
      async run(context, { packages }) {
        const found = await files(context, packages.map(str));
        return typeof found === "string" ? found : { errors: [], packages: found };
      },
    },
    "owner(*paths, **kwargs)": {
      doc: "The package that a file belongs to; a map for several files.\n\n    salt '*' pkg.owner /usr/bin/apachectl",
      run: (context, { paths }) => owner(context, paths.map(str)),
    },
    "info_installed(*names, **kwargs)": {
      doc: "Details of installed packages.\n\n    salt '*' pkg.info_installed bash",
      run: (context, { names, kwargs }) => info(context, names.map(str), kwargs),
    },
    "show(*names, **kwargs)": {
      doc:
        "Details of packages from the package lists; only some fields with `filter`.\n\n    salt '*' pkg.show foo filter=description,provides",
      run: (context, { names, kwargs }) => show(context, names.map(str), kwargs),
    },
    "list_repo_pkgs(*args, **kwargs)": {
      doc: "The available versions of packages.\n\n    salt '*' pkg.list_repo_pkgs foo bar",
      run: (context, { args }) => repoPackages(context, args.map(str)),
    },
    "list_repos(**kwargs)": {
      doc: "The repositories that packages come from, by address.\n\n    salt '*' pkg.list_repos",
      run: listRepos,
    },
    "get_repo(repo: str, **kwargs)": {
      doc: "A configured repository, or an empty map.\n\n" +
        "    salt '*' pkg.get_repo 'deb http://deb.debian.org/debian bookworm main'",
      run: (context, { repo }) => getRepo(context, repo),
    },
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
    /** The packages in the cache of apt: name → version → file. */
    "list_downloaded(root=None, **kwargs)": {
      doc: "The downloaded package files: name, version and path.\n\n" +
        "    salt '*' pkg.list_downloaded",
      async run(context, { root }): Promise<Record<string, Record<string, unknown>>> {
        const { fs } = context.runtime;
        const found: Record<string, Record<string, unknown>> = {};
        for (const { path, files } of walk(fs, joinPath(truthy(root) ? str(root) : "/", "var/cache/apt"))) {
          for (const file of files.filter((name) => name.endsWith(".deb"))) {
            const full = joinPath(path, file);
            const { retcode, stdout, stderr } = await runAll(context, ["dpkg-deb", "-f", full]);
            if (retcode !== 0) throw new CommandExecutionError(`Unable to get info for ${full}: ${stderr}`);
            const { Package: name = "", Version: version = "", Architecture: arch = "" } = paragraphs(stdout)[0] ?? {};
            const own = ["all", await nativeArchitecture(context)].includes(arch) ? name : `${name}:${arch}`;
            (found[own] ??= {})[version] = packageFileDetails(fs, full);
          }
        }
        return found;
      },
    },
    "services_need_restart(**kwargs)": {
      doc: "The services that use files which an upgrade has replaced.\n\n    salt '*' pkg.services_need_restart",
      async run(context): Promise<string[]> {
        if (programPath(context, "checkrestart") === undefined) {
          throw new CommandNotFoundError("'checkrestart' is needed: install the package debian-goodies");
        }
        const { stdout } = await runAll(context, ["checkrestart", "--machine", "--package"]);
        const names = splitLines(stdout).flatMap((line) => /^SERVICE:([^,]*)/.exec(line)?.[1] ?? []);
        return [...new Set(names)];
      },
    },
    "del_repo(repo: str, **kwargs)": {
      doc: "Removes a repository, or the components of it that are named.\n\n" +
        "    salt '*' pkg.del_repo 'deb http://deb.example.org/debian bookworm main'",
      run: (context, { repo, kwargs }) => delRepo(context, repo, kwargs),
    },
  }),
};
