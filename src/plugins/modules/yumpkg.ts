import { isTrue, str, textsOf, truthy } from "../../language/python/values.ts";
import { executionFunction, type ExecutionModule } from "../../model/loader/family.ts";
import { packageFunctions } from "../packages/functions.ts";
import { groupDifference, RPM_FUNCTIONS, versionFunctions } from "../packages/shared_functions.ts";
import { hasRpm, installedRpms, listRpms } from "../packages/rpm/installed.ts";
import { yumNewest, yumRefresh, yumRepoPackages, yumUpgrades } from "./yumpkg/available.ts";
import { groupPackages, yumGroupInfo, yumGroupList } from "./yumpkg/groups.ts";
import { listHolds, yumHold } from "./yumpkg/holds.ts";
import { patches, remove, yumDownloaded, yumInstall, yumUpgrade } from "./yumpkg/install.ts";
import { yumProgram } from "./yumpkg/program.ts";
import { yumDelRepo, yumGetRepo, yumListRepos, yumModRepo } from "./yumpkg/repositories.ts";

const groupInstall = executionFunction({
  signature: "name, skip=[], include=[], **kwargs",
  doc: "Installs groups: their mandatory and default packages.\n\n    salt '*' pkg.group_install 'Group 1,Group 2'",
  async run(context, args) {
    const pkgs = await groupPackages(context, args);
    return pkgs.length === 0 ? {} : await context.call("pkg.install", [], { pkgs, ...args.kwargs });
  },
});

const UPGRADE = "name=None, pkgs=None, refresh=True, skip_verify=False, normalize=True, minimal=False";

/** Packages of Red Hat's family. */
export const module: ExecutionModule = {
  virtual: (context) =>
    hasRpm(context, ["redhat"]) && yumProgram(context) !== undefined
      ? "pkg"
      : { unavailable: "Packages are not handled by dnf or yum here" },
  functions: packageFunctions({
    "list_pkgs(versions_as_list=False, **kwargs)": {
      doc: "The installed packages with their versions; with `attr` further details.\n\n    salt '*' pkg.list_pkgs",
      run: (context, { versions_as_list, kwargs }) => listRpms(context, versions_as_list, kwargs),
    },
    ...versionFunctions({ refresh: yumRefresh, newest: yumNewest }),
    "list_upgrades(refresh=True, **kwargs)": yumUpgrades,
    "list_updates(refresh=True, **kwargs)": yumUpgrades,
    "list_repo_pkgs(*args, **kwargs)": (context, { args, kwargs }) => yumRepoPackages(context, args.map(str), kwargs),
    "list_downloaded(**kwargs)": yumDownloaded,
    "refresh_db(**kwargs)": {
      doc: "Fetches the lists of packages: True if there is something new, null if not.\n\n    salt '*' pkg.refresh_db",
      run: (context, { kwargs }) => yumRefresh(context, kwargs),
    },
    "clean_metadata(**kwargs)": {
      doc: "Another name of pkg.refresh_db.\n\n    salt '*' pkg.clean_metadata",
      run: (context, { kwargs }) => yumRefresh(context, kwargs),
    },
    [
      `install(name=None, refresh=False, skip_verify=False, pkgs=None, sources=None, downloadonly=False,
      reinstall=False, normalize=True, update_holds=False, saltenv='base', ignore_epoch=False, **kwargs)` as const
    ]: yumInstall,
    "remove(name=None, pkgs=None, **kwargs)": remove,
    "purge(name=None, pkgs=None, **kwargs)": {
      doc: "Another name of pkg.remove.\n\n    salt '*' pkg.purge foo,bar",
      run: remove,
    },
    [`upgrade(${UPGRADE}, obsoletes=True, diff_attr=None, **kwargs)` as const]: yumUpgrade,
    [`update(${UPGRADE}, obsoletes=False, **kwargs)` as const]: {
      doc: "As pkg.upgrade, without packages that replace others.\n\n    salt '*' pkg.update",
      run: yumUpgrade,
    },
    "hold(name=None, pkgs=None, sources=None, normalize=True, **kwargs)": {
      doc: "Holds packages at their version, by the plugin versionlock.\n\n    salt '*' pkg.hold foo",
      run: (context, args) => yumHold(context, args, true),
    },
    "unhold(name=None, pkgs=None, sources=None, **kwargs)": (context, args) => yumHold(context, args, false),
    "list_holds(pattern=None, full: bool=True)": (context, { pattern, full }) =>
      listHolds(context, { full, ...(truthy(pattern) ? { pattern: str(pattern) } : {}) }),
    "version_cmp(pkg1, pkg2, ignore_epoch=False, **kwargs)": (context, { pkg1, pkg2, ignore_epoch }) =>
      context.call("lowpkg.version_cmp", [pkg1, pkg2], { ignore_epoch: isTrue(ignore_epoch) }),
    ...RPM_FUNCTIONS,
    "modified(*packages, **kwargs)": (context, { packages, kwargs }) =>
      context.call("lowpkg.modified", packages, kwargs),
    "group_list()": yumGroupList,
    "group_info(name: str, expand: bool=False, ignore_groups=None, **kwargs)": (
      context,
      { name, expand, ignore_groups, kwargs },
    ) => yumGroupInfo(context, name, { expand, kwargs, done: new Set(textsOf(ignore_groups ?? [])) }),
    async "group_diff(name: str, **kwargs)"(context, { name, kwargs }) {
      const installed = await installedRpms(context);
      const { type: _type, group: _group, id: _id, description: _text, ...members } = await yumGroupInfo(
        context,
        name,
        {
          expand: true,
          kwargs,
        },
      );
      return groupDifference(members, installed);
    },
    group_install: groupInstall,
    groupinstall: groupInstall,
    "list_repos(basedir=None, **kwargs)": (context, { basedir }) => yumListRepos(context, { basedir }),
    "get_repo(repo: str, basedir=None, **kwargs)": (context, { repo, basedir }) =>
      yumGetRepo(context, repo, { basedir }),
    "mod_repo(repo: str, basedir=None, **kwargs)": {
      doc: "Adds a repository, or changes an existing one; a value of nothing removes the key.\n\n" +
        "    salt '*' pkg.mod_repo x name='X' baseurl=http://x.example.org/ enabled=1 gpgcheck=1",
      run: (context, { repo, basedir, kwargs }) => yumModRepo(context, repo, basedir, kwargs),
    },
    "del_repo(repo: str, basedir=None, **kwargs)": (context, { repo, basedir }) =>
      yumDelRepo(context, repo, { basedir }),
    "list_patches(refresh: bool=False, **kwargs)": {
      doc: "All advisories with their packages.\n\n    salt '*' pkg.list_patches",
      async run(context, args) {
        if (args.refresh) await yumRefresh(context, {});
        return await patches(context, false);
      },
    },
    "list_installed_patches(**kwargs)": {
      doc: "The advisories whose packages are installed.\n\n    salt '*' pkg.list_installed_patches",
      run: (context) => patches(context, true),
    },
  }),
};
