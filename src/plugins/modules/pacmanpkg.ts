import type { ExecutionModule } from "../../model/loader/family.ts";
import { isTrue, str } from "../../language/python/values.ts";
import { packageFunctions } from "../packages/functions.ts";
import {
  fileFunctions,
  groupDifference,
  listFunctions,
  oneOrAll,
  versionFunctions,
} from "../packages/shared_functions.ts";
import { groupInfo, groupList, pacmanNewest, pacmanRepoPackages, pacmanUpgrades } from "./pacmanpkg/available.ts";
import { pacmanInstall, pacmanRefresh, pacmanRemove, pacmanUpgrade } from "./pacmanpkg/change.ts";
import { askPacman, pacmanFiles, pacmanInstalled } from "./pacmanpkg/program.ts";

/** Packages of Arch's family. */
export const module: ExecutionModule = {
  virtual: (context) =>
    context.grains.os_family === "Arch" ? "pkg" : { unavailable: "Packages are not handled by pacman here" },
  functions: packageFunctions({
    ...listFunctions((context, { root }) => pacmanInstalled(context, root)),
    ...versionFunctions({
      refreshes: false,
      refresh: (context, { root }) => pacmanRefresh(context, root),
      newest: pacmanNewest,
    }),
    "upgrade_available(name: str, **kwargs)": async (context, { name }) =>
      (await pacmanNewest(context, [name], {}))[name] !== "",
    async "list_upgrades(refresh=False, root=None, **kwargs)"(context, args) {
      if (isTrue(args.refresh)) await pacmanRefresh(context, args.root);
      return await pacmanUpgrades(context, args.root);
    },
    async "list_repo_pkgs(*args, **kwargs)"(context, { args, kwargs }) {
      if (isTrue(kwargs.refresh)) await pacmanRefresh(context);
      return await pacmanRepoPackages(context, args.map(str), kwargs);
    },
    "refresh_db(root=None, **kwargs)": (context, { root }) => pacmanRefresh(context, root),
    "install(name=None, refresh=False, sysupgrade=None, pkgs=None, sources=None, reinstall=False, **kwargs)":
      pacmanInstall,
    "remove(name=None, pkgs=None, **kwargs)": (context, args) => pacmanRemove(context, args, "-R"),
    "purge(name=None, pkgs=None, **kwargs)": {
      doc: "Removes packages with what they needed, and what needs them.\n\n    salt '*' pkg.purge foo,bar",
      run: (context, args) => pacmanRemove(context, args, "-Rsc"),
    },
    "upgrade(refresh=False, root=None, **kwargs)": pacmanUpgrade,
    ...fileFunctions(packageFunctions, pacmanFiles, false),
    async "owner(*paths, **kwargs)"(context, { paths }) {
      const found: Record<string, string> = {};
      for (const path of paths.map(str)) found[path] = (await askPacman(context, ["-Qqo", path])).stdout.trim();
      return oneOrAll(found);
    },
    "group_list()": groupList,
    "group_info(name: str)": (context, { name }) => groupInfo(context, name),
    async "group_diff(name: str)"(context, { name }) {
      const there = await pacmanInstalled(context);
      return groupDifference(await groupInfo(context, name), there);
    },
  }),
};
