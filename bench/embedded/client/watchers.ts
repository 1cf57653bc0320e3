import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { configMaps } from '../../../src/kube/kinds.ts'
import type { WatchOptions } from '../../../src/kube/kube.ts'
import type { Stored } from '../../../src/kube/objects.ts'
import { connectTo } from '../../shared/connect.ts'

/** Longer than anything here takes. */
const timeoutSeconds = 3_600

/** Watches that are being opened at once. */
const wave = 100

const seenWithinMs = 60_000

/** Many watches of one process, and how many events they have seen. */
export class Watchers {
  readonly kube: KubeClient
  readonly #opened: { count: number }
  #events = 0
  #waiting: { count: number; resolve(): void } | undefined

  private constructor(kube: KubeClient, opened: { count: number }) {
    this.kube = kube
    this.#opened = opened
  }

  static async connect(kubeconfig: string): Promise<Watchers> {
    const opened = { count: 0 }
    const kube = await connectTo(kubeconfig, {
      onRequest({ watch, code }) {
        if (watch && code === 200) opened.count++
      },
    })
    return new Watchers(kube, opened)
  }

  get events(): number {
    return this.#events
  }

  /** Resolves when all are open. They see what happens from now on. */
  async open(
    namespace: string,
    count: number,
    optionsOf: (number: number) => WatchOptions = () => ({}),
    onEvent: (object: Stored<ConfigMap>) => void = () => {},
  ): Promise<void> {
    const { metadata } = await this.kube.of(configMaps, namespace).list({ pageSize: 1, labelSelector: 'no=such' })
    const before = this.#opened.count
    for (let first = 0; first < count; first += wave) {
      const next = Math.min(count, first + wave)
      for (let number = first; number < next; number++) {
        const options = { resourceVersion: metadata.resourceVersion, timeoutSeconds, ...optionsOf(number) }
        this.#follow(namespace, options, onEvent)
      }
      await this.#untilOpen(before + next)
    }
  }

  /** Resolves when so many events have been seen, in all. */
  seen(count: number): Promise<void> {
    if (this.#events >= count) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${this.#events} events in place of ${count}`)), seenWithinMs)
      this.#waiting = {
        count,
        resolve() {
          clearTimeout(late)
          resolve()
        },
      }
    })
  }

  async #follow(namespace: string, options: WatchOptions, onEvent: (object: Stored<ConfigMap>) => void) {
    for await (const event of this.kube.of(configMaps, namespace).watch(options)) {
      if (event.type === 'BOOKMARK') continue
      this.#events++
      onEvent(event.object)
      if (this.#waiting?.count === this.#events) this.#waiting.resolve()
    }
    throw new Error('a watch has ended')
  }

  async #untilOpen(count: number): Promise<void> {
    const start = performance.now()
    while (this.#opened.count < count) {
      if (performance.now() - start > seenWithinMs) throw new Error(`only ${this.#opened.count} watches were opened`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}
