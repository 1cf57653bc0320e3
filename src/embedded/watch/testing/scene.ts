import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import { createLog } from '../../../core/log.ts'
import { randomFrom } from '../../../core/random.ts'
import { aKind, served } from '../../admission/testing/scene.ts'
import type { ApiObject } from '../../objects.ts'
import { selectionOf } from '../../select/matcher.ts'
import type { StoreOptions } from '../../storage/open-store.ts'
import type { Entry } from '../../storage/store.ts'
import { openIn } from '../../storage/testing/stores.ts'
import type { WatchRequest } from '../beginning.ts'
import { FanOut } from '../fan-out.ts'
import type { Frame } from '../frame.ts'
import type { Sink } from '../watch.ts'
import { openWatch } from '../watch.ts'

export interface Asked extends Partial<WatchRequest['parameters']> {
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
}

export const configMaps = served(aKind('', 'ConfigMap', 'configmaps'))

/** Takes frames until it is told to pause. */
export class Reader implements Sink {
  readonly frames: Frame[] = []
  isPaused = false
  isOver = false
  /** Pauses by itself after so many more frames. */
  room = Number.POSITIVE_INFINITY

  take(frame: Frame): boolean {
    if (this.isOver) throw new Error('a frame after the end')
    this.frames.push(frame)
    if (--this.room <= 0) this.isPaused = true
    return !this.isPaused
  }

  end(): void {
    if (this.isOver) throw new Error('ended twice')
    this.isOver = true
  }

  /** `ADDED a=1 @3`: type, name, value and revision of each. */
  get told(): string[] {
    return this.frames.map(toldOf)
  }
}

export function toldOf(frame: Frame): string {
  if (frame.type === 'ERROR') return `ERROR ${frame.status.code} ${frame.status.message}`
  if (frame.type === 'BOOKMARK')
    return `BOOKMARK @${frame.revision}${frame.endsInitialEvents ? ' ends initial events' : ''}`
  const object = JSON.parse(frame.entry.text)
  return `${frame.type} ${frame.entry.name}=${object.data.value} @${object.metadata.resourceVersion}`
}

export function watchScene(
  t: TestScope,
  { beforeTold, ...options }: Partial<StoreOptions> & { beforeTold?: () => void } = {},
) {
  const store = openIn(tempDir(t), { sync: async () => {}, ...options })
  teardown(t, () => store.close())
  const clock = new FakeClock()
  if (beforeTold) store.subscribe(beforeTold)
  const fanOut = new FanOut(store)
  const lines: string[] = []
  const log = createLog({ destination: { write: (line) => lines.push(line) } })
  const deps = { store, fanOut, clock, random: randomFrom(() => 0.5), log }
  const storage = 'configmaps'

  return {
    ...deps,
    lines,
    /** Writes it, whatever is there; without a value it is deleted. */
    put(
      name: string,
      value?: string,
      { namespace = 'home', labels }: { namespace?: string; labels?: Record<string, string> } = {},
    ): Promise<Entry> {
      const metadata = { name, namespace, ...(labels && { labels }) }
      const object: ApiObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { value } }
      const follows = store.get(storage, namespace, name)?.revision ?? 0
      return store.write({ storage, namespace, name, follows, object: value === undefined ? undefined : object })
    },
    watch(asked: Asked = {}, reader = new Reader(), of = configMaps) {
      const { namespace = '', labelSelector = '', fieldSelector = '', ...rest } = asked
      const watch = openWatch(
        deps,
        {
          served: of,
          namespace,
          selection: selectionOf(of, { labelSelector, fieldSelector }),
          parameters: {
            resourceVersion: undefined,
            sendInitialEvents: undefined,
            allowBookmarks: false,
            timeoutSeconds: undefined,
            ...rest,
          },
        },
        reader,
      )
      teardown(t, () => watch[Symbol.dispose]())
      const resume = () => {
        reader.isPaused = false
        watch.resume()
      }
      return { watch, reader, resume }
    },
  }
}
