import { bindArguments, parseSignature } from "../../model/loader/signature.ts";
import type { StateFunction, StateModule } from "../../model/loader/states.ts";
import { needs, outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { downloaded, patchDownloaded, patchInstalled } from "./pkg/downloaded.ts";
import { groupInstalled } from "./pkg/group.ts";
import { held, unheld } from "./pkg/hold.ts";
import { installed } from "./pkg/installed.ts";
import { latest, uptodate } from "./pkg/latest.ts";
import { without } from "./pkg/removed.ts";
import { aggregatePackages, init, packageBeacon } from "./pkg/run.ts";

const GONE = "name, version=None, pkgs=None, normalize=True, ignore_epoch=None, **kwargs";

const FUNCTIONS: Record<string, StateFunction> = stateFunctions({
  installed: stateFunction({
    signature: `name, version=None, refresh=None, fromrepo=None, skip_verify=False, skip_suggestions=False,
        pkgs=None, sources=None, allow_updates=False, pkg_verify=False, normalize=True, ignore_epoch=None,
        reinstall=False, update_holds=False, **kwargs`,
    doc: "The packages are installed, in the version that is named, or in any.",
    run: installed,
  }),
  latest,
  [`removed(${GONE})` as const]: {
    doc: "The packages are not installed.",
    run: (context, args) => without(context, "remove", args),
  },
  [`purged(${GONE})` as const]: {
    doc: "The packages are not installed, nor is anything left of their configuration.",
    run: (context, args) => without(context, "purge", args),
  },
  downloaded,
  "patch_installed(name, advisory_ids=None, downloadonly=None, **kwargs)": {
    doc: "The patches of advisories are installed.",
    run: (context, args) => patchInstalled(context, args, args.downloadonly),
  },
  patch_downloaded: patchDownloaded,
  uptodate,
  group_installed: groupInstalled,
  "held(name, version=None, pkgs=None, replace=False, **kwargs)": {
    doc: "The packages are held at their version; with `replace` no others are.",
    run: held,
  },
  unheld,
});

/** The states that are run again when what they watch has changed. */
const WATCHING = ["purged", "latest", "removed", "installed"];

/** Packages, by whatever this host has for them. */
export const states: StateModule = {
  virtual: needs("pkg.install", "pkg module could not be loaded"),
  functions: stateFunctions({
    ...FUNCTIONS,
    "mod_watch(name, **kwargs)": {
      doc: "Does the state again.",
      async run(context, { name, kwargs: { sfun, ...keyword } }) {
        const fun = WATCHING.find((one) => one === sfun);
        if (fun === undefined) {
          return outcome(name, false, `pkg.${sfun ?? "None"} does not work with the watch requisite`);
        }
        const { signature, run } = FUNCTIONS[fun]!;
        const given = new Map(Object.entries({ name, ...keyword }));
        return await run(context, bindArguments(`pkg.${fun}`, parseSignature(signature), [], given));
      },
    },
  }),
  modInit: init,
  modAggregate: aggregatePackages,
  modBeacon: packageBeacon,
};
