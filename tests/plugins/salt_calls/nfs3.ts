import type { CallScenario } from "./scenario.ts";

const EXPORTS = `# shared
/srv/a host1(rw,sync) 192.0.2.0/24(ro)

/srv/b /srv/c *(ro)
/srv/d
`;

/** Directories that are exported over NFS. */
export const NFS3: CallScenario[] = [
  {
    name: "nfs3: exports of a file",
    standIns: { showmount: {}, exportfs: { "-r": ["", { out: "some", err: "exportfs: failed" }] } },
    files: { exports: EXPORTS },
    calls: [
      ["nfs3.list_exports", "{D}/exports"],
      ["nfs3.add_export", "{D}/exports", "/srv/new", "host2", "['rw', 'no_root_squash']"],
      ["nfs3.add_export", "{D}/exports", "/srv/a", "host3"],
      ["nfs3.add_export", "{D}/exports", "/srv/a"],
      ["nfs3.del_export", "{D}/exports", "/srv/c"],
      ["nfs3.del_export", "{D}/exports", "/srv/none"],
      ["nfs3.list_exports", "{D}/exports"],
      ["nfs3.list_exports", "{D}/none"],
      ["nfs3.reload_exports"],
      ["nfs3.reload_exports"],
    ],
  },
];
