import type { Dice } from '../dice.ts'
import type { KindUnderTest } from './kind.ts'

const regarding = (dice: Dice) => ({
  kind: dice.pick(['Pod', 'Node', 'ConfigMap']),
  ...(dice.chance(0.8) && { namespace: dice.pick(['red', 'blue']) }),
  name: dice.pick(['a', 'b']),
  ...(dice.chance(0.2) && { uid: 'some-uid', apiVersion: 'v1', fieldPath: 'spec.x' }),
})

const micro = '2026-01-02T03:04:05.000006Z'

export const coreEvents: KindUnderTest = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
  pointers: ['/message', '/reason', '/count', '/involvedObject/name', '/type', '/series'],
  fieldSelectors: [
    'involvedObject.name=a',
    'type=Warning',
    'reason!=Tested',
    'involvedObject.kind=Pod,type=Normal',
    'source=me',
  ],
  body: (dice) => ({
    involvedObject: regarding(dice),
    ...(dice.chance(0.7) && { reason: dice.pick(['Tested', 'Failed']), message: dice.pick(['one', 'two']) }),
    ...(dice.chance(0.7) && { type: dice.pick(['Normal', 'Warning', 'Normal', 'Odd']) }),
    ...(dice.chance(0.4) && {
      count: dice.below(3),
      firstTimestamp: '2026-01-02T03:04:05Z',
      lastTimestamp: '2026-01-02T03:05:05Z',
    }),
    ...(dice.chance(0.3) && { source: { component: dice.pick(['me', 'you']), host: 'here' } }),
    ...(dice.chance(0.15) && {
      eventTime: micro,
      action: 'Test',
      reportingComponent: 'example.com/me',
      reportingInstance: 'me-1',
    }),
    ...(dice.chance(0.1) && { series: { count: dice.below(4), lastObservedTime: micro } }),
    ...(dice.chance(0.1) && { related: { kind: 'Pod', name: 'b' } }),
  }),
}

export const newEvents: KindUnderTest = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
  // Others than those of the core group: what is written through both is no longer managed alike.
  names: ['n', 'm', 'o'],
  pointers: ['/note', '/reason', '/action', '/regarding/name', '/type', '/series'],
  fieldSelectors: ['regarding.name=a', 'type=Warning', 'reason=Tested', 'reportingController=example.com/me'],
  body: (dice) => ({
    regarding: regarding(dice),
    ...(dice.chance(0.95) && { eventTime: micro }),
    ...(dice.chance(0.95) && { reason: dice.pick(['Tested', 'Failed']) }),
    ...(dice.chance(0.95) && { action: 'Test' }),
    ...(dice.chance(0.95) && { type: dice.pick(['Normal', 'Warning', 'Normal', 'Warning', 'Odd']) }),
    ...(dice.chance(0.95) && { reportingController: dice.pick(['example.com/me', 'example.com/me', 'not a name']) }),
    ...(dice.chance(0.95) && { reportingInstance: 'me-1' }),
    ...(dice.chance(0.5) && { note: dice.pick(['one', 'two']) }),
    ...(dice.chance(0.1) && { series: { count: dice.below(4), lastObservedTime: micro } }),
    ...(dice.chance(0.05) && { deprecatedCount: 3 }),
    ...(dice.chance(0.1) && { related: { kind: 'Pod', name: 'b' } }),
  }),
}
