import type { Arguments, Signature } from "../../model/loader/signature.ts";
import type { ExecutionFunction, ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { DockerClient, filterText, part } from "../docker/client.ts";
import { CREATE_OPTIONS } from "../docker/create_options.ts";
import { readPrinted } from "../docker/streams.ts";
import { keywords } from "../keywords.ts";
import { compareContainerNetworks, compareContainers, compareNetworks } from "./docker/compare.ts";
import { connectNetworks, createContainer, runContainer } from "./docker/create.ts";
import { type Ran, runInContainer } from "./docker/exec.ts";
import * as image from "./docker/images.ts";
import * as life from "./docker/lifecycle.ts";
import { createNetwork, disconnect, disconnectAll } from "./docker/networks.ts";
import * as of from "./docker/objects.ts";
import { sign } from "./docker/registries.ts";
import { copyFrom, copyTo, exportContainer, loadImages, saveImage } from "./docker/transfer.ts";

type Ask<S, R> = (docker: DockerClient, args: Arguments<S>, context: JobContext) => R;

/** A function that asks the daemon. */
const ask = <S extends string | Signature, R>(signature: S, doc: string, run: Ask<S, R>) =>
  executionFunction({
    signature,
    doc,
    run: (context, args) => run(new DockerClient(context), args, context),
  });

/** A function that changes containers: the mine is told of it. */
const change = <S extends string, R>(signature: S, doc: string, run: Ask<S, R>) =>
  executionFunction({
    signature,
    doc,
    async run(context, args) {
      const done = await run(new DockerClient(context), args, context);
      await of.refreshMine(context);
      return done;
    },
  });

const NAME = "\n\nname: name or id of the container";
const IMAGE = "\n\nname: name or id of the image";
const CREATE = "skip_translate=None, ignore_collisions=False, validate_ip_addrs=True, client_timeout=60";
const OPTIONS = `\n\nkwargs: options of the container: ${CREATE_OPTIONS.join(", ")}, and docker's own names of them\n` +
  "validate_ip_addrs: refuse what is no address\nignore_collisions: an option may be given under two names\n" +
  "skip_translate: true, or names: options of a network that are taken as they are; without effect on containers";

async function logs(docker: DockerClient, { name, kwargs }: Args): Promise<string> {
  if ("stream" in (kwargs as Args)) throw new SaltInvocationError("The 'stream' argument is not supported");
  const known = ["stdout", "stderr", "timestamps", "tail", "since", "until", "follow"];
  const given = keywords(kwargs, ...known);
  if (given.since !== undefined && !/^\d+$/.test(str(given.since))) {
    throw new SaltInvocationError(`since is a number of seconds since 1970, not '${str(given.since)}'`);
  }
  const { Config: config } = await of.inspectContainer(docker, name) as { Config: Args };
  const query = { stdout: 1, stderr: 1, timestamps: 0, follow: 0, tail: "all", ...given };
  const { body } = await docker.open("GET", `/containers/${part(name)}/logs`, { query, idleMs: Infinity });
  return (await readPrinted(body, config.Tty === true)).all;
}

async function prune(docker: DockerClient, args: Args): Promise<Args> {
  const kinds = ["containers", "images", "networks", "build"];
  const system = args.system === null && !kinds.some((kind) => truthy(args[kind]))
    ? true
    : truthy(args.system ?? false);
  const filters = filterText(Object.fromEntries(
    Object.entries(args.filters as Args).filter(([name]) => !name.startsWith("__"))
      .map(([name, value]) => [name, typeof value === "boolean" ? value : of.shellWordsOf(value)]),
  ));
  const found: Args = {};
  for (const kind of [...kinds, "volumes"]) {
    if (!truthy(args[kind]) && !(system && kind !== "volumes")) continue;
    found[kind] = await docker.json("POST", `/${kind}/prune`, { query: { filters }, idleMs: Infinity });
  }
  return found;
}

const CONTAINERS = executionFunctions({
  ps: ask(
    "filters=None, **kwargs",
    "The containers by id: those that run, with `all` every one, with `verbose` all that is known of each, with `host` " +
      "the interfaces of this host, too.\n\n    salt '*' docker.ps all=True",
    async (docker, { filters, kwargs }, context) => {
      const { all = false, verbose = false, host = false } = kwargs;
      const found = await of.containers(docker, { all: truthy(all), verbose: truthy(verbose), filters });
      return truthy(host) ? { ...found, host: { interfaces: await context.call("network.interfaces") } } : found;
    },
  ),
  list_containers: ask(
    "**kwargs",
    "The names of containers: of those that run, with `all` of every one.\n\n    salt '*' docker.list_containers",
    (docker, { kwargs }) => of.containerNames(docker, truthy(kwargs.all ?? false)),
  ),
  inspect: ask(
    "name",
    "All that is known of a container, image, volume or network.\n\n    salt '*' docker.inspect web1" +
      "\n\nname: name or id",
    (docker, { name }) => of.inspect(docker, name),
  ),
  inspect_container: ask(
    "name",
    `All that is known of a container.\n\n    salt '*' docker.inspect_container web1${NAME}`,
    (docker, { name }) => of.inspectContainer(docker, name),
  ),
  state: ask(
    "name",
    `running, paused or stopped.\n\n    salt '*' docker.state web1${NAME}`,
    (docker, { name }) => of.stateOf(docker, name),
  ),
  exists: ask(
    "name",
    `Whether there is such a container.\n\n    salt '*' docker.exists web1${NAME}`,
    (docker, { name }) => of.containerExists(docker, name),
  ),
  pid: ask(
    "name",
    `The process of a container.\n\n    salt '*' docker.pid web1${NAME}`,
    async (docker, { name }) => ((await of.inspectContainer(docker, name)).State as Args).Pid,
  ),
  logs: ask(
    "name, **kwargs",
    `What a container printed: stdout, stderr, timestamps, tail, since, until, follow.\n\n` +
      `    salt '*' docker.logs web1 tail=10${NAME}`,
    logs,
  ),
  top: ask(
    "name",
    `The processes of a container.\n\n    salt '*' docker.top web1${NAME}`,
    (docker, { name }) => of.containerTop(docker, name),
  ),
  port: ask(
    "name, private_port=None",
    "Where ports of a container are on the host; by name for a glob.\n\n    salt '*' docker.port web1 5000/udp\n\n" +
      "name: name of the container, or a glob\nprivate_port: only this one, as 5000 or 5000/udp",
    (docker, { name, private_port }) => of.containerPorts(docker, str(name), private_port),
  ),
  diff: ask(
    "name",
    `What changed in a container since it was made.\n\n    salt '*' docker.diff web1${NAME}`,
    (docker, { name }) => of.containerDiff(docker, name),
  ),
  [`create(image, name=None, start=False, ${CREATE}, **kwargs)` as const]: {
    doc: `Makes a container.\n\n    salt '*' docker.create myuser/mycontainer name=web1 publish=8080:80${OPTIONS}\n` +
      "start: start it\nimage: its image, which is pulled if it is not there",
    run: createContainer,
  },
  run_container: executionFunction({
    signature: `image, name=None, ${CREATE}, bg=False, replace=False, force=False, networks=None, **kwargs`,
    doc: "Makes a container, runs it to its end and returns what it printed.\n\n" +
      `    salt '*' docker.run_container myuser/mycontainer command=/usr/local/bin/run.sh${OPTIONS}\n` +
      "bg: do not wait for its end\nreplace: remove a container of that name before\nforce: even if it runs\n" +
      "networks: by name, each with its place in it\nimage: its image, which is pulled if it is not there",
    run: runContainer,
  }),
  start: change(
    "name",
    `Starts a container.\n\n    salt '*' docker.start web1${NAME}`,
    (docker, { name }) => life.start(docker, name),
  ),
  stop: change(
    "name, timeout=None, **kwargs",
    `Stops a container; with \`unpause\` one that is paused, too.\n\n    salt '*' docker.stop web1 timeout=20${NAME}`,
    life.stop,
  ),
  kill: change(
    "name",
    `Kills a container.\n\n    salt '*' docker.kill web1${NAME}`,
    (docker, { name }) => life.killContainer(docker, name),
  ),
  restart: ask(
    "name, timeout=10",
    `Stops a container and starts it again.\n\n    salt '*' docker.restart web1${NAME}`,
    life.restart,
  ),
  signal: change(
    "name, signal",
    `Sends a signal to the process of a container.\n\n    salt '*' docker.signal web1 SIGHUP${NAME}\nsignal: its name or number`,
    (docker, { name, signal }) => life.signal(docker, name, signal),
  ),
  wait: ask(
    "name, ignore_already_stopped=False, fail_on_exit_status=False",
    `Waits until a container stops.\n\n    salt '*' docker.wait web1${NAME}\n` +
      "ignore_already_stopped: one that has stopped is as good\nfail_on_exit_status: a code but 0 is a failure",
    life.wait,
  ),
  "rm(name, force=False, volumes=False, **kwargs)": {
    doc: "Removes a container; with `stop` it is stopped before, within `timeout` seconds.\n\n" +
      `    salt '*' docker.rm web1${NAME}\nforce: even if it runs\nvolumes: with its volumes`,
    run: life.removeContainer,
  },
  rename: ask(
    "name, new_name",
    `Renames a container.\n\n    salt '*' docker.rename web1 web2${NAME}\nnew_name: its new name`,
    (docker, { name, new_name }) => life.renameContainer(docker, name, new_name),
  ),
  "commit(name, repository, tag='latest', message=None, author=None)": {
    doc: `Makes an image of a container.\n\n    salt '*' docker.commit web1 myuser/mycontainer${NAME}\n` +
      "repository, tag: name of the image",
    run: image.commit,
  },
  "export(name, path, overwrite=False, makedirs=False, compression=None, **kwargs)": {
    doc:
      `Writes the files of a container into an archive.\n\n    salt '*' docker.export web1 /tmp/web1.tar.xz${NAME}\n` +
      "compression: gzip, bzip2 or xz; otherwise as the path ends",
    run: exportContainer,
  },
  "copy_to(name, source, dest, exec_driver=None, overwrite=False, makedirs=False)": {
    doc: `Copies a file of this host, or of the master, into a container.\n\n` +
      `    salt '*' docker.copy_to web1 /tmp/foo /root/foo${NAME}`,
    run: copyTo,
  },
  "copy_from(name, source, dest, overwrite=False, makedirs=False)": {
    doc: `Copies a file of a container to this host.\n\n    salt '*' docker.copy_from web1 /root/foo /tmp/foo${NAME}`,
    run: copyFrom,
  },
  compare_containers: ask(
    "first, second, ignore=None",
    "What differs between two containers.\n\n    salt '*' docker.compare_containers foo bar ignore=Hostname\n\n" +
      "first, second: names of containers\nignore: values that do not count",
    (docker, { first, second, ignore }) => compareContainers(docker, str(first), str(second), ignore),
  ),
  "compare_container_networks(first, second)": {
    doc: "What differs between the networks of two containers.\n\n" +
      "    salt '*' docker.compare_container_networks foo bar\n\nfirst, second: names of containers",
    run: (context, { first, second }) => compareContainerNetworks(context, first, second),
  },
});
const { pause, unpause } = Object.fromEntries(
  [["pause", true], ["unpause", false]].map(([fun, wanted]) => [
    String(fun),
    change(
      "name",
      `${wanted ? "Pauses a container" : "Lets a paused container go on"}.\n\n    salt '*' docker.${
        String(fun)
      } web1${NAME}`,
      (docker, { name }) => life.pauseContainer(docker, name, wanted === true),
    ),
  ]),
) as Record<"pause" | "unpause", ExecutionFunction>;

const RUN = `name, cmd, exec_driver=None, stdin=None, python_shell=True, output_loglevel='debug', use_vt=False,
  ignore_retcode=False, keep_env=None`;

const running = <R>(fun: string, what: string, pick: (ran: Ran) => R) =>
  executionFunction({
    signature: RUN,
    doc: `Runs a command in a container: ${what}. It has no shell unless it names one.\n\n` +
      `    salt '*' docker.${fun} web1 'ls -l /etc'${NAME}\ncmd: the command, as text or as a list of words`,
    async run(context, args) {
      const ran = await runInContainer(context, args);
      await of.refreshMine(context);
      return pick(ran);
    },
  });

const EXEC: Record<string, ExecutionFunction> = {
  run: running("run", "what it prints", ({ all }) => all),
  run_all: running("run_all", "all that is known of it", ({ pid, retcode, stdout, stderr }) => ({
    pid,
    retcode,
    stdout,
    stderr,
  })),
  run_stdout: running("run_stdout", "its standard output", ({ stdout }) => stdout),
  run_stderr: running("run_stderr", "its standard error", ({ stderr }) => stderr),
  retcode: running("retcode", "its code", ({ retcode }) => retcode),
};

const IMAGES = executionFunctions({
  images: ask(
    "verbose=False, **kwargs",
    "The images by id: those with names, with `all` every one.\n\n    salt '*' docker.images",
    (docker, { verbose, kwargs }) => of.images(docker, { verbose: truthy(verbose), all: truthy(kwargs.all ?? false) }),
  ),
  inspect_image: ask(
    "name",
    `All that is known of an image.\n\n    salt '*' docker.inspect_image busybox${IMAGE}`,
    (docker, { name }) => of.inspectImage(docker, name),
  ),
  history: ask(
    "name, quiet=False",
    `The steps by which an image was made.\n\n    salt '*' docker.history busybox${IMAGE}\nquiet: their commands alone`,
    (docker, { name, quiet }) => of.history(docker, name, truthy(quiet)),
  ),
  list_tags: ask("", "The names of all images.\n\n    salt '*' docker.list_tags", (docker) => of.imageTags(docker)),
  resolve_tag: ask(
    "name, **kwargs",
    `The first name of an image, with \`all\` each; false if there is none.\n\n    salt '*' docker.resolve_tag busybox${IMAGE}`,
    (docker, { name, kwargs }) => of.resolveTag(docker, name, truthy(keywords(kwargs, "all").all ?? false)),
  ),
  resolve_image_id: ask(
    "name",
    `The id of an image; false if there is none.\n\n    salt '*' docker.resolve_image_id busybox${IMAGE}`,
    (docker, { name }) => of.imageId(docker, name),
  ),
  depends: ask(
    "name",
    `The containers and images that need an image.\n\n    salt '*' docker.depends busybox${IMAGE}`,
    (docker, { name }) => of.depends(docker, name),
  ),
  layers: ask(
    "name",
    `The ids of an image's layers.\n\n    salt '*' docker.layers busybox${IMAGE}`,
    async (docker, { name }) =>
      (await of.history(docker, name, false) as Args[]).map(({ Id: id }) =>
        str(id).replace(/^sha256:/, "").slice(0, 12)
      ),
  ),
  "dangling(prune=False, force=False)": {
    doc:
      "The images without a name that no other needs; with `prune` they are removed.\n\n    salt '*' docker.dangling",
    run: image.dangling,
  },
  search: ask(
    "name, official=False, trusted=False",
    "The images of the public registry that fit.\n\n    salt '*' docker.search centos\n\nname: what is looked for\n" +
      "official, trusted: only such",
    (docker, args) => of.searchImages(docker, args),
  ),
  pull: ask(
    "image, insecure_registry=False, api_response=False, client_timeout=60",
    "Fetches an image.\n\n    salt '*' docker.pull centos:6\n\nimage: its name\napi_response: with all that Docker says",
    (docker, args, context) => image.pull(context, docker, args),
  ),
  "push(image, insecure_registry=False, api_response=False, client_timeout=60)": {
    doc: "Sends an image to its registry.\n\n    salt '*' docker.push myuser/mycontainer:mytag\n\nimage: its name\n" +
      "api_response: with all that Docker says",
    run: image.push,
  },
  tag: ask(
    "name, repository, tag='latest', force=False",
    `Gives an image a name.\n\n    salt '*' docker.tag 0123456789ab myrepo/mycontainer mytag${IMAGE}\n` +
      "repository, tag: the name",
    image.tag,
  ),
  "rmi(*names, **kwargs)": {
    doc:
      "Removes images; with `force` even if they are used, with `prune=False` without those that they are made of.\n\n" +
      "    salt '*' docker.rmi busybox",
    run: (context, { names, kwargs }) => image.removeImages(context, names, kwargs),
  },
  "save(name, path, overwrite=False, makedirs=False, compression=None, **kwargs)": {
    doc: `Writes an image into an archive.\n\n    salt '*' docker.save centos:7 /tmp/cent7.tar${IMAGE}\n` +
      "compression: gzip, bzip2 or xz; otherwise as the path ends",
    run: saveImage,
  },
  load: loadImages,
  "import(source, repository, tag='latest', api_response=False)": {
    doc:
      "Makes an image of an archive of files.\n\n    salt '*' docker.import /tmp/cent7-minimal.tar.xz myuser/centos 7\n\n" +
      "repository, tag: name of the image",
    run: image.importImage,
  },
  build: executionFunction({
    signature: `path=None, repository=None, tag=None, cache=True, rm=True, api_response=False, fileobj=None,
        dockerfile=None, buildargs=None`,
    doc:
      "Makes an image by a Dockerfile.\n\n    salt '*' docker.build /path/to/docker/build/dir repository=myimage tag=dev\n\n" +
      "path: the directory\nrepository, tag: name of the image\ncache: take steps that were done before\n" +
      "rm: remove containers between steps\ndockerfile: its path in the directory\nbuildargs: variables, as a map\n" +
      "fileobj: refused",
    run: image.build,
  }),
});

const NETWORKS: Record<string, ExecutionFunction> = {
  networks: ask(
    "names=None, ids=None",
    "The networks.\n\n    salt '*' docker.networks names=bridge\n\nnames, ids: only those",
    (docker, { names, ids }) => of.networksNamed(docker, names, ids),
  ),
  inspect_network: ask(
    "network_id",
    "All that is known of a network.\n\n    salt '*' docker.inspect_network web\n\nnetwork_id: its name or id",
    (docker, { network_id }) => of.inspectNetwork(docker, network_id),
  ),
  create_network: ask(
    `name, ${CREATE}, **kwargs`,
    "Makes a network: driver, driver_opts, internal, labels, enable_ipv6, attachable, ingress, subnet, gateway, ip_range, " +
      "aux_address, ipam_driver, ipam_opts, ipam_pools.\n\n    salt '*' docker.create_network web subnet=10.0.20.0/24",
    createNetwork,
  ),
  remove_network: ask(
    "network_id",
    "Removes a network.\n\n    salt '*' docker.remove_network web\n\nnetwork_id: its name or id",
    async (docker, { network_id }) => {
      await docker.json("DELETE", `/networks/${part(network_id)}`);
      return true;
    },
  ),
  connected: ask(
    "name, verbose=False",
    "The names of the containers in a network; with `verbose` what is known of each there.\n\n" +
      "    salt '*' docker.connected web\n\nname: name of the network",
    async (docker, { name, verbose }) => {
      const found = await of.connectedContainers(docker, name);
      return truthy(verbose) ? found : Object.keys(found);
    },
  ),
  connect_container_to_network: ask(
    "container, net_id, **kwargs",
    "Puts a container into a network: ipv4_address, ipv6_address, aliases, links, link_local_ips.\n\n" +
      "    salt '*' docker.connect_container_to_network web1 web",
    (docker, { container, net_id, kwargs }) => connectNetworks(docker, container, net_id, kwargs),
  ),
  disconnect_container_from_network: ask(
    "container, network_id",
    "Takes a container out of a network.\n\n    salt '*' docker.disconnect_container_from_network web1 web",
    (docker, { container, network_id }) => disconnect(docker, container, network_id),
  ),
  disconnect_all_containers_from_network: ask(
    "network_id",
    "Takes all containers out of a network.\n\n    salt '*' docker.disconnect_all_containers_from_network web",
    (docker, { network_id }) => disconnectAll(docker, network_id),
  ),
  compare_networks: ask(
    {
      params: [{ name: "first" }, { name: "second" }, { name: "ignore", default: "Name,Id,Created,Containers,Status" }],
      varargs: undefined,
      keywords: undefined,
    },
    "What differs between two networks.\n\n    salt '*' docker.compare_networks foo bar\n\n" +
      "first, second: names of networks\nignore: values that do not count",
    (docker, { first, second, ignore }) => compareNetworks(docker, first, second, ignore),
  ),
  volumes: ask(
    "filters=None",
    "The volumes.\n\n    salt '*' docker.volumes filters=\"{'dangling': True}\"",
    (docker, { filters }) => docker.get("/volumes", { filters: filterText(filters) }),
  ),
  create_volume: ask(
    "name, driver=None, driver_opts=None",
    "Makes a volume.\n\n    salt '*' docker.create_volume my_volume driver=local",
    (docker, { name, driver, driver_opts }) =>
      docker.json("POST", "/volumes/create", {
        json: { Name: name, ...(driver === null ? {} : { Driver: driver }), DriverOpts: driver_opts },
      }),
  ),
  inspect_volume: ask(
    "name",
    "All that is known of a volume.\n\n    salt '*' docker.inspect_volume my_volume",
    (docker, { name }) => of.inspectVolume(docker, name),
  ),
  remove_volume: ask(
    "name",
    "Removes a volume.\n\n    salt '*' docker.remove_volume my_volume",
    async (docker, { name }) => {
      await docker.json("DELETE", `/volumes/${part(name)}`);
      return true;
    },
  ),
};

const DAEMON = executionFunctions({
  info: ask("", "What the daemon says of itself.\n\n    salt '*' docker.info", (docker) => docker.get("/info")),
  version: ask("", "The version of Docker.\n\n    salt '*' docker.version", (docker) => of.version(docker)),
  prune: ask(
    "containers=False, networks=False, images=False, build=False, volumes=False, system=None, **filters",
    "Removes what is not used: what is named, else all but volumes.\n\n    salt '*' docker.prune containers=True\n\n" +
      "filters: only what fits, such as until=24h",
    prune,
  ),
  "login(*registries)": {
    doc:
      "Signs in to registries as configuration and pillar say (`docker-registries`).\n\n    salt '*' docker.login hub",
    run: (context, { registries }) => sign(context, registries, "login"),
  },
  "logout(*registries)": {
    doc: "Signs out of registries.\n\n    salt '*' docker.logout hub",
    run: (context, { registries }) => sign(context, registries, "logout"),
  },
  "get_client_args(limit=None)": {
    doc: "The options that docker.create takes.\n\n    salt '*' docker.get_client_args",
    run: () => ({ create_container: [...CREATE_OPTIONS] }),
  },
});

/** Functions that run Salt in a container. */
const PYTHON: Readonly<Record<string, string>> = {
  call: "name, function, *args, **kwargs",
  apply: "name, mods=None, **kwargs",
  sls: "name, mods=None, **kwargs",
  highstate: "name, saltenv='base', **kwargs",
  sls_build: "repository, tag='latest', base='opensuse/python', mods=None, dryrun=False, **kwargs",
};

const REFUSED: Record<string, ExecutionFunction> = Object.fromEntries(
  Object.entries(PYTHON).map(([fun, signature]) => [
    fun,
    executionFunction({
      signature,
      doc: `Refused: it runs Salt by a Python in the container.\n\n    salt '*' docker.${fun} web1`,
      run: () => {
        throw new CommandExecutionError(
          `docker.${fun} runs Salt by a Python in the container, which is not here: ` +
            "use docker.run, or a minion in the container",
        );
      },
    }),
  ]),
);

/** Docker: containers, images, networks and volumes, by the daemon's HTTP API. */
export const module: ExecutionModule = {
  virtual: () => "docker",
  functions: {
    ...CONTAINERS,
    pause,
    unpause,
    freeze: pause,
    unfreeze: unpause,
    cp: CONTAINERS.copy_from!,
    compare_container: CONTAINERS.compare_containers!,
    ...EXEC,
    ...IMAGES,
    ...NETWORKS,
    ...DAEMON,
    ...REFUSED,
  },
};
