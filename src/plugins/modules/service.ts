import type { Context, ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { str } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";
import { isDirectory } from "../linux/paths.ts";
import type { ServiceManager } from "./service/manager.ts";
import { openrc } from "./service/openrc.ts";
import { systemd, unitOf } from "./service/systemd.ts";
import { sysv } from "./service/sysv.ts";

/** The init system of this host; undefined if it is not supported. */
function managerOf(context: Pick<Context, "runtime">): ServiceManager | undefined {
  const { fs } = context.runtime;
  if (isDirectory(fs, "/run/systemd/system") && programPath(context, "systemctl") !== undefined) return systemd;
  // Scripts of OpenRC are in the same directory as those of others.
  if (["rc-service", "rc-update"].every((name) => programPath(context, name) !== undefined)) return openrc;
  return isDirectory(fs, "/etc/init.d") ? sysv : undefined;
}

function need(context: JobContext): ServiceManager {
  const manager = managerOf(context);
  if (manager === undefined) {
    throw new CommandExecutionError("There is neither systemd nor OpenRC nor /etc/init.d on this host");
  }
  return manager;
}

type Verb = "start" | "stop" | "restart" | "reload" | "force_reload";

const verb = (name: Verb, doc: string) =>
  executionFunction({
    // `service.status` waits only if asked to, as in Salt.
    signature: `name: str, no_block=${name === "force_reload" ? "True" : "False"}, unmask=False, unmask_runtime=False`,
    doc: `${doc}\n\n    salt '*' service.${name} nginx`,
    run: (context, args) =>
      need(context).act(context, name.replace("_", "-"), args.name, {
        noBlock: args.no_block === true,
        unmask: args.unmask === true,
        unmaskRuntime: args.unmask_runtime === true,
      }),
  });

type Listing = "all" | "enabled" | "disabled" | "running" | "static";

const listing = (name: Listing, doc: string) =>
  executionFunction({
    signature: "",
    doc: `${doc}\n\n    salt '*' service.get_${name}`,
    run: (context) => need(context).list(context, name),
  });

/** True if systemd is installed and does not run. */
const isOffline = (context: JobContext): boolean =>
  managerOf(context) === sysv && programPath(context, "systemctl") !== undefined;

/** Services, through the init system of this host. */
export const module: ExecutionModule = {
  virtual: (context) =>
    managerOf(context) === undefined
      ? { unavailable: "Services are started by neither systemd nor OpenRC nor scripts in /etc/init.d on this host" }
      : true,
  functions: executionFunctions({
    start: verb("start", "Starts a service; True if that went well."),
    stop: verb("stop", "Stops a service; True if that went well."),
    restart: verb("restart", "Stops a service and starts it again."),
    reload: verb("reload", "Lets a service read its configuration again."),
    force_reload: verb("force_reload", "Lets a service read its configuration again, by a restart if need be."),
    "status(name: str, sig=None, wait=3)": {
      doc: "True if a service runs; for a pattern, which of them do. With `sig`, whether such a process is there.\n\n" +
        "    salt '*' service.status nginx",
      async run(context, { name, sig }) {
        if (sig !== null && sig !== "") return str(await context.call("status.pid", [sig])) !== "";
        return await need(context).status(context, name);
      },
    },
    "available(name: str)": {
      doc: "True if the service exists.\n\n    salt '*' service.available sshd",
      run: (context, { name }) => need(context).available(context, name),
    },
    "missing(name: str)": {
      doc: "True if the service does not exist.\n\n    salt '*' service.missing sshd",
      run: async (context, { name }) => !await need(context).available(context, name),
    },
    "enable(name: str, no_block=False, unmask=False, unmask_runtime=False, root=None, **kwargs)": {
      doc: "Enables a service to start at boot.\n\n    salt '*' service.enable nginx",
      run: (context, { name, root }) => need(context).enable(context, name, true, root),
    },
    "disable(name: str, no_block=False, root=None, **kwargs)": {
      doc: "Disables a service from starting at boot.\n\n    salt '*' service.disable nginx",
      run: (context, { name, root }) => need(context).enable(context, name, false, root),
    },
    "enabled(name: str, root=None, **kwargs)": {
      doc: "True if a service starts at boot.\n\n    salt '*' service.enabled nginx",
      run: (context, { name, root }) => need(context).enabled(context, name, root),
    },
    "disabled(name: str, root=None)": {
      doc: "True if a service does not start at boot.\n\n    salt '*' service.disabled nginx",
      run: (context, { name, root }) => need(context).disabled(context, name, root),
    },
    get_all: listing("all", "All services."),
    get_enabled: listing("enabled", "The services that start with the system."),
    get_disabled: listing("disabled", "The services that do not start with the system."),
    get_running: listing("running", "The services that run."),
    get_static: listing("static", "The services that start only if another wants them."),
    "mask(name: str, runtime=False, root=None)": {
      doc: "Masks a service, so that it cannot be started.\n\n    salt '*' service.mask foo",
      run: (context, { name, runtime, root }) => systemd.mask(context, name, true, runtime === true, root),
    },
    "unmask(name: str, runtime=False, root=None)": {
      doc: "Unmasks a service.\n\n    salt '*' service.unmask foo",
      run: (context, { name, runtime, root }) => systemd.mask(context, name, false, runtime === true, root),
    },
    "masked(name: str, runtime=False, root=None)": {
      doc: "True if a service is masked; with `runtime`, until the next boot.\n\n    salt '*' service.masked foo",
      run(context, { name, runtime, root }) {
        // As in Salt: a unit of the host's own is looked up first, which needs a systemd that runs.
        if (isOffline(context) && context.runtime.fs.stat(`/etc/systemd/system/${unitOf(name)}`) !== undefined) {
          throw new CommandExecutionError(`Cannot run in offline mode. Failed to get information on unit '${name}'`);
        }
        return systemd.masked(context, name, runtime === true, root);
      },
    },
    "show(name: str, root=None)": {
      doc: "The properties of a service in systemd.\n\n    salt '*' service.show nginx",
      run: (context, { name, root }) => systemd.show(context, name, root),
    },
    "execs(root=None)": {
      doc: "The program of each service.\n\n    salt '*' service.execs",
      async run(context, { root }) {
        const found: Record<string, unknown> = {};
        for (const name of await need(context).list(context, "all")) {
          const { ExecStart: start } = await systemd.show(context, name, root);
          if (typeof start === "object" && start !== null) found[name] = (start as Record<string, unknown>).path;
        }
        return found;
      },
    },
    "systemctl_reload()": {
      doc: "Reloads the units of systemd.\n\n    salt '*' service.systemctl_reload",
      run: (context) => systemd.daemonReload(context),
    },
    "offline()": {
      doc: "True if services cannot be started on this system now, as in a chroot.\n\n    salt '*' service.offline",
      run: isOffline,
    },
  }),
};
