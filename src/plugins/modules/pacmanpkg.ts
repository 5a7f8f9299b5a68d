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
import { groupInfo, groupList, newest, repoPackages, upgrades } from "./pacmanpkg/available.ts";
import { install, refresh, remove, upgrade } from "./pacmanpkg/change.ts";
import { ask, files, installed } from "./pacmanpkg/program.ts";

/** Packages of Arch's family. */
export const module: ExecutionModule = {
  virtual: (context) =>
    context.grains.os_family === "Arch" ? "pkg" : { unavailable: "Packages are not handled by pacman here" },
  functions: packageFunctions({
    ...listFunctions((context, { root }) => installed(context, root)),
    ...versionFunctions({ refreshes: false, refresh: (context, { root }) => refresh(context, root), newest }),
    "upgrade_available(name: str, **kwargs)": async (context, { name }) =>
      (await newest(context, [name], {}))[name] !== "",
    async "list_upgrades(refresh=False, root=None, **kwargs)"(context, args) {
      if (isTrue(args.refresh)) await refresh(context, args.root);
      return await upgrades(context, args.root);
    },
    async "list_repo_pkgs(*args, **kwargs)"(context, { args, kwargs }) {
      if (isTrue(kwargs.refresh)) await refresh(context);
      return await repoPackages(context, args.map(str), kwargs);
    },
    "refresh_db(root=None, **kwargs)": (context, { root }) => refresh(context, root),
    "install(name=None, refresh=False, sysupgrade=None, pkgs=None, sources=None, reinstall=False, **kwargs)": install,
    "remove(name=None, pkgs=None, **kwargs)": (context, args) => remove(context, args, "-R"),
    "purge(name=None, pkgs=None, **kwargs)": {
      doc: "Removes packages with what they needed, and what needs them.\n\n    salt '*' pkg.purge foo,bar",
      run: (context, args) => remove(context, args, "-Rsc"),
    },
    "upgrade(refresh=False, root=None, **kwargs)": upgrade,
    ...fileFunctions(packageFunctions, files, false),
    async "owner(*paths, **kwargs)"(context, { paths }) {
      const found: Record<string, string> = {};
      for (const path of paths.map(str)) found[path] = (await ask(context, ["-Qqo", path])).stdout.trim();
      return oneOrAll(found);
    },
    "group_list()": groupList,
    "group_info(name: str)": (context, { name }) => groupInfo(context, name),
    async "group_diff(name: str)"(context, { name }) {
      const there = await installed(context);
      return groupDifference(await groupInfo(context, name), there);
    },
  }),
};
