import { runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";
import { str } from "../../language/python/values.ts";

/** Exceptions of Python that go by their bare names. */
const BUILT_IN =
  /^(?:Arithmetic|Assertion|Attribute|EOF|FileExists|FileNotFound|IO|Import|Index|InterruptedE|IsADirectory|Key|Lookup|Memory|ModuleNotFound|Name|NotImplemented|OS|Overflow|Permission|Recursion|Reference|Runtime|Syntax|System|Timeout|Type|UnicodeDecode|UnicodeEncode|Unicode|Value|ZeroDivision)Error$|^(?:Exception|StopIteration|Warning)$/;
const OF_SALT =
  /^(?:AuthenticationError|AuthorizationError|ClientError|CommandExecutionError|CommandNotFoundError|EauthAuthenticationError|FileLockError|FileserverConfigError|GitLockError|InvalidConfigError|InvalidKeyError|LoaderError|LoggingRuntimeError|MasterExit|MinionError|PkgParseError|PublishError|PublisherError|ReqServerError|SaltCacheError|SaltClientError|SaltCloudException|SaltConfigurationError|SaltException|SaltInvocationError|SaltMasterError|SaltRenderError|SaltReqTimeoutError|SaltRunnerError|SaltSyndicMasterError|SaltSystemExit|SaltWheelError|TimedProcTimeoutError|TimeoutError|TokenAuthenticationError|VMwareApiError)$/;

/** The name that a traceback of Python has; an unknown one is Salt's most general. */
function pythonName(name: string): string {
  if (OF_SALT.test(name)) return `salt.exceptions.${name}`;
  return BUILT_IN.test(name) ? name : "salt.exceptions.SaltException";
}

/** Fails on purpose, to see how an error is shown. */
export const runner: RunnerModule = {
  functions: runnerFunctions({
    "error(name=None, message: str='')": {
      doc:
        "Raises an error with this name; without a name, returns an empty map.\n\n    salt-run error.error name=Exception message=Oops",
      run(_context, { name, message }) {
        if (name === null) return {};
        throw Object.assign(new Error(message), { name: pythonName(str(name)) });
      },
    },
  }),
};
