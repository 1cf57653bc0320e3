import { createHash } from 'node:crypto'
import { watch } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { after } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import { wakeUp } from '../../core/wake-up.ts'
import type { HubStanza } from '../../fleet/hub-stanza.ts'
import { stanzaOf, throughProxy } from '../../fleet/hub-stanza.ts'
import { textOf } from '../../fleet/secret-texts.ts'
import type { Connection } from '../../kube/connection.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { isMissing, readTextFile } from '../../kube/kubeconfig/files.ts'
import type { ReadFile } from '../../kube/kubeconfig/index.ts'
import { connectionOf, formatKubeconfig, parseKubeconfig } from '../../kube/kubeconfig/index.ts'
import { failures } from './failures.ts'

/** A bootstrap kubeconfig that could be read: who may ask a hub for a first certificate. */
export interface Bootstrap {
  /** The file or the Secret, for people. */
  readonly source: string
  readonly stanza: HubStanza
  readonly connection: Connection
  /** Changes whenever anything in it does. */
  readonly fingerprint: string
}

export interface Bootstraps {
  readonly usable: readonly Bootstrap[]
  /** Why others are not, each with what to do. */
  readonly troubles: readonly string[]
}

export interface BootstrapSources {
  read(): Promise<Bootstraps>
  /** Called when a source may have changed. */
  on(handler: () => void): Disposable
  /** The Secret changed. */
  look(): void
  readonly run: Run
}

export interface BootstrapSourcesOptions {
  management: Kube
  clock: Clock
  log: Log
  readFile?: ReadFile
  settings: {
    namespace: string
    bootstrapKubeconfigs: readonly string[]
    bootstrapKubeconfigSecret: string
    resyncMs: number
  }
}

/**
 * The bootstrap kubeconfigs in their order. A file is read where there is one; where the first is missing, the Secret
 * that would be mounted there is. They are looked at after each sign of change and, as mounted volumes give none on
 * some file systems, at an interval.
 */
export function bootstrapSources(options: BootstrapSourcesOptions): BootstrapSources {
  const { management, clock, log, settings, readFile = readTextFile } = options
  const handlers = new Set<() => void>()
  const wake = wakeUp(clock)

  async function fromFile(path: string): Promise<Bootstrap | undefined> {
    const file = resolve(path)
    let text: string
    try {
      text = await readFile(file)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
    return bootstrapOf(text, { file }, file)
  }

  async function fromSecret(): Promise<Bootstrap | undefined> {
    const name = settings.bootstrapKubeconfigSecret
    if (name === '') return undefined
    const secret = await management.of(secrets, settings.namespace).find(name)
    const text = textOf(secret?.data ?? {}, 'kubeconfig')
    const source = `Secret ${settings.namespace}/${name}`
    return text === undefined ? undefined : bootstrapOf(text, { name: source }, source)
  }

  async function bootstrapOf(text: string, from: { file: string } | { name: string }, source: string) {
    const config = parseKubeconfig(text, from)
    const stanza = await stanzaOf(config, source, readFile)
    const selfContained = 'name' in from
    const found = await connectionOf(config, { source, clock, readFile, log, env: {}, selfContained })
    const fingerprint = createHash('sha256')
      .update(formatKubeconfig(config).reveal())
      .update(stanza.ca ?? '')
      .digest('hex')
    return { source, stanza, connection: throughProxy(found.connection), fingerprint }
  }

  async function read(): Promise<Bootstraps> {
    const usable: Bootstrap[] = []
    const troubles: string[] = []
    const attempt = async (source: string, load: () => Promise<Bootstrap | undefined>): Promise<boolean> => {
      try {
        const found = await load()
        if (found) usable.push(found)
        return found !== undefined
      } catch (error) {
        troubles.push(error instanceof Error ? error.message : `${source} cannot be read`)
        return true
      }
    }
    let isFound = false
    for (const path of settings.bootstrapKubeconfigs) isFound = (await attempt(path, () => fromFile(path))) || isFound
    if (!isFound) isFound = await attempt(settings.bootstrapKubeconfigSecret, fromSecret)
    if (!isFound) troubles.push(failures.AGENT_BOOTSTRAP_MISSING({ looked: placesOf(settings) }).message)
    return { usable, troubles }
  }

  /** Folders, because a file that is replaced takes its watch with it. */
  function watchFolders(signal: AbortSignal): void {
    for (const folder of new Set(settings.bootstrapKubeconfigs.map((path) => dirname(resolve(path))))) {
      try {
        watch(folder, { signal }, wake.poke).on('error', () => {})
      } catch (err) {
        log.debug({ err, folder }, 'folder of a bootstrap kubeconfig cannot be watched, only looked at')
      }
    }
  }

  return {
    read,
    look: wake.poke,
    on(handler) {
      handlers.add(handler)
      return { [Symbol.dispose]: () => void handlers.delete(handler) }
    },
    async run(signal) {
      watchFolders(signal)
      let seen = await marksOf(await read())
      while (!signal.aborted) {
        try {
          await wake.wait(after(clock.now(), settings.resyncMs), signal)
        } catch (error) {
          if (isAbort(error, signal)) return
          throw error
        }
        wake.reset()
        const now = marksOf(await read())
        if (now === seen) continue
        seen = now
        for (const handler of [...handlers]) handler()
      }
    },
  }
}

const marksOf = ({ usable, troubles }: Bootstraps): string =>
  [...usable.map(({ source, fingerprint }) => `${source} ${fingerprint}`), ...troubles].join('\n')

const placesOf = (settings: BootstrapSourcesOptions['settings']): string =>
  [
    ...settings.bootstrapKubeconfigs,
    ...(settings.bootstrapKubeconfigSecret === ''
      ? []
      : [`Secret ${settings.namespace}/${settings.bootstrapKubeconfigSecret}`]),
  ].join(', ')
