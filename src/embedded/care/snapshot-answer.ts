import type { User } from '../authentication/user.ts'
import type { Authorizer } from '../authorization/attributes.ts'
import { forbiddenBy } from '../authorization/forbidden.ts'
import type { WatchAnswer } from '../requests/answer.ts'
import type { Entry, Store } from '../storage/store.ts'
import type { Frame } from '../watch/frame.ts'
import { objectsNow } from './snapshot.ts'

/** What `lanyard kube backup` asks a plane that runs for. Keys do not come this way: whoever has the folder has them. */
export const snapshotPath = '/lanyard/snapshot'

/** The right to get the path is not enough: some have it for all paths, to read metrics, and may see no Secret. */
export async function needEverything(authorizer: Authorizer, user: User): Promise<void> {
  const every = { group: '*', version: '*', resource: '*', subresource: '', namespace: '', name: '' }
  const attributes = { user, verb: 'list', ...every }
  const decision = await authorizer.authorize(attributes)
  if (decision.verdict !== 'allow') throw forbiddenBy(attributes, decision)
}

/** Every object in its storage form, a line each, between a line with the revision and one that says it is all. */
export function snapshotAnswer(store: Store): WatchAnswer {
  return {
    contentType: 'application/json',
    writeFrame,
    open(sink) {
      const { revision } = store
      let frames: Iterator<Frame> | undefined = framesOf(revision, objectsNow(store))
      const close = () => {
        if (!frames) return
        frames = undefined
        sink.end()
      }
      const go = () => {
        while (frames) {
          const next = frames.next()
          if (next.done) return close()
          if (!sink.take(next.value)) return
        }
      }
      // Not before whoever opens it has hold of it.
      setImmediate(go)
      return { resume: go, fail: close, [Symbol.dispose]: close }
    },
  }
}

function* framesOf(revision: number, objects: readonly Entry[]): Generator<Frame> {
  yield { type: 'BOOKMARK', revision, endsInitialEvents: false }
  for (const entry of objects) yield { type: 'ADDED', entry, revision: entry.revision }
  yield { type: 'BOOKMARK', revision, endsInitialEvents: true }
}

function writeFrame(frame: Frame): Buffer {
  if (frame.type === 'BOOKMARK')
    return lineOf({ revision: frame.revision, ...(frame.endsInitialEvents && { isAll: true }) })
  return lineOf('entry' in frame ? { entry: frame.entry } : {})
}

const lineOf = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)
