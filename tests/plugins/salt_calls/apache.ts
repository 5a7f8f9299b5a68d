import type { CallScenario } from "./scenario.ts";

const V = "Server version: Apache/2.4.57 (Debian)\nServer built:   2023-04-13T03:26:51";
const BUILD = `${V}
Server's Module Magic Number: 20120211:126
Server loaded:  APR 1.7.2, APR-UTIL 1.6.3
Architecture:   64-bit
Server MPM:     event
  threaded:     yes (fixed thread count)
Server compiled with....
 -D APR_HAS_SENDFILE
 -D HTTPD_ROOT="/etc/apache2"
`;
const LOADED = `Loaded Modules:
 core_module (static)
 so_module (static)
 access_compat_module (shared)
 alias_module (shared)
`;
const BUILT = "Compiled in modules:\n  core.c\n  mod_so.c\n  http_core.c\n";
const DIRECTIVES = `<Directory (core.c)
\tContainer for directives affecting resources located in the specified directories
\tAllowed in *.conf only outside <Directory>, <Files>, <Location>, or <If>
Listen (core.c)
\tA port number or a numeric IP address and a port number
`;
const HOSTS = `VirtualHost configuration:
*:80                   is a NameVirtualHost
         default server a.example.com (/etc/apache2/sites-enabled/000-default.conf:1)
         port 80 namevhost a.example.com (/etc/apache2/sites-enabled/000-default.conf:1)
         port 80 namevhost b.example.com (/etc/apache2/sites-enabled/b.conf:1)
ServerRoot: "/etc/apache2"
`;
const PROGRAM = {
  "-v": V,
  "-V": BUILD,
  "-M": LOADED,
  "-l": BUILT,
  "-L": DIRECTIVES,
  "-S": HOSTS,
  "configtest": { err: "Syntax OK" },
  "-k stop": { err: "httpd (no pid file) not running", code: 1 },
  "status": "Apache Server Status",
};
const CONFIG = JSON.stringify([
  { Listen: "80" },
  { Listen: 81 },
  { Header: ["always set X 1", "always set Y 2"] },
  {
    VirtualHost: { this: "*:80", ServerName: "a.example.com", Directory: { this: "/var/www", Require: "all granted" } },
  },
  { VirtualHost: [{ this: "*:81" }, { ServerAlias: ["a", "b"] }, { ServerName: "b.example.com", Port: 5 }] },
]);

/** Apache, and Debian's programs around it. */
export const APACHE: CallScenario[] = [
  {
    name: "apache: what it is",
    standIns: { apache2ctl: PROGRAM },
    calls: [
      ...["version", "fullversion", "modules", "servermods", "directives", "vhosts"].map((name) => [`apache.${name}`]),
      ...["configtest", "stop", "status", "restart", "nonsense"].map((name) => ["apache.signal", name]),
      ["apache.signal"],
    ],
  },
  {
    name: "apache: configurations",
    standIns: { apache2ctl: PROGRAM },
    calls: [
      ["apache.config", "{D}/a.conf", `config=${CONFIG}`],
      ["apache.config", "{D}/b.conf", `config=${CONFIG}`, "edit=False"],
      ["apache.config", "{D}/c.conf", 'config=[{"Directory": {"Require": "all"}}]'],
      ["apache.config", "{D}/d.conf", "config=[]"],
    ],
  },
  {
    name: "apache: Debian's programs",
    standIns: {
      apache2ctl: PROGRAM,
      a2enmod: { none: { err: "ERROR: Module none does not exist!", code: 1 }, odd: { code: 7 } },
      a2dismod: { none: { err: "ERROR: Module none does not exist!", code: 1 } },
      a2ensite: { none: { code: 1 } },
      a2dissite: { none: { code: 1 } },
      a2enconf: { none: { code: 1 } },
      a2disconf: { none: { code: 1 } },
    },
    calls: [
      ...["mod", "site", "conf"].flatMap((kind) => [
        [`apache.check_${kind}_enabled`, "brine-none"],
        [`apache.a2en${kind}`, "some"],
        [`apache.a2en${kind}`, "none"],
        [`apache.a2dis${kind}`, "some"],
        [`apache.a2dis${kind}`, "none"],
      ]),
      ["apache.a2enmod", "odd"],
    ],
  },
  {
    name: "webutil: users of password files",
    files: { there: "larry:$apr1$x\n" },
    standIns: {
      apache2ctl: PROGRAM,
      htpasswd: {
        "-b {D}": "",
        "-D*none": { err: "User none not found", code: 1 },
        "-D*": { err: "Deleting password for user larry" },
        "-b*": { err: "Updating password for user larry" },
        "*wrong": { err: "password verification failed", code: 3 },
      },
    },
    calls: [
      ["webutil.useradd", "{D}/there", "larry", "secret"],
      ["webutil.useradd", "{D}/new", "larry", "secret", "opts=B"],
      ["webutil.userdel", "{D}/there", "larry"],
      ["webutil.userdel", "{D}/there", "none", "all_results=True"],
      ["webutil.userdel", "{D}/new", "larry"],
      ["webutil.verify", "{D}/there", "larry", "secret"],
      ["webutil.verify", "{D}/new", "larry", "secret"],
      ["apache.useradd", "{D}/there", "larry", "secret"],
      ["apache.userdel", "{D}/there", "larry"],
    ],
  },
  {
    name: "webutil: real password files",
    programs: ["htpasswd"],
    calls: [
      ["webutil.useradd", "{D}/h", "larry", "secret", "opts=s"],
      ["webutil.useradd", "{D}/h", "moe", "secret", "opts=s"],
      ["webutil.useradd", "{D}/h", "larry", "-other", "opts=s"],
      ["webutil.verify", "{D}/h", "larry", "-other"],
      ["webutil.verify", "{D}/h", "larry", "wrong"],
      ["webutil.verify", "{D}/h", "none", "wrong"],
      ["webutil.userdel", "{D}/h", "moe"],
      ["webutil.userdel", "{D}/h", "none", "all_results=True"],
    ],
  },
];
