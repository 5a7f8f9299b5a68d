import { textsOf } from "../../language/python/given.ts";
import { executionFunction, executionFunctions, type ExecutionModule } from "../../model/loader/family.ts";
import { isTrue } from "../../language/python/is_true.ts";
import { str } from "../../language/python/repr.ts";
import { truthy } from "../../language/python/truth.ts";
import { RPM_FUNCTIONS, versionFunctions } from "../packages/shared_functions.ts";
import { hasRpm } from "../packages/rpm/host.ts";
import { listRpms } from "../packages/rpm/installed.ts";
import { latestVersion, refresh, repoPackages, upgrades } from "./yumpkg/available.ts";
import { downloaded } from "./yumpkg/downloaded.ts";
import { groupDiff, groupInfo, groupList, groupPackages } from "./yumpkg/groups.ts";
import { hold, listHolds } from "./yumpkg/holds.ts";
import { install, remove, upgrade } from "./yumpkg/install.ts";
import { patches } from "./yumpkg/patches.ts";
import { yumProgram } from "./yumpkg/program.ts";
import { delRepo, getRepo, listRepos, modRepo } from "./yumpkg/repositories.ts";

const listUpgrades = executionFunction({
  signature: "refresh=True, **kwargs",
  doc: "The packages that an upgrade would update.\n\n    salt '*' pkg.list_upgrades",
  run: upgrades,
});

const groupInstall = executionFunction({
  signature: "name, skip=[], include=[], **kwargs",
  doc: "Installs groups: their mandatory and default packages.\n\n    salt '*' pkg.group_install 'Group 1,Group 2'",
  async run(context, args) {
    const pkgs = await groupPackages(context, args);
    return pkgs.length === 0 ? {} : await context.call("pkg.install", [], { pkgs, ...args.kwargs });
  },
});

/** Packages of Red Hat's family. */
export const module: ExecutionModule = {
  virtual: (context) =>
    hasRpm(context, ["redhat"]) && yumProgram(context) !== undefined
      ? "pkg"
      : { unavailable: "Packages are not handled by dnf or yum here" },
  functions: executionFunctions({
    "list_pkgs(versions_as_list=False, **kwargs)": {
      doc: "The installed packages with their versions; with `attr` further details.\n\n    salt '*' pkg.list_pkgs",
      run: (context, { versions_as_list, kwargs }) => listRpms(context, versions_as_list, kwargs),
    },
    ...versionFunctions(latestVersion),
    list_upgrades: listUpgrades,
    list_updates: listUpgrades,
    "list_repo_pkgs(*args, **kwargs)": {
      doc: "The available versions of packages; with `byrepo` by repository.\n\n    salt '*' pkg.list_repo_pkgs foo",
      run: (context, { args, kwargs }) => repoPackages(context, args.map(str), kwargs),
    },
    "list_downloaded(**kwargs)": {
      doc: "The downloaded package files: name, version and path.\n\n    salt '*' pkg.list_downloaded",
      run: downloaded,
    },
    "refresh_db(**kwargs)": {
      doc: "Fetches the lists of packages: True if there is something new, null if not.\n\n    salt '*' pkg.refresh_db",
      run: (context, { kwargs }) => refresh(context, kwargs),
    },
    "clean_metadata(**kwargs)": {
      doc: "Another name of pkg.refresh_db.\n\n    salt '*' pkg.clean_metadata",
      run: (context, { kwargs }) => refresh(context, kwargs),
    },
    install,
    "remove(name=None, pkgs=None, **kwargs)": {
      doc: "Removes packages.\n\n    salt '*' pkg.remove foo,bar",
      run: remove,
    },
    "purge(name=None, pkgs=None, **kwargs)": {
      doc: "Another name of pkg.remove.\n\n    salt '*' pkg.purge foo,bar",
      run: remove,
    },
    upgrade: executionFunction({
      signature: `name=None, pkgs=None, refresh=True, skip_verify=False, normalize=True, minimal=False,
        obsoletes=True, diff_attr=None, **kwargs`,
      doc: "Upgrades all packages, or those that are named.\n\n    salt '*' pkg.upgrade",
      run: upgrade,
    }),
    update: executionFunction({
      signature: `name=None, pkgs=None, refresh=True, skip_verify=False, normalize=True, minimal=False,
        obsoletes=False, **kwargs`,
      doc: "As pkg.upgrade, without packages that replace others.\n\n    salt '*' pkg.update",
      run: upgrade,
    }),
    "hold(name=None, pkgs=None, sources=None, normalize=True, **kwargs)": {
      doc: "Holds packages at their version, by the plugin versionlock.\n\n    salt '*' pkg.hold foo",
      run: (context, args) => hold(context, args, true),
    },
    "unhold(name=None, pkgs=None, sources=None, **kwargs)": {
      doc: "Lets held packages be upgraded again.\n\n    salt '*' pkg.unhold foo",
      run: (context, args) => hold(context, args, false),
    },
    "list_holds(pattern=None, full: bool=True)": {
      doc: "The packages that are held.\n\n    salt '*' pkg.list_holds",
      run: (context, { pattern, full }) =>
        listHolds(context, { full, ...(truthy(pattern) ? { pattern: str(pattern) } : {}) }),
    },
    "version_cmp(pkg1, pkg2, ignore_epoch=False, **kwargs)": {
      doc: "-1, 0 or 1 for a version that is older than another, the same, or newer.\n\n" +
        "    salt '*' pkg.version_cmp 1.0-1 1.0-2",
      run: (context, { pkg1, pkg2, ignore_epoch }) =>
        context.call("lowpkg.version_cmp", [pkg1, pkg2], { ignore_epoch: isTrue(ignore_epoch) }),
    },
    ...RPM_FUNCTIONS,
    "modified(*packages, **kwargs)": {
      doc: "What was changed of the files of packages.\n\n    salt '*' pkg.modified httpd",
      run: (context, { packages, kwargs }) => context.call("lowpkg.modified", packages, kwargs),
    },
    group_list: groupList,
    "group_info(name: str, expand: bool=False, ignore_groups=None, **kwargs)": {
      doc: "The packages of a group.\n\n    salt '*' pkg.group_info 'Perl Support'",
      run: (context, { name, expand, ignore_groups, kwargs }) =>
        groupInfo(context, name, { expand, kwargs, done: new Set(textsOf(ignore_groups ?? [])) }),
    },
    "group_diff(name: str, **kwargs)": {
      doc: "Which packages of a group are installed.\n\n    salt '*' pkg.group_diff 'Perl Support'",
      run: (context, { name, kwargs }) => groupDiff(context, name, kwargs),
    },
    group_install: groupInstall,
    groupinstall: groupInstall,
    "list_repos(basedir=None, **kwargs)": {
      doc: "The configured repositories.\n\n    salt '*' pkg.list_repos",
      run: (context, { basedir }) => listRepos(context, { basedir }),
    },
    "get_repo(repo: str, basedir=None, **kwargs)": {
      doc: "A configured repository, or an empty map.\n\n    salt '*' pkg.get_repo epel",
      run: (context, { repo, basedir }) => getRepo(context, repo, { basedir }),
    },
    "mod_repo(repo: str, basedir=None, **kwargs)": {
      doc: "Adds a repository, or changes an existing one; a value of nothing removes the key.\n\n" +
        "    salt '*' pkg.mod_repo x name='X' baseurl=http://x.example.org/ enabled=1 gpgcheck=1",
      run: (context, { repo, basedir, kwargs }) => modRepo(context, repo, basedir, kwargs),
    },
    "del_repo(repo: str, basedir=None, **kwargs)": {
      doc: "Removes a repository.\n\n    salt '*' pkg.del_repo epel",
      run: (context, { repo, basedir }) => delRepo(context, repo, { basedir }),
    },
    "list_patches(refresh: bool=False, **kwargs)": {
      doc: "All advisories with their packages.\n\n    salt '*' pkg.list_patches",
      async run(context, args) {
        if (args.refresh) await refresh(context, {});
        return await patches(context, false);
      },
    },
    "list_installed_patches(**kwargs)": {
      doc: "The advisories whose packages are installed.\n\n    salt '*' pkg.list_installed_patches",
      run: (context) => patches(context, true),
    },
  }),
};
