import type { Clock } from '../../core/clock.ts'
import type { Failure } from '../../core/failure.ts'
import { isFailure } from '../../core/failure.ts'
import type { KubeconfigExec } from './exec-config.ts'
import type { ExecCredential } from './exec-output.ts'
import { parseExecCredential } from './exec-output.ts'
import type { Env, Run, Terminal } from './exec-run.ts'
import { runProgram } from './exec-run.ts'
import { failures } from './failures.ts'
import { printable, redact } from './redact.ts'
import { SharedRun } from './shared-run.ts'

export interface ExecDeps {
  clock: Clock
  /** The environment that the plugin's own variables are added to. */
  env: Env
  /** Given when standard input is a terminal whose user may be asked. */
  terminal?: Terminal
  /** Of one run that cannot ask anybody. Default 60,000; with a terminal, 300,000. */
  execDeadlineMs?: number
}

export interface ExecOptions {
  plugin: KubeconfigExec
  /** How failures name the plugin's place in the kubeconfig. */
  at: { source: string; field: string }
  /** `spec.cluster` of KUBERNETES_EXEC_INFO, asked for at each run of a plugin that wants it. */
  clusterInfo(): Promise<unknown>
}

export interface CredentialOptions {
  refresh?: boolean | undefined
  /** Ends the wait. */
  signal?: AbortSignal | undefined
}

/** A credential is renewed this long before it ends, or a tenth of its life where that is less. */
const marginMs = 30_000
/** A credential this young is not replaced, whoever asks, until it ends: the server would refuse the next one as well. */
const refreshEveryMs = 10_000
/** A plugin that failed is left alone this long: a client with a thousand requests must not start a thousand programs. */
const retryAfterMs = 5_000

interface Held {
  credential: ExecCredential
  ranAt: number
  renewAt: number
  endsAt: number
}

/**
 * Runs a plugin when a credential is needed, once for all who wait, and keeps what it printed until that ends. When
 * nobody waits any more, the program is ended.
 */
export class ExecPlugin {
  readonly #options: ExecOptions
  readonly #deps: ExecDeps
  #held: Held | undefined
  #failed: { failure: Failure; at: number } | undefined
  #underWay: SharedRun<ExecCredential> | undefined

  constructor(options: ExecOptions, deps: ExecDeps) {
    this.#options = options
    this.#deps = deps
  }

  async credential({ refresh = false, signal }: CredentialOptions = {}): Promise<ExecCredential> {
    signal?.throwIfAborted()
    const now = this.#now()
    const held = this.#held
    if (held && (isYoung(held, now) || (!refresh && now < held.renewAt))) return held.credential
    try {
      if (this.#failed && isWithin(this.#failed.at, now, retryAfterMs)) throw this.#failed.failure
      if (!this.#underWay || this.#underWay.isOver) this.#underWay = new SharedRun((stop) => this.#renew(stop))
      return await this.#underWay.wait(signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (held && !refresh && now < held.endsAt) return held.credential
      throw error
    }
  }

  async #renew(stop: AbortSignal): Promise<ExecCredential> {
    const ranAt = this.#now()
    try {
      const credential = await this.#run(stop)
      const endsAt = credential.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
      const renewAt = endsAt - Math.min(marginMs, Math.max(0, endsAt - ranAt) / 10)
      this.#held = { credential, ranAt, renewAt, endsAt }
      this.#failed = undefined
      return credential
    } catch (error) {
      if (isFailure(error)) this.#failed = { failure: error, at: this.#now() }
      throw error
    }
  }

  async #run(stop: AbortSignal): Promise<ExecCredential> {
    const { plugin } = this.#options
    const { clock, env, terminal: given } = this.#deps
    const mode = plugin.interactiveMode ?? 'IfAvailable'
    if (mode === 'Always' && !given) throw failures.KUBECONFIG_EXEC_NEEDS_TERMINAL(this.#named())
    const terminal = mode === 'Never' ? undefined : given
    const deadlineMs = this.#deps.execDeadlineMs ?? (terminal ? 300_000 : 60_000)
    const own = plugin.env?.map(({ name, value }) => [name, value.reveal()]) ?? []
    const info = await this.#info(terminal !== undefined)
    const run = await runProgram(
      {
        command: plugin.command,
        args: plugin.args?.map((arg) => arg.reveal()) ?? [],
        env: { ...env, ...Object.fromEntries(own), KUBERNETES_EXEC_INFO: info },
        deadlineMs,
        ...(terminal && { terminal }),
      },
      clock,
      stop,
    )
    if (run.end === 'aborted') throw stop.reason
    return this.#outcome(run, deadlineMs)
  }

  #outcome(run: Exclude<Run, { end: 'aborted' }>, deadlineMs: number): ExecCredential {
    const { plugin } = this.#options
    const named = this.#named()
    const bad = (problem: string) => failures.KUBECONFIG_EXEC_BAD_OUTPUT({ ...named, problem })
    switch (run.end) {
      case 'not started': {
        if (run.code !== 'ENOENT') throw failures.KUBECONFIG_EXEC_NOT_STARTED({ ...named, problem: run.code })
        const hint = printable(plugin.installHint ?? '').trim() || 'install it, or correct the command'
        throw failures.KUBECONFIG_EXEC_NOT_FOUND({ ...named, hint })
      }
      case 'deadline':
        throw failures.KUBECONFIG_EXEC_DEADLINE({ ...named, deadlineMs, said: this.#said(run) })
      case 'too much output':
        throw bad('it is longer than a mebibyte')
      case 'exited':
        if (!run.succeeded) throw failures.KUBECONFIG_EXEC_FAILED({ ...named, exit: run.exit, said: this.#said(run) })
        return parseExecCredential(run.stdout, plugin.apiVersion, bad)
    }
  }

  async #info(interactive: boolean): Promise<string> {
    const { plugin, clusterInfo } = this.#options
    const cluster = plugin.provideClusterInfo ? { cluster: await clusterInfo() } : {}
    return JSON.stringify({ kind: 'ExecCredential', apiVersion: plugin.apiVersion, spec: { ...cluster, interactive } })
  }

  #said(run: Run): string {
    const { plugin } = this.#options
    const { env } = this.#deps
    const held = this.#held?.credential
    const secrets = [
      ...secretVariables(Object.entries(env)),
      ...secretVariables(plugin.env?.map(({ name, value }) => [name, value.reveal()]) ?? []),
      ...secretArguments(plugin.args?.map((arg) => arg.reveal()) ?? []),
      ...(held?.token ? [held.token.reveal()] : []),
      ...(held?.certificate?.keyPem.reveal().split('\n') ?? []),
      ...printedWords(run.stdout),
    ]
    return redact(run.stderr, secrets) || 'nothing'
  }

  #named() {
    return { ...this.#options.at, command: this.#options.plugin.command }
  }

  #now(): number {
    return this.#deps.clock.now().getTime()
  }
}

/** A plugin that prints what is over already has nothing better the next moment. */
const isYoung = ({ ranAt, endsAt }: Held, now: number): boolean =>
  isWithin(ranAt, now, refreshEveryMs) && (now < endsAt || endsAt <= ranAt)

/** False when the clock was set back: waiting for it to catch up could take days. */
const isWithin = (start: number, now: number, ms: number): boolean => now >= start && now - start < ms

const secretName = /token|secret|pass|key|cred|auth/i

const secretVariables = (variables: (readonly [string, string | undefined])[]): string[] =>
  variables.flatMap(([name, value]) => (value && secretName.test(name) ? [value] : []))

/** `--client-secret=X` and `--client-secret X`. */
const secretArguments = (args: string[]): string[] =>
  args.flatMap((arg, i) => {
    const [name = '', value] = arg.split(/=(.*)/s)
    if (value !== undefined) return secretName.test(name) ? [value] : []
    const before = args[i - 1] ?? ''
    return secretName.test(before) && !before.includes('=') ? [arg] : []
  })

const wordsOfTheFormat = /^(ExecCredential|client\.authentication\.k8s\.io\/\w+|expirationTimestamp|client\w+Data)$/

/** Whatever stands on stdout may be the credential, also when it cannot be read as one. */
const printedWords = (stdout: string): string[] =>
  stdout.split(/\\n|[\s"',:{}[\]]+/).filter((word) => !wordsOfTheFormat.test(word))
