/**
 * The types of arguments, from the text of a signature: `"name, target: str | list, test=False, **kwargs"`. The type of an argument
 * follows from its annotation, otherwise from its name, otherwise from its default.
 */
import type { Left, NameOf, Pieces, Trim } from "../../model/loader/signature.ts";

/** Annotations in Python's notation; ` | ` is between alternatives. */
interface Annotations {
  str: string;
  int: number;
  bool: boolean;
  list: string[];
  dict: Record<string, unknown>;
  any: unknown;
  "list[any]": unknown[];
  "list[int]": number[];
  "list[dict]": Record<string, unknown>[];
  "list[dict[str]]": Record<string, string>[];
  "list[pkg]": (string | Record<string, string | null>)[];
  "dict[list]": Record<string, string[]>;
}

/**
 * Annotation → the names of the arguments with this type. An argument that means something else in one module or function has a
 * row as `module.name` or `module.function.name`, which `scripts/function_types.ts` writes into the signature.
 */
export const ARGUMENT_TYPES = {
  str: `
    after alias archive_format attr attributes attrs author bank base basedir bin_env blockend blockstart branch
    ca_filename ca_name ca_server cacert_path cache_dir cachedir cert_filename cert_path cert_type chain
    challenge_hmac character_set cidr cmd.tty.device CN code collate command comment compression conf_file config
    container content criteria crl_file crypt_salt csr_filename csr_path cwd database datadir db_host db_password
    db_user dbname debconf desc dest dev device dir dir_mode dir_path distribution dockerfile domain driver dst
    emailAddress enc encoding exec_driver expr ext_source ext_version file1 file2 file_hash
    file_name filename filetype fingerprint fingerprint_hash_type flag fname fromrepo fs_type fstype fullname fun
    func function gem_bin glob glob_expr glob_path gnupghome group groupname gzipfile hash_fn hash_type home hook
    host hostname https_pass https_user icmp id_ identifier identity iface iface_type image infile instr interface
    ip ip_addr item1 item2 jid jobid key key_filename keydir keyfile keyid keyname keyserver kind label_type lang layout
    lc_collate lc_ctype level link locale location log loginclass lvname lvpath mac maintenance_db match message
    minion minion_id mod module module_path name name_email nameserver net_id netmask network_id new_name new_owner
    newdate newtime not_found_content ntype object_name object_type oper option originalfile OU outcome outfile
    output output_encoding outputter owner ownername package package_path part_type passphrase password
    password_column password_hash patchfile path pattern pem_type pillarenv pkg1 pkg2 pkg_path pkgname pkgver policy
    prefix prepend_path priv private_key_passphrase prompt protocol prvfile pub pubfile python query question
    rarfile real_name ref ref1 ref2 regex registry remote repl repo repository reset_branch resource rev role
    rolepassword root ruby runas saltenv schema section sel_level sel_range sel_type sel_user separate_git_dir
    serange serializer serole service setype seuser sfn shared_secret shell signature signature_path signing_policy
    snapshot sock_dir soname source_hash source_hash_file1 source_hash_file2 source_hash_name source_uri sourcefile
    special src ssh_password ssh_priv_key ssh_user startpath state_id stdin stream_or_string string table tablespace
    tag tarfile tem template text time_format timezone title token topfn trust_level type unit upload_path uri url
    user username utc_offset valid_until value_regex venv venv_bin ver1 ver2 verstr vfstype vgname via_master
    acl_type apache.conf apache.site conf_path excludefrom fmt hg.opts nfs3.hosts passwordfile pwfile rsh
    virtualenv.path waldir worktree_path zip_file zone zonefile
  `,
  "str | list": `
    aliases.target nfs3.options smbios.fields
    args backend cidrs cmd devices disks exclude excludes extmod_blacklist extmod_whitelist extra_index_url
    find_links gems groups ids interfaces keyids keys members_list mirrors mods mysql.grant names npm.pkgs onlyif
    paths pip.pkgs privileges recipients refs refspecs requirements search_function search_target states tgt
    trusted_host unless user.groups
  `,
  "str | int": `
    rec_type date daymonth dayweek db_port end expire extents file.group file.user from_minor gid hour lvm.size minute mode
    month older_than partition port priority sig signal start system_id to_minor uid umask
  `,
  int: `
    bits connlimit count days days_valid depth duration gather_job_timeout hours inactdays inode_size keysize length
    limit major maxdays mindays minor minutes months num offset pid private_port range seconds size strip_components
    subkey_length test.rand_sleep.max test.sleep.length timeout warndays years
  `,
  bool: `
    allow_group_access cascade createdb createroles data_checksums diff_attr downloadonly force fork_point gzip
    if_exists if_not_exists inherit keep_env lazy_itable_init login merge_nested_lists mkmnt never_download
    python_shell replication restrict sign superuser symlinks sysupgrade test unmask upgrade usergroup
  `,
  dict: `
    buildargs context defaults driver_opts env_vars environ extensions grains kwarg lookup_dict pillar
    pillar.ext.external sections
  `,
  "dict[list]": "key.accept_dict.match key.reject_dict.match key.delete_dict.match",
  "str | dict | list[dict]": "env",
  "list[any]": "arg lst",
  "list[pkg]": "pkgs",
  "list[dict[str]]": "pkg.install.sources pkg.hold.sources pkg.unhold.sources",
  "bool | int": "queue",
  "bool | str": "backup",
  "list[int]": "success_retcodes",
  list: "success_stdout success_stderr rsync.additional_opts",
  // These arguments take more than the type of their default.
  any: `
    apache.config.config archive.sources archive.tar.sources archive.template boolean build cmd.run_chroot.binds cmd.template
    config.get.merge cp.dest cp.template cron.comment cron.identifier debconf.context debconf.defaults
    debconf.template default docker.filters docker.tag docker.timeout event.preload file.check_perms.ret
    file.manage_file.ret file.template firewalld.rule grain grains.filter_by.merge iptables.position iptables.rule
    jobs.last_run.metadata jobs.list_jobs.search_metadata match.filter_by.merge mine.tgt mount.config mount.device
    mount.opts mount.user network.type nftables.position nftables.rule nginx.signal pillar.filter_by.pillar
    pip.editable pkg_resource.packages pkg_resource.versions_as_list ps.attrs random.hash.value random.rand_int.seed
    random.sample.size state.high.data state.low.data sys.context test.echo.text test.outputter.data
    test.retcode.code timezone.clock user.createhome val value x509.certificate x509.crl x509.csr x509.passphrase
    x509.private_key x509.public_key x509.signing_cert x509.signing_private_key
  `,
} as const;

type Words<S extends string, Seen = never> = S extends `${infer One} ${infer Others}` ? Words<Others, Seen | Trim<One>>
  : Seen | Trim<S>;

type Annotated<S> = S extends `${infer One} | ${infer Others}` ? Annotated<One> | Annotated<Others>
  : Annotations[S & keyof Annotations];

/** The name of an argument → its type, from the rows above. */
type ByName = { [Row in keyof typeof ARGUMENT_TYPES as Words<(typeof ARGUMENT_TYPES)[Row]>]: Annotated<Row> };

type OfDefault<S> = S extends "True" | "False" ? boolean
  : S extends `${number}` ? number
  : S extends `'${string}'` ? string
  : S extends "[]" ? unknown[]
  : unknown;

type DefaultOf<Piece> = Piece extends `${string}=${infer Default}` ? Default : undefined;

type NotNull<Piece extends string> = Left<Piece> extends `${string}: ${infer Annotation}` ? Annotated<Annotation>
  : NameOf<Piece> extends keyof ByName ? ByName[NameOf<Piece>]
  : OfDefault<DefaultOf<Piece>>;

type TypeOf<Piece extends string> = DefaultOf<Piece> extends "None" ? NotNull<Piece> | null : NotNull<Piece>;

type Optional<Piece> = Piece extends `${string}=${string}` ? Piece : never;

/**
 * The names of arguments that may be given by position.
 *
 * @internal
 */
type Order<Given extends string[], Done extends string[] = []> = Given extends
  [infer Piece extends string, ...infer Others extends string[]]
  ? Piece extends "*" ? Done : Order<Others, Piece extends `*${string}` ? Done : [...Done, NameOf<Piece>]>
  : Done;

type Intersected<Piece extends string, Named extends string = Exclude<Piece, `*${string}`>> =
  & { [One in Exclude<Named, Optional<Named>> as NameOf<One>]: TypeOf<One> }
  & { [One in Optional<Named> as NameOf<One>]?: TypeOf<One> }
  & (Extract<Piece, `**${string}`> extends never ? unknown : { [name: string]: unknown });

/**
 * The arguments as one object, which an editor shows with the types of its properties.
 *
 * @internal
 */
type ArgsOf<Piece extends string> = Intersected<Piece> extends infer Args ? { [Name in keyof Args]: Args[Name] }
  : never;

/**
 * A function in a table such as {@link ExecutionFunctions}: its arguments and its return.
 *
 * @typeParam Signature in Python's notation, such as `"name, keep: int=3, **kwargs"`: arguments after a `*` have names only
 * @typeParam Return the type of the return
 */
export type FunctionType<Signature extends string, Return> = {
  args: ArgsOf<Pieces<Signature>[number]>;
  order: Order<Pieces<Signature>>;
  rest: Exclude<Extract<Pieces<Signature>[number], `*${string}`>, "*" | `**${string}`> extends never ? [] : unknown[];
  returns: Return;
};
