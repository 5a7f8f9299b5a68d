import type { CallScenario } from "./scenario.ts";

const ACL = `getfacl: Removing leading '/' from absolute path names
# file: {D}/x
# owner: joe
# group: staff
# flags: sst
user::rwx
user:ann:rwx\t#effective:r-x
group::r-x
group:dev:-w-
mask::r-x
other::---
default:user::rwx
default:user:ann:r--
default:group::r-x
default:mask::rwx
default:other::--x

# file: {D}/y
# owner: root
# group: root
user::rw-
group::r--
other::r--
`;

/** Access control lists. */
export const LINUX_ACL: CallScenario[] = [
  {
    name: "acl: recorded lists",
    standIns: { getfacl: { "--version": "getfacl 2.3.1", "*": ACL }, setfacl: {} },
    files: { x: "", y: "" },
    calls: [
      ["acl.version"],
      ["acl.getfacl", "{D}/x", "{D}/y"],
      ["acl.getfacl", "{D}", "recursive=True"],
      ["acl.getfacl"],
      ["acl.wipefacls", "{D}/x", "{D}/y"],
      ["acl.wipefacls"],
      ["acl.modfacl", "user", "ann", "rwx", "{D}/x"],
      ["acl.modfacl", "d:group", "dev", "rx", "{D}/x", "recursive=True"],
      ["acl.modfacl", "default:u", "ann", "rx", "{D}/x"],
      ["acl.modfacl", "m", "''", "rx", "{D}/x"],
      ["acl.modfacl", "other", "''", "r", "{D}/x"],
      ["acl.modfacl", "user", "ann", "rwx"],
      ["acl.delfacl", "user", "ann", "{D}/x"],
      ["acl.delfacl", "d:g", "dev", "{D}/x", "{D}/y", "recursive=True"],
      ["acl.delfacl", "user"],
    ],
  },
  {
    name: "acl: of real files",
    programs: ["getfacl", "setfacl"],
    root: true,
    files: { "d/x": "", y: "" },
    calls: [
      ["acl.modfacl", "user", "root", "rwx", "{D}/d/x"],
      ["acl.modfacl", "d:u", "root", "rx", "{D}/d"],
      ["acl.getfacl", "{D}/d", "recursive=True"],
      ["acl.modfacl", "user", "nosuchuser", "r", "{D}/y", "raise_err=True"],
      ["acl.delfacl", "user", "root", "{D}/d/x"],
      ["acl.wipefacls", "{D}/d"],
      ["acl.getfacl", "{D}/d", "{D}/d/x", "{D}/y", "{D}/none"],
    ],
  },
];
