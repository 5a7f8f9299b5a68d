/** The pages of the documentation, in the order in which they are read. A new page in `docs/` has to be named here. */

export interface Page {
  /** From the root of the repository: `docs/api.md`. */
  file: string;
  /** As the menu has it. */
  title: string;
}

export interface Section {
  title: string;
  pages: readonly Page[];
}

const page = (file: string, title: string): Page => ({ file, title });

/** The menu. A page that is not written yet is left out. */
export const NAVIGATION: readonly Section[] = [
  {
    title: "Start",
    pages: [
      page("docs/README.md", "About Brine"),
      page("docs/getting-started.md", "Getting started"),
      page("docs/manage-20-servers.md", "Manage 20 servers"),
      page("docs/configure-20-servers.md", "Configure 20 servers"),
      page("docs/install.md", "Installing"),
      page("docs/install-npm.md", "Install from npm or images"),
      page("docs/from-salt.md", "Moving over from Salt"),
      page("docs/switch-from-salt.md", "Switch from Salt"),
      page("docs/check-salt-files.md", "Check Salt files"),
      page("docs/how-it-works.md", "How it works"),
      page("docs/glossary.md", "Glossary"),
    ],
  },
  {
    title: "Use",
    pages: [
      page("docs/command-line.md", "The command line"),
      page("docs/targeting.md", "Targets"),
      page("docs/writing-states.md", "Writing states"),
      page("docs/formulas.md", "Folders and formulas"),
      page("docs/gitfs.md", "Files and pillar from git"),
      page("docs/schedules.md", "Schedules"),
      page("docs/beacons.md", "Beacons"),
      page("docs/reactor.md", "The reactor"),
      page("docs/engines.md", "Engines"),
      page("docs/event-return.md", "Event returns"),
      page("docs/console.md", "The web console"),
    ],
  },
  {
    title: "Program",
    pages: [
      page("docs/modules.md", "Custom modules"),
      page("docs/module-reference.md", "Module reference"),
      page("docs/python-modules.md", "Python modules"),
      page("docs/module-programs.md", "Modules in any language"),
      page("docs/custom-engines.md", "Custom engines"),
      page("docs/api.md", "The HTTP interface"),
      page("docs/api-streams.md", "Event streams"),
      page("docs/api-access.md", "Access over HTTP"),
      page("docs/api-in-programs.md", "HTTP in your program"),
      page("docs/sdk.md", "The library"),
      page("docs/sdk-scripts.md", "First scripts"),
      page("docs/sdk-types.md", "Typed functions"),
    ],
  },
  {
    title: "Run",
    pages: [
      page("docs/operations.md", "Operating a master"),
      page("docs/upgrade.md", "Upgrade"),
      page("docs/job-caches.md", "Job caches and returners"),
      page("docs/daemons.md", "Daemons and logs"),
      page("docs/keys.md", "Keys and audit"),
      page("docs/backup.md", "Backup and restore"),
      page("docs/transports.md", "Transports and TLS"),
      page("docs/several-masters.md", "Several masters"),
      page("docs/masters-of-masters.md", "Masters of masters"),
      page("docs/troubleshooting.md", "Troubleshooting"),
      page("docs/cluster.md", "Several masters as one"),
      page("docs/secure-a-master.md", "Secure a master"),
      page("docs/permissions.md", "Permissions"),
      page("docs/permission-rules.md", "Permission rules"),
      page("docs/login-backends.md", "Login backends"),
      page("docs/job-fields.md", "Fields of a job"),
      page("docs/metrics.md", "Metrics and traces"),
    ],
  },
  {
    title: "Reference",
    pages: [
      page("docs/options.md", "Options"),
      page("docs/compatibility-table.md", "Compatibility table"),
    ],
  },
  {
    title: "Internals",
    pages: [
      page("docs/internals/compatibility.md", "Differences from Salt"),
      page("docs/internals/states.md", "States compared with Salt"),
      page("docs/internals/api.md", "The HTTP interface compared"),
      page("docs/internals/permissions.md", "Permissions compared"),
      page("docs/internals/engines.md", "Engines compared"),
      page("docs/internals/beacons.md", "Beacons compared"),
      page("docs/internals/event-return.md", "Event returns compared"),
      page("docs/internals/schedules.md", "Schedules compared"),
      page("docs/internals/reactor.md", "The reactor compared"),
      page("docs/internals/security.md", "Threats and defenses"),
      page("docs/internals/protocol.md", "The protocol"),
      page("docs/internals/modules.md", "Included modules"),
      page("docs/internals/performance.md", "Figures"),
    ],
  },
  {
    title: "Project",
    pages: [
      page("CHANGELOG.md", "Changes"),
      page("ARCHITECTURE.md", "Architecture"),
      page("CONTRIBUTING.md", "Working on it"),
      page("bench/README.md", "Benchmarks"),
    ],
  },
];
