/**
 * A command as it is typed after `kubectl`, with single quotes where an argument holds spaces. `$v` in it, and in the
 * files of a chapter, is the version that walks (`136`), so that what has no namespace gets a name of its own; `$(…)`
 * is what the command in it says on the same plane.
 */
export type Command = string

/** What one version of kubectl does on both planes, and what is asked of it. */
export type Step = Command | Run | Settle | Watch

export interface Run {
  run: Command
  stdin?: string
  /** What stands for a person in an editor: lines of a shell script. `$1` is the file to edit. */
  editor?: string
  /** The answer has no order of its own. */
  unordered?: true
}

/** Is repeated until it succeeds on both planes; what it says is not compared. For what happens in its own time. */
export interface Settle {
  settle: Command
}

/** A command that goes on until it is ended: the others run while it does. */
export interface Watch {
  watch: Command
  /** It has begun when its output has these words; empty: when it says anything. Absent: nothing tells. */
  begun?: string
  /** Where nothing tells that it has begun, they are repeated until it has seen enough. */
  during: Command[]
  /** It is ended when its output has as many lines; they are what is compared. */
  lines: number
}

export interface Chapter {
  title: string
  /** Text, or what is written as JSON, which is YAML, by the name that commands know the file by. */
  files?: Record<string, string | object>
  steps: Step[]
}

export const commandOf = (step: Step): Command => {
  if (typeof step === 'string') return step
  if ('run' in step) return step.run
  return 'settle' in step ? step.settle : step.watch
}

/** The words of a command. */
export function wordsOf(command: Command): string[] {
  const words = command.match(/(?:'[^']*'|[^\s'])+/g) ?? []
  return words.map((word) => word.replaceAll("'", ''))
}

/** Each step under a name of its own: its command, counted where a chapter has it twice. */
export function named(steps: readonly Step[]): { name: string; step: Step }[] {
  const seen = new Map<string, number>()
  return steps.map((step) => {
    const command = commandOf(step)
    const times = (seen.get(command) ?? 0) + 1
    seen.set(command, times)
    return { name: times === 1 ? command : `${command} (${times})`, step }
  })
}
