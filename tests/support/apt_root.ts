/** A system of its own for apt and dpkg: a directory of packages, and another that they are installed into. */
import type { Runtime } from "../../src/runtime/mod.ts";
import type { JobContext } from "../../src/loader/context.ts";
import type { StateContext, StateModule, StateReturn } from "../../src/loader/states.ts";
import { programPath } from "../../src/plugins/commands.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { type TestMinion, testMinion } from "./context.ts";
import { callState } from "./recorded_states.ts";
import { inTemporary } from "../plugins/temporary.ts";

const runtime = await currentRuntime();

/** Why there can be none here; false if there can. */
export const noApt: string | false =
  ["apt-get", "apt-cache", "dpkg", "dpkg-deb"].some((name) => programPath({ runtime }, name) === undefined)
    ? "there is no apt"
    : runtime.process.env("USER") !== "root" && runtime.fs.stat("/root")?.uid !== 0
    ? "only root installs packages"
    : false;

export interface AptRoot {
  minion: TestMinion;
  directory: string;
  /** Below which packages are installed. */
  root: string;
  runtime: Runtime;
  /** Runs a state; `test` for a dry run. */
  state(fun: string, keyword: Record<string, unknown>, test?: boolean): Promise<StateReturn>;
}

/** A runtime on which programs see these variables. */
export function withEnvironment(variables: Record<string, string>): Pick<Runtime, "process"> {
  return {
    process: {
      ...runtime.process,
      pid: runtime.process.pid,
      env: (name: string) => variables[name] ?? runtime.process.env(name),
      environment: () => ({ ...runtime.process.environment(), ...variables }),
    },
  };
}

/** A package with a configuration file; the path of its file. */
async function build(minion: TestMinion, directory: string, name: string, version: string): Promise<void> {
  const { fs } = runtime;
  const tree = `${directory}/build/${name}-${version}`;
  for (const part of ["DEBIAN", "etc"]) fs.mkdir(`${tree}/${part}`, 0o755);
  fs.write(`${tree}/etc/${name}.conf`, `version ${version}\n`);
  fs.write(`${tree}/DEBIAN/conffiles`, `/etc/${name}.conf\n`);
  const control = [
    `Package: ${name}`,
    `Version: ${version}`,
    "Architecture: all",
    "Maintainer: A <a@example.org>",
    "Description: for tests",
  ];
  fs.write(`${tree}/DEBIAN/control`, `${control.join("\n")}\n`);
  const file = `${name}_${version}_all.deb`;
  const path = `${directory}/repo/${file}`;
  await minion.value("cmd.run", `chmod 755 ${tree} ${tree}/* && dpkg-deb --root-owner-group -b ${tree} ${path}`, {
    __kwarg__: true,
    python_shell: true,
  });
  const hash = await minion.value("hashutil.digest_file", path, "sha256");
  const entry = [...control, `Filename: ./${file}`, `Size: ${fs.stat(path)!.size}`, `SHA256: ${hash}`].join("\n");
  const index = `${directory}/repo/Packages`;
  fs.write(index, `${fs.stat(index) === undefined ? "" : fs.readText(index)}${entry}\n\n`);
}

/** Runs `use` with packages that apt knows: name and version of each. */
export async function withAptRoot(
  packages: [name: string, version: string][],
  states: Record<string, StateModule>,
  use: (apt: AptRoot) => Promise<void>,
): Promise<void> {
  await inTemporary(runtime, async (directory) => {
    const root = `${directory}/root`;
    const { fs } = runtime;
    const made = [
      "repo",
      "cache",
      ...["var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "var/lib/apt/lists/partial"],
      ...["var/cache/apt/archives/partial", "var/log/apt", "etc/apt/preferences.d", "etc/apt/apt.conf.d"],
    ];
    for (const path of made) fs.mkdir(`${directory}/${/^(?:var|etc)/.test(path) ? `root/${path}` : path}`, 0o755);
    for (const path of ["status", "available"]) fs.write(`${root}/var/lib/dpkg/${path}`, "");
    fs.write(`${root}/etc/apt/sources.list`, `deb [trusted=yes] file:${directory}/repo ./\n`);
    fs.write(
      `${directory}/apt.conf`,
      `Dir "${root}";\nDir::Bin::dpkg "/usr/bin/dpkg";\nDir::Bin::methods "/usr/lib/apt/methods";\n` +
        `APT::Sandbox::User "root";\nDPkg::Options:: "--root=${root}";\nDPkg::Options:: "--force-not-root";\n`,
    );
    const own = withEnvironment({ APT_CONFIG: `${directory}/apt.conf`, DPKG_ROOT: root });
    const minion = await testMinion({
      runtime: own,
      opts: { cachedir: `${directory}/cache` },
      grains: { os: "Debian", os_family: "Debian" },
      modules: {
        of_test: () =>
          Promise.resolve({
            module: {
              functions: {
                state: {
                  signature: "fun, keyword, test",
                  doc: "",
                  run: (context, args) =>
                    runState(
                      states,
                      context,
                      String(args.fun),
                      args.keyword as Record<string, unknown>,
                      args.test === true,
                    ),
                },
              },
            },
          }),
      },
    });
    for (const [name, version] of packages) await build(minion, directory, name, version);
    await minion.value("cmd.run", "apt-get -q update");
    const state = async (fun: string, keyword: Record<string, unknown>, test = false) =>
      await minion.value("of_test.state", fun, keyword, test) as StateReturn;
    await use({ minion, directory, root, runtime: minion.runtime, state });
  });
}

/** Runs a state within a job. */
export async function runState(
  modules: Record<string, StateModule>,
  context: JobContext,
  fun: string,
  keyword: Record<string, unknown>,
  test: boolean,
): Promise<StateReturn> {
  const [module = "", name = ""] = fun.split(".");
  const own = {
    test,
    saltenv: "base",
    low: {},
    lowstate: [],
    running: new Map(),
    shared: new Map(),
    opts: { ...context.opts, test },
  };
  const whole = Object.defineProperties(Object.create(context), Object.getOwnPropertyDescriptors(own)) as StateContext;
  return await callState(modules[module]!, whole, name, keyword);
}
