// Makes the completion scripts for shells: tables of the commands, and a function that looks words up in them.
// Guarantee: no word of the tables is executed, because each stands in single quotes; no id is evaluated, since ids are
// compared and not expanded; and only the `assay` of PATH is asked, never a program by a path that was typed.

/** The words that may follow on a command line, by the words before them. */
export interface Completions {
  /** `runs`, `schedules create`: the nouns, and after each its verbs. */
  commands: { name: string; about: string }[]
  /** Options by command, each with whether it takes a value. */
  options: Record<string, { name: string; about: string; takesValue: boolean }[]>
  /** The allowed values by `command --option`. */
  choices: Record<string, readonly string[]>
  /** Kinds of ids by `command` for its first argument and `command --option`. */
  ids: Record<string, string>
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
/** For fish, where a backslash escapes inside single quotes too. */
const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** The verbs that may follow a noun. */
const verbsOf = ({ commands }: Completions, noun: string) =>
  commands
    .filter(({ name }) => name.startsWith(`${noun} `))
    .map(({ name }) => name.slice(noun.length + 1))
    .filter(verb => !verb.includes(' '))
const nounsOf = ({ commands }: Completions) => commands.filter(({ name }) => !name.includes(' '))

/** The key of the program itself, before any command was typed. */
const PROGRAM = 'assay'

/** The same tables for bash and zsh, which both have associative arrays. */
function tables(found: Completions, entry: (key: string, value: string) => string): string {
  const row = (table: string, key: string, words: readonly string[]) =>
    words.length === 0 ? [] : [`  ${table}+=(${entry(quoted(key), quoted(words.join(' ')))})`]
  const nouns = nounsOf(found)
  const named = (options: Completions['options'][string]) => options.map(option => option.name)
  return [
    ...row(
      'verbs',
      PROGRAM,
      nouns.map(({ name }) => name),
    ),
    ...found.commands.flatMap(({ name }) => row('verbs', name, verbsOf(found, name))),
    ...row('flags', PROGRAM, ['--help', '--version']),
    ...Object.entries(found.options).flatMap(([name, options]) => [
      ...row('flags', name, named(options)),
      ...row('valued', name, named(options.filter(option => option.takesValue))),
    ]),
    ...Object.entries(found.choices).flatMap(([place, choices]) => row('choices', place, choices)),
    ...Object.entries(found.ids).flatMap(([place, kind]) => row('ids', place, [kind])),
  ].join('\n')
}

/** Finds the typed command and the place of the word to complete; the shells have different variables for these. */
const LOOK = `  local name=assay place= argument=0 word at
  for ((at = 1; at < count; at++)); do
    word=\${typed[at + base]}
    if [[ -n $place ]]; then place=
    elif [[ " \${valued[$name]-} " == *" $word "* ]]; then place="$name $word"
    elif [[ $word == -* ]]; then :
    elif [[ $name == assay ]]; then name=$word
    elif [[ $argument == 0 && " \${verbs[$name]-} " == *" $word "* ]]; then name="$name $word"
    else argument=$((argument + 1))
    fi
  done
  local offered= kind=
  if [[ -n $place ]]; then offered=\${choices[$place]-} kind=\${ids[$place]-}
  elif [[ $current == -* ]]; then offered=\${flags[$name]-}
  elif [[ $argument == 0 ]]; then
    offered="\${verbs[$name]-} \${choices[$name]-}" kind=\${ids[$name]-}
  fi`

export const bashScript = (
  found: Completions,
) => `# assay completion for bash: eval "$(assay completion bash)"
_assay() {
  local -A verbs flags valued choices ids
${tables(found, (key, value) => `[${key}]=${value}`)}
  local current=\${COMP_WORDS[COMP_CWORD]} count=$COMP_CWORD base=0
  local -a typed=("\${COMP_WORDS[@]}")
${LOOK}
  COMPREPLY=()
  local -a words=()
  read -r -a words <<< "$offered"
  if [[ -n $kind ]]; then
    local id about
    while IFS=$'\\t' read -r id about; do words+=("$id"); done < <(command assay __ids "$kind" 2>/dev/null)
  fi
  for word in "\${words[@]}"; do
    if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
  done
}
complete -o default -F _assay assay
`

export const zshScript = (found: Completions) => `#compdef assay
# assay completion for zsh: eval "$(assay completion zsh)", after compinit
_assay() {
  emulate -L zsh
  local -A verbs flags valued choices ids
${tables(found, (key, value) => `${key} ${value}`)}
  local current=$words[CURRENT] count=$((CURRENT - 1)) base=1
  local -a typed=("\${words[@]}")
${LOOK}
  local -a plain=(\${=offered})
  (( $#plain )) && compadd -- $plain
  if [[ -n $kind ]]; then
    local -a lines=("\${(@f)$(command assay __ids $kind 2>/dev/null)}")
    local -a shown=("\${(@)lines//$'\\t'/  }") names=("\${(@)lines%%$'\\t'*}")
    [[ -n \${names[1]-} ]] && compadd -l -d shown -- $names
  elif (( ! $#plain )); then
    _files
  fi
}
if [[ $funcstack[1] == _assay ]]; then _assay "$@"; else compdef _assay assay; fi
`

export function fishScript(found: Completions): string {
  const nouns = nounsOf(found)
  const cases = (rows: [key: string, lines: string[]][]) =>
    rows.flatMap(([key, lines]) =>
      lines.length === 0
        ? []
        : [`    case ${fishQuoted(key)}`, `      printf '%s\\t%s\\n' ${lines.join(' ')}`],
    )
  const pair = (word: string, about: string) => `${fishQuoted(word)} ${fishQuoted(about)}`
  const aboutOf = new Map(found.commands.map(({ name, about }) => [name, about]))
  const words: [string, string[]][] = [
    [PROGRAM, nouns.map(({ name, about }) => pair(name, about))],
    ...found.commands.map(({ name }): [string, string[]] => [
      name,
      verbsOf(found, name).map(verb => pair(verb, aboutOf.get(`${name} ${verb}`)!)),
    ]),
  ]
  const options = Object.entries(found.options)
  const flags = options.map(([name, all]): [string, string[]] => [
    name,
    all.map(one => pair(one.name, one.about)),
  ])
  flags.push([PROGRAM, [pair('--help', 'all commands'), pair('--version', 'which one this is')]])
  const valued = options.map(([name, all]): [string, string[]] => [
    name,
    all.filter(one => one.takesValue).map(one => pair(one.name, '')),
  ])
  const choices = Object.entries(found.choices).map(([place, all]): [string, string[]] => [
    place,
    all.map(one => pair(one, '')),
  ])
  const ids = Object.entries(found.ids).map(([place, kind]): [string, string[]] => [place, [pair(kind, '')]])
  const table = (name: string, rows: [string, string[]][]) =>
    [`function __assay_${name}`, '  switch "$argv[1]"', ...cases(rows), '  end', 'end'].join('\n')
  return `# assay completion for fish: assay completion fish | source
${[table('words', words), table('flags', flags), table('valued', valued), table('choices', choices), table('ids', ids)].join('\n')}
function __assay_complete
  set -l typed (commandline -opc)
  set -l current (commandline -ct)
  set -e typed[1]
  set -l name assay
  set -l place ''
  set -l argument 0
  for word in $typed
    if test -n "$place"
      set place ''
    else if contains -- $word (__assay_valued "$name" | string split -f1 \\t)
      set place "$name $word"
    else if string match -q -- '-*' $word
      continue
    else if test "$name" = assay
      set name $word
    else if test $argument = 0; and contains -- $word (__assay_words "$name" | string split -f1 \\t)
      set name "$name $word"
    else
      set argument (math $argument + 1)
    end
  end
  set -l kind
  if test -n "$place"
    __assay_choices "$place"
    set kind (__assay_ids "$place" | string split -f1 \\t)
  else if string match -q -- '-*' $current
    __assay_flags "$name"
  else if test $argument = 0
    __assay_words "$name"
    __assay_choices "$name"
    set kind (__assay_ids "$name" | string split -f1 \\t)
  end
  if test -n "$kind"
    command assay __ids $kind 2>/dev/null
  end
end
complete -c assay -e
complete -c assay -a '(__assay_complete)'
`
}
