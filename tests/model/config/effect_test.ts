/** The option tables against the sources: what is said to have an effect is read somewhere, and what has none is not. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { MASTER_OPTIONS } from "../../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../../src/model/config/minion_opts.ts";
import type { OptionTable } from "../../../src/model/config/option.ts";
import { SALT_MASTER_OPTIONS, SALT_MINION_OPTIONS, type SaltOptions } from "../../../src/model/config/salt_options.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The tables themselves, and the console, which is a page of its own. */
const NOT_READERS = /^src\/(config\/(master_opts|minion_opts|salt_options|review|option)\.ts$|console\/)/;

interface HostRow {
  own: OptionTable;
  salt: SaltOptions;
  /** Sources that only the other host loads. */
  others: RegExp;
  /** Sources that only this host loads. */
  alone: RegExp;
}

const HOSTS: Record<"master" | "minion", HostRow> = {
  master: {
    own: MASTER_OPTIONS,
    salt: SALT_MASTER_OPTIONS,
    others: /^src\/minion\/|^cli\/programs\/(minion|call)\b/,
    alone: /^src\/(master|gateway)\//,
  },
  minion: {
    own: MINION_OPTIONS,
    salt: SALT_MINION_OPTIONS,
    others: /^src\/(master|gateway)\/|^cli\/programs\/(master|api|key|run|salt)\b/,
    alone: /^src\/minion\//,
  },
};

/** Options without effect that are read all the same. */
const READ_ALL_THE_SAME: Record<string, string> = {
  fips_mode: "x509.* leaves MD5 fingerprints out, as in Salt; a daemon does not start with it",
};

function* filesBelow(directory: string): Generator<string> {
  for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (/\.tsx?$/.test(entry.name) && !NOT_READERS.test(path)) yield path;
  }
}

/** `opts.name`, `this.#options.opts().name`, `opts["name"]`. */
const PROPERTY = /\b\w*[oO]pts(?:\(\))?[!?]?(?:\.(\w+)|\["([^"]+)"\])/g;
/** `{ one, two: three } = opts`, and the parameter `{ one, two }: MasterOpts`. */
const DESTRUCTURED =
  /\{([^{}]*)\}(?:: [^=;{}]{0,120}|: \{[^{}]*\})? ?= ?[\w.#]*[oO]pts\b|\{([^{}]*)\}: (?:Pick<)?M(?:aster|inion)Opts/g;
/** Names as text, as in `section.flag("one_two")`, and options of an outputter: only names that are no English words. */
const BY_NAME = /"(\w*[_.][\w.]*)"|\boptions\.(\w*_\w*)|\{ (\w*_\w*)[^{}]*\} = options\b/g;
/** The outputter for states puts these two names together. */
const COMPOSED = /`state_output_\$\{name\}`/;

/** The table of the HTTP gateway's flavours, which are named after their options. */
const FLAVOURS = /\b(rest_\w+):/g;
/** The loader of files, to which options are values. */
const LOADED = /\b(?:main|values)\.(include|default_include)\b/g;

function* found(code: string, pattern: RegExp): Generator<string> {
  for (const [, ...groups] of code.matchAll(pattern)) {
    for (const group of groups) if (group !== undefined) yield group;
  }
}

interface Source {
  path: string;
  /** Options that are read off a configuration. */
  read: ReadonlySet<string>;
  /** Options that are named in another way. */
  named: ReadonlySet<string>;
}

const SOURCES: Source[] = [...filesBelow("src"), ...filesBelow("cli")].map((path) => {
  const text = readFileSync(join(root, path), "utf8");
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
  const parts = [...found(code, DESTRUCTURED)].flatMap((names) => names.split(",").map((part) => part.trim()));
  const destructured = parts.map((part) => /^\w*/.exec(part)![0]);
  return {
    path,
    read: new Set([...found(code, PROPERTY), ...destructured]),
    named: new Set([
      ...found(code, BY_NAME),
      ...found(code, LOADED),
      ...found(code, FLAVOURS),
      ...(COMPOSED.test(code) ? ["state_output_exclude", "state_output_terse"] : []),
    ]),
  };
});

for (const [host, { own, salt, others, alone }] of Object.entries(HOSTS)) {
  describe(`options of the ${host}`, () => {
    test("each that has an effect is read", () => {
      const readers = SOURCES.filter(({ path }) => !others.test(path));
      const unread = Object.keys(own).filter((name) =>
        !readers.some(({ read, named }) => read.has(name) || named.has(name))
      );
      assert.deepEqual(unread, []);
    });

    test("none without effect is read", () => {
      for (const name of Object.keys(salt)) {
        if (Object.hasOwn(READ_ALL_THE_SAME, name)) continue;
        const ofNone = !Object.values(HOSTS).some((row) => Object.hasOwn(row.own, name));
        const reader = SOURCES.find(({ path, read }) => (ofNone || alone.test(path)) && read.has(name));
        assert.equal(reader?.path, undefined, `${name} is read: it belongs into the table of options with an effect`);
      }
    });

    test("each has a sentence on what it does, and none is in both tables", () => {
      for (const [name, { doc, differs }] of Object.entries(own)) {
        assert.match(doc, /^[A-Z`].*\.$/, name);
        assert.ok(!Object.hasOwn(salt, name), name);
        if (differs !== undefined) assert.doesNotMatch(differs, /^$|\.$/, name);
      }
      for (const [name, { instead }] of Object.entries(salt)) assert.doesNotMatch(instead, /^$|\.$/, name);
    });
  });
}

test("the exceptions are options without effect", () => {
  for (const name of Object.keys(READ_ALL_THE_SAME)) {
    assert.ok(Object.hasOwn(SALT_MINION_OPTIONS, name) || Object.hasOwn(SALT_MASTER_OPTIONS, name), name);
  }
});

/** Options that have no effect here though their names promise protection, and why nothing is unprotected without them. */
const HARMLESS: Record<string, string> = {
  cluster_encryption_algorithm: "of Salt's cluster, which `cluster_id` asks for and which is refused",
  cluster_key_pass: "of Salt's cluster",
  cluster_max_log_size: "of Salt's cluster",
  cluster_max_voters: "of Salt's cluster",
  cluster_secret: "of Salt's cluster",
  cmd_blacklist_glob: "the minion's option, in a master's configuration",
  cmd_whitelist_glob: "the minion's option, in a master's configuration",
  file_recv_max_size: "the master's option, in a minion's configuration",
  fileserver_verify_config: "checks at the start",
  git_pillar_verify_config: "checks at the start",
  hgfs_saltenv_blacklist: "there is no hgfs that would serve anything",
  hgfs_saltenv_whitelist: "there is no hgfs that would serve anything",
  lock_saltenv: "the minion's option, in a master's configuration",
  max_event_size: "the master's option, in a minion's configuration",
  minion_memory_max: "a limit of the service",
  minionfs_blacklist: "there is no minionfs that would serve anything",
  minionfs_whitelist: "there is no minionfs that would serve anything",
  memcache_max_items: "no protection",
  modules_max_memory: "a limit of the service",
  pass_strict_fetch: "there is no renderer for pass",
  pepa_validate: "there is no pepa",
  permissive_pki_access: "the master's option, in a minion's configuration",
  pillar_mask_output: "3008's way to print values, which its own users see in any other function",
  publisher_acl: "the master's option, in a minion's configuration",
  publisher_acl_blacklist: "the master's option, in a minion's configuration",
  ssh_signing_policies: "there is no ssh_pki",
  ssh_keepalive_count_max: "there is no salt-ssh",
  ssh_max_procs: "there is no salt-ssh",
  state_max_parallel: "no protection",
  svnfs_saltenv_blacklist: "there is no svnfs that would serve anything",
  svnfs_saltenv_whitelist: "there is no svnfs that would serve anything",
  thin_saltext_allowlist: "there is no salt-ssh",
  thin_saltext_blocklist: "there is no salt-ssh",
  use_os_truststore: "certificates are verified all the same",
  winrepo_cache_expire_max: "there is no winrepo",
  winrepo_insecure_auth: "there is no winrepo",
  winrepo_ssl_verify: "there is no winrepo",
  x509_signing_policies: "the minion's option, in a master's configuration",
};
const PROTECTS =
  /blacklist|whitelist|blocklist|allowlist|verif|signing|secur|secret|mask|lock_|max|(?<!de)limit|permi|restrict|safe|_acl|trust|fips|cipher|algor|crypt|_valid|strict|forbid|key_pass/;

test("an option that promises protection is obeyed, stops the daemon, or has a reason why nothing is unprotected", () => {
  const used = new Set<string>();
  for (const { salt } of Object.values(HOSTS)) {
    for (const [option, { status }] of Object.entries(salt)) {
      if (status === "refused" || status === "unneeded" || !PROTECTS.test(option)) continue;
      assert.ok(
        Object.hasOwn(HARMLESS, option),
        `${option} has no effect: obey it, refuse it, or say why that is harmless`,
      );
      used.add(option);
    }
  }
  assert.deepEqual([...used].sort(), Object.keys(HARMLESS).sort());
});
