import { readFile } from 'node:fs/promises'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { AuthenticationConfig } from './authentication-config.ts'
import { parseAuthenticationConfig } from './authentication-config.ts'
import { failures } from './failures.ts'

/** Milliseconds between two looks at the file. Looking, not watching: mounted files are swapped behind links. */
const lookEveryMs = 5_000

export interface ConfigFileDeps {
  clock: Clock
  log: Log
  /** Issuers that nobody else may be. */
  reserved: readonly string[]
  /** Told of every change that can be used. */
  onChange(config: AuthenticationConfig): void
}

/** An AuthenticationConfiguration on disk. A change that cannot be used is told once; what was good before stays. */
export class ConfigFile {
  readonly #file: string
  readonly #deps: ConfigFileDeps
  #text = ''
  #trouble: string | undefined

  constructor(file: string, deps: ConfigFileDeps) {
    this.#file = file
    this.#deps = deps
  }

  /** For the start, where what cannot be used is a failure. */
  async load(): Promise<AuthenticationConfig> {
    const text = await this.#read()
    const config = this.#parse(text)
    this.#text = text
    return config
  }

  async reload(): Promise<void> {
    try {
      const text = await this.#read()
      if (text !== this.#text) {
        const config = this.#parse(text)
        this.#text = text
        this.#deps.onChange(config)
        this.#deps.log.info({ file: this.#file }, 'authentication configuration taken over')
      }
      this.#trouble = undefined
    } catch (error) {
      if (!isFailure(error)) throw error
      if (error.message !== this.#trouble)
        this.#deps.log.warn({ err: error }, 'authentication configuration left as it was')
      this.#trouble = error.message
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await sleep(this.#deps.clock, lookEveryMs, signal)
        await this.reload()
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error
    }
  }

  #parse(text: string): AuthenticationConfig {
    return parseAuthenticationConfig(text, this.#file, this.#deps.reserved)
  }

  async #read(): Promise<string> {
    try {
      return await readFile(this.#file, 'utf8')
    } catch (error) {
      throw failures.AUTHENTICATION_CONFIG_UNREADABLE({ file: this.#file, detail: (error as Error).message }, error)
    }
  }
}
