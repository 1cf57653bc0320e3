import type { Value } from '../request.ts'
import type { Family } from './family.ts'
import { listPath, selectorsOf } from './reads.ts'

const accepts = [
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json',
  'application/json;stream=watch',
  'application/yaml',
]

export const watch: Family = (dice, place) => {
  const path = listPath(dice, place)
  const isInitial = dice.chance(0.25)
  const resourceVersion = dice.weigh<Value>([
    [5, { $ref: 'revision', back: dice.below(8) }],
    [isInitial ? 3 : 1, ''],
    [1, '0'],
    [0.1, 'x'],
  ])
  const accept = dice.chance(0.2) ? dice.pick(accepts) : ''
  // What ends by the clock is not mixed with what others write meanwhile.
  const isTimed = dice.chance(0.05)
  return {
    method: 'GET',
    path,
    follow: isTimed ? 0 : dice.below(25),
    headers: accept === '' ? {} : { accept },
    query: {
      watch: dice.chance(0.9) ? 'true' : '1',
      ...(resourceVersion !== '' && { resourceVersion }),
      ...selectorsOf(dice, place, path),
      // The first row of a table has the columns, be it of a bookmark that comes in its own time.
      ...(!accept.includes('Table') && dice.chance(0.3) && { allowWatchBookmarks: 'true' }),
      ...(isInitial && {
        sendInitialEvents: 'true',
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: 'true',
      }),
      ...(dice.chance(0.03) && { resourceVersionMatch: 'Exact' }),
      ...(isTimed && { timeoutSeconds: '1' }),
    },
  }
}
