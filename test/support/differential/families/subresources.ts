import type { Dice } from '../dice.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import type { Place } from '../universe.ts'
import type { Draft, Family } from './family.ts'
import { acceptOf, versionOf, writeQuery } from './family.ts'

/** Of a kind that has some. */
export const subresource: Family = (dice, place) => {
  const name = dice.pick(place.kind.subresources ?? ['status'])
  const path = `${place.path}/${name}`
  if (name === 'token') return token(dice, path)
  if (dice.chance(0.12)) return { method: 'GET', path, headers: acceptOf(dice, 0.3) }
  return name === 'scale' ? scale(dice, place, path) : part(dice, place, path, name)
}

function part(dice: Dice, place: Place, path: string, name: string): Draft {
  const content = contentOf(dice, place, name)
  const query = writeQuery(dice)
  if (dice.chance(0.5)) {
    const body = { $ref: 'object' as const, of: place.path, back: dice.chance(0.9) ? 0 : 1, merge: content }
    return { method: 'PUT', path, query, body }
  }
  if (dice.chance(0.3)) {
    const body = {
      apiVersion: apiVersionOf(place.kind),
      kind: place.kind.kind,
      metadata: { name: place.name },
      ...content,
    }
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    const force = dice.chance(0.4) ? { force: 'true' } : {}
    return { method: 'PATCH', path, query: { fieldManager: 'one', ...query, ...force }, headers, body }
  }
  const type = place.kind.custom || dice.chance(0.5) ? 'merge' : 'strategic-merge'
  return { method: 'PATCH', path, query, headers: { 'content-type': `application/${type}-patch+json` }, body: content }
}

/** Some of it belongs elsewhere, and must be left alone. */
function contentOf(dice: Dice, { kind }: Place, name: string): Record<string, unknown> {
  const alien = dice.chance(0.2)
    ? { metadata: { labels: { app: 'b' }, annotations: { note: 'two' } }, ...kind.body(dice) }
    : {}
  if (name === 'finalize') return { ...alien, spec: { finalizers: dice.some(['kubernetes', 'example.com/f'], 0.25) } }
  return { ...alien, status: kind.status?.(dice) ?? {} }
}

function scale(dice: Dice, place: Place, path: string): Draft {
  const spec = { replicas: dice.pick<unknown>([0, 1, 2, 5, -1]) }
  if (dice.chance(0.5))
    return {
      method: 'PATCH',
      path,
      query: writeQuery(dice),
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec },
    }
  const metadata = {
    name: place.name,
    namespace: place.namespace,
    ...(dice.chance(0.4) && { resourceVersion: versionOf(place, dice.chance(0.8) ? 0 : 1) }),
  }
  const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec }
  return { method: 'PUT', path, query: writeQuery(dice), body }
}

const token = (dice: Dice, path: string): Draft => ({
  method: 'POST',
  path,
  query: dice.chance(0.1) ? { dryRun: 'All' } : {},
  body: {
    ...(dice.chance(0.8) && { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' }),
    spec: {
      ...(dice.chance(0.5) && { audiences: dice.pick([['a'], ['a', 'b'], ['https://kubernetes.default.svc']]) }),
      ...(dice.chance(0.5) && { expirationSeconds: dice.pick([600, 3600, 599, 2 ** 33]) }),
      ...(dice.chance(0.2) && {
        boundObjectRef: dice.pick<object>([
          { kind: 'Secret', apiVersion: 'v1', name: 'a' },
          { kind: 'Pod', apiVersion: 'v1', name: 'a' },
          { kind: 'Odd', apiVersion: 'v1', name: 'a' },
          { kind: 'Secret', apiVersion: 'v1', name: 'nowhere' },
        ]),
      }),
    },
  },
})
