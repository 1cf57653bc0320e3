import type { Dice } from './dice.ts'
import { dice as diceOf } from './dice.ts'
import * as deletions from './families/deletions.ts'
import type { Draft, Family } from './families/family.ts'
import * as patches from './families/patches.ts'
import * as reads from './families/reads.ts'
import { asSomebody, review } from './families/reviews.ts'
import { subresource } from './families/subresources.ts'
import { watch } from './families/watches.ts'
import * as writes from './families/writes.ts'
import type { KindUnderTest } from './kinds/kind.ts'
import type { Request } from './request.ts'
import { placeOf } from './universe.ts'

const families: readonly (readonly [weight: number, family: Family])[] = [
  [20, writes.create],
  [14, writes.update],
  [1, writes.generate],
  [6, patches.merge],
  [6, patches.json],
  [7, patches.apply],
  [0.5, patches.oddType],
  [7, reads.get],
  [8, reads.list],
  [2, reads.firstPage],
  [2, reads.nextPage],
  [3, watch],
  [9, deletions.remove],
  [0.7, deletions.removeAll],
  [3, deletions.release],
  [2, review],
]

const familiesOf = ({ custom, subresources }: KindUnderTest): readonly (readonly [number, Family])[] => [
  ...families,
  ...(custom ? [] : [[6, patches.strategic] as const]),
  ...(subresources ? [[12, subresource] as const] : []),
]

/** The sequence of a seed. A longer one begins with the shorter. */
export function* generate(seed: number, kinds: readonly KindUnderTest[]): Generator<Request> {
  const dice = diceOf(seed)
  const weighed = kinds.map((kind) => [kind.weight ?? 1, kind] as const)
  for (let id = 1; ; id++) yield draw(dice, dice.weigh(weighed), id)
}

function draw(dice: Dice, kind: KindUnderTest, id: number): Request {
  const place = placeOf(dice, kind)
  const family = dice.weigh(familiesOf(kind))
  const draft = family(dice, place)
  const named = dice.chance(0.02) ? { ...draft, headers: { ...draft.headers, ...asSomebody(dice) } } : draft
  return { id, about: place.path, ...(kind.isDry ? dryRunOf(named) : named) }
}

/** Options in a body would be heard in place of those in the query. */
function dryRunOf({ body, ...draft }: Draft): Draft {
  if (draft.method === 'GET') return draft
  const isDeletion = draft.method === 'DELETE'
  return { ...draft, query: { ...draft.query, dryRun: 'All' }, ...(!isDeletion && { body }) }
}
