/** Writes the demonstration's example files: states, pillar, a reaction, a schedule and a beacon. All are in its own directory. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Files below the demonstration's directory. Directories stand for hosts: `grains.host_dir` is the root of one. */
const FILES: Readonly<Record<string, string>> = {
  "states/top.sls": `base:
  '*':
    - motd
  'role:web':
    - match: grain
    - shop
  'role:database':
    - match: grain
    - database
`,
  "states/motd.sls": `# A file from a template
{{ grains.host_dir }}/etc/motd:
  file.managed:
    - source: salt://motd.jinja
    - template: jinja
    - makedirs: True
`,
  "states/motd.jinja": "This is {{ grains.id }}, a {{ grains.role }} server of {{ pillar.company }}.\n",
  "states/shop.sls": `# A directory, and a file with a secret of pillar
{{ grains.host_dir }}/srv/shop:
  file.directory:
    - makedirs: True

{{ grains.host_dir }}/etc/shop.conf:
  file.managed:
    - mode: '0600'
    - makedirs: True
    - contents: |
        workers = {{ pillar.shop.workers }}
        api_key = {{ pillar.shop.api_key }}
    - require:
      - file: {{ grains.host_dir }}/srv/shop
`,
  "states/database.sls": `# A command that runs once
initialize the database:
  cmd.run:
    - name: mkdir -p {{ grains.host_dir }}/var/db && touch {{ grains.host_dir }}/var/db/ready
    - creates: {{ grains.host_dir }}/var/db/ready
`,
  "pillar/top.sls": `base:
  '*':
    - company
  'role:web':
    - match: grain
    - shop
`,
  "pillar/company.sls": "company: Example Ltd\n",
  "pillar/shop.sls": "shop:\n  workers: 4\n  api_key: only-web-servers-get-this\n",
  "reactor/deploy.sls": `# Applies all states to the minion that has sent the event
deploy:
  local.state.apply:
    - tgt: {{ data['id'] }}
`,
};

/** The event that the reactor answers. */
export const DEPLOY = "demo/deploy";

export function writeDemoTree(root: string): void {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** Options of the master. */
export const demoMasterOptions = (root: string): string =>
  `file_roots: {base: [${root}/states]}\npillar_roots: {base: [${root}/pillar]}\n` +
  `reactor: [{'${DEPLOY}': [${root}/reactor/deploy.sls]}]\n`;

/** The directory that stands for the host of a minion. */
export const demoHostOf = (root: string, id: string): string => join(root, "hosts", id);

/** Options of a minion: its id, a check for drift every ten minutes, and a beacon that reports disk usage. */
export const demoMinionOptions = (root: string, id: string): string =>
  `grains:\n  role: ${id.startsWith("web") ? "web" : "database"}\n  host_dir: ${demoHostOf(root, id)}\n` +
  "schedule:\n  look for drift: {function: state.apply, kwargs: {test: True}, minutes: 10}\n" +
  "beacons:\n  diskusage: [{'/': 1%}, {interval: 60}]\n";

/** Changes a file of a host by hand, as people do: the host then differs from its states. */
export function drift(root: string, id: string): string {
  const file = join(demoHostOf(root, id), "etc/motd");
  writeFileSync(file, "Changed by hand.\n");
  return file;
}
