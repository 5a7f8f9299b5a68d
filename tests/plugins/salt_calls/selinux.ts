import type { CallScenario } from "./scenario.ts";

/** What semanage 3.4 and semodule said of Debian's policy. */
const BOOLEANS = `SELinux boolean                State  Default Description

aide_mmap_files                (off  ,  off)  Allow aide to mmap files
allow_execheap                 (on   ,  off)  Allow allow to execheap`;
const PORTS = `SELinux Port Type              Proto    Port Number

http_port_t                    tcp      80, 443, 488, 8008, 8009, 8443, 8448
ssh_port_t                     tcp      22
xserver_port_t                 tcp      6000-6020
dns_port_t                     udp      53`;
const FILES = `SELinux fcontext                                   type               Context

/etc/passwd\\.lock                                  regular file       system_u:object_r:shadow_lock_t:s0 
/etc/ssh/ssh_host.*_key(\\.pub)?                    regular file       system_u:object_r:sshd_key_t:s0 
/srv/www(/.*)?                                     all files          system_u:object_r:httpd_sys_content_t:s0 
/srv/www(/.*)?                                     directory          system_u:object_r:httpd_dir_t:s0 
/none/here                                         all files          <<None>>`;
const MODULES = "100 accountsd       pp         \n100 acct            pp disabled\n400 mine            cil        ";
const HELP = `usage:  semodule [option]... MODE...
     KIND:  standard  list highest priority, enabled modules
            full      list all modules`;

const RELABEL = "system_u:object_r:default_t:s0 to system_u:object_r:httpd_sys_content_t:s0";
const FAILED = { err: "ValueError: Port tcp/22 already defined", code: 1 };

export const SELINUX: CallScenario[] = [
  {
    name: "selinux: booleans and modules",
    standIns: {
      semanage: { "boolean -l": BOOLEANS },
      setsebool: { "-P none on": { err: "Boolean none is not defined", code: 1 } },
      semodule: { "-h": HELP, "-lfull": MODULES, "-r none": { code: 1 } },
    },
    files: { "roots/mine.pp": "" },
    calls: [
      ["selinux.list_sebool"],
      ["selinux.getsebool", "allow_execheap"],
      ["selinux.getsebool", "none"],
      ["selinux.setsebool", "allow_execheap", "'on'"],
      ["selinux.setsebool", "none", "'on'", "persist=True"],
      ["selinux.setsebools", "{'a': 'on', 'b': 'off'}", "True"],
      ["selinux.setsebools", "a"],
      ["selinux.list_semod"],
      ["selinux.getsemod", "acct"],
      ["selinux.getsemod", "none"],
      ["selinux.setsemod", "acct", "Enabled"],
      ["selinux.setsemod", "acct", "disabled"],
      ["selinux.install_semod", "{D}/mine.pp"],
      ["selinux.install_semod", "salt://mine.pp"],
      ["selinux.remove_semod", "none"],
    ],
    replace: [[/\[[^\]]*\/(?=mine\.pp)/g, "[CACHE/"]],
  },
  {
    name: "selinux: modules of older programs",
    standIns: {
      semanage: {},
      setsebool: {},
      semodule: { "-h": "usage: semodule [options]... MODE [MODES]...", "-l": "abrt\t1.2.0\nacct\t1.5.0\tDisabled" },
    },
    calls: [["selinux.list_semod"], ["selinux.getsemod", "acct"]],
  },
  {
    name: "selinux: policies of files",
    standIns: {
      setsebool: {},
      semodule: {},
      semanage: { "fcontext -l": FILES, "fcontext --delete *": { err: "ValueError: not defined", code: 1 } },
      restorecon: {
        "-n -v -R /srv/www": `Would relabel /srv/www from ${RELABEL}\nWould relabel /srv/www/a b from ${RELABEL}`,
        "-n -v /old": "restorecon reset /old context system_u:object_r:a_t:s0->unconfined_u:object_r:b_t:s0",
        "-n -v /bad": "something else",
        "-v -F /fails": { err: "restorecon: lstat(/fails) failed", code: 255 },
        "-n -v /fails": "",
      },
    },
    calls: [
      ["selinux.filetype_id_to_string"],
      ["selinux.filetype_id_to_string", "s"],
      ["selinux.filetype_id_to_string", "x"],
      ["selinux.fcontext_get_policy", "/srv/www(/.*)?", "filetype=a"],
      ["selinux.fcontext_get_policy", "/srv/www(/.*)?", "filetype=d"],
      ["selinux.fcontext_get_policy", "/srv/www(/.*)?", "filetype=a", "sel_type=other_t"],
      ["selinux.fcontext_get_policy", "/srv/www(/.*)?", "a", "httpd_sys_content_t", "system_u", "s0"],
      ["selinux.fcontext_get_policy", "/etc/ssh/ssh_host.*_key(\\.pub)?"],
      ["selinux.fcontext_get_policy", "/srv/none"],
      ["selinux.fcontext_get_policy", "/srv/www(/.*)?", "filetype=x"],
      ["selinux.fcontext_add_policy", "/srv/www(/.*)?", "sel_type=httpd_log_t"],
      ["selinux.fcontext_add_policy", "/srv/new", "f", "httpd_log_t", "system_u", "s0"],
      ["selinux.fcontext_add_policy", "/srv/new", "filetype=a", "sel_type=httpd_log_t"],
      ["selinux.fcontext_add_policy", "/srv/new", "filetype=x"],
      ["selinux.fcontext_delete_policy", "/srv/www(/.*)?", "filetype=d"],
      ["selinux.fcontext_policy_is_applied", "/srv/www", "recursive=True"],
      ["selinux.fcontext_apply_policy", "/srv/www", "recursive=True"],
      ["selinux.fcontext_apply_policy", "/old"],
      ["selinux.fcontext_apply_policy", "/bad"],
      ["selinux.fcontext_apply_policy", "/fails"],
    ],
  },
  {
    name: "selinux: policies of ports",
    standIns: {
      setsebool: {},
      semodule: {},
      semanage: { "port -l": PORTS, "port --add --proto tcp --type ssh_port_t 22": FAILED },
    },
    calls: [
      ["selinux.port_get_policy", "tcp/80"],
      ["selinux.port_get_policy", "tcp/8448", "http_port_t"],
      ["selinux.port_get_policy", "tcp/80", "ssh_port_t"],
      ["selinux.port_get_policy", "udp/80"],
      ["selinux.port_get_policy", "tcp/6000-6020"],
      ["selinux.port_get_policy", "dns", "protocol=udp", "port=53"],
      ["selinux.port_get_policy", "dns"],
      ["selinux.port_add_policy", "tcp/22", "ssh_port_t"],
      ["selinux.port_add_policy", "web", "http_port_t", "protocol=tcp", "port=8080", "sel_range=s0"],
      ["selinux.port_add_policy", "tcp/8080"],
      ["selinux.port_delete_policy", "tcp/8080"],
      ["selinux.port_delete_policy", "x"],
    ],
  },
];
