/** The scripts that shells load to complete Brine's command lines: a few lines that call this program. */

/** The programs whose command lines are completed. */
export const COMPLETED = [
  "salt",
  "salt-key",
  "salt-run",
  "salt-call",
  "salt-cp",
  "salt-master",
  "salt-minion",
  "salt-syndic",
  "salt-api",
  "salt-doctor",
] as const;

const PROGRAMS = COMPLETED.join(" ");

// The first line of an answer says whether files are possible, too. Each other line is a word, and its meaning after a tab.

/** Bash also splits words at colons and equals signs: the answer has only the part after the last of them. */
const BASH = `# Completion of ${PROGRAMS} for bash: source <(brine completion bash)
_brine_complete() {
  local IFS=$'\\n' also
  local answer
  answer=($(brine complete bash "\${COMP_LINE:0:COMP_POINT}" "\${COMP_WORDS[COMP_CWORD]}" 2>/dev/null)) || return
  also=\${answer[0]}
  COMPREPLY=("\${answer[@]:1}")
  # What is treated as a file name has its equals sign quoted.
  if [[ $also != nothing && \${#COMPREPLY[@]} -eq 0 ]]; then compopt -o filenames 2>/dev/null; fi
  case $also in
  files) COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")) ;;
  directories) COMPREPLY+=($(compgen -d -- "\${COMP_WORDS[COMP_CWORD]}")) ;;
  esac
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[=,:] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _brine_complete ${PROGRAMS}
`;

const ZSH = `#compdef ${PROGRAMS}
# Completion of ${PROGRAMS} for zsh: source <(brine completion zsh)
_brine_complete() {
  local -a answer plain described
  local line also
  answer=("\${(@f)$(brine complete zsh "\${(@)words[1,CURRENT-1]}" "\${words[CURRENT]}" 2>/dev/null)}")
  also=$answer[1]
  for line in "\${(@)answer[2,-1]}"; do
    if [[ $line == *$'\\t'* ]]; then
      described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    elif [[ $line == *[=,:] ]]; then
      compadd -S '' -- $line
    else
      plain+=("$line")
    fi
  done
  (( $#described )) && _describe -o option described
  (( $#plain )) && compadd -- $plain
  case $also in
  files) _files ;;
  directories) _files -/ ;;
  esac
}
compdef _brine_complete ${PROGRAMS}
# Loaded by zsh itself at the first press of the tab key: then it is to answer, too.
if [[ $funcstack[1] == _salt ]]; then _brine_complete "$@"; fi
`;

const FISH = `# Completion of ${PROGRAMS} for fish: brine completion fish | source
function __brine_complete
  set -l answer (brine complete fish (commandline -cp | string collect --allow-empty) 2>/dev/null)
  or return
  string join \\n -- $answer[2..-1]
  switch $answer[1]
    case files
      __fish_complete_path (commandline -ct)
    case directories
      __fish_complete_directories (commandline -ct)
  end
end
for program in ${PROGRAMS}
  complete -c $program -f -a '(__brine_complete)'
end
`;

export const SHELLS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
