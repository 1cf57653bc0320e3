import type { Dice } from '../dice.ts'
import type { KindUnderTest } from './kind.ts'

const port = (dice: Dice): Record<string, unknown> => ({
  port: dice.pick([80, 443, 80, 443, 0]),
  ...(dice.chance(0.6) && { name: dice.pick(['http', 'https']) }),
  ...(dice.chance(0.3) && { targetPort: dice.pick<unknown>([8080, 'web', 0]) }),
  ...(dice.chance(0.2) && { protocol: dice.pick(['TCP', 'UDP', 'SCTP', 'ODD']) }),
})

const ports = (dice: Dice) => Array.from({ length: dice.chance(0.7) ? 1 : 2 }, () => port(dice))

/** Headless, or a name elsewhere: others are given an address. */
export const services: KindUnderTest = {
  group: '',
  version: 'v1',
  plural: 'services',
  kind: 'Service',
  namespaced: true,
  names: ['a', 'b', 'c', 'd'],
  subresources: ['status'],
  pointers: ['/spec/ports', '/spec/ports/0/port', '/spec/selector', '/spec/sessionAffinity'],
  fieldSelectors: ['spec.clusterIP=None', 'spec.type=ExternalName', 'spec.type!=ExternalName'],
  body: (dice) => ({
    spec: dice.chance(0.8)
      ? {
          clusterIP: 'None',
          selector: { app: dice.pick(['a', 'b']) },
          ...(dice.chance(0.9) && { ports: ports(dice) }),
          ...(dice.chance(0.1) && { sessionAffinity: dice.pick(['ClientIP', 'None', 'Odd']) }),
          ...(dice.chance(0.1) && { publishNotReadyAddresses: true }),
        }
      : {
          type: 'ExternalName',
          ...(dice.chance(0.95) && { externalName: dice.pick(['example.com', 'example.org', 'Bad_Name']) }),
          ...(dice.chance(0.3) && { ports: ports(dice) }),
        },
  }),
  fragment: (dice) => ({
    spec: dice.pick<object>([
      { clusterIP: 'None', ports: ports(dice) },
      { clusterIP: 'None', selector: { app: dice.pick(['a', 'b']) } },
      { clusterIP: 'None', publishNotReadyAddresses: dice.chance(0.5) },
    ]),
  }),
  status: (dice) => ({
    loadBalancer: dice.chance(0.5) ? {} : { ingress: [{ ip: '10.0.0.9' }] },
    ...(dice.chance(0.3) && {
      conditions: [
        { type: 'X', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2026-01-02T03:04:05Z' },
      ],
    }),
  }),
}

export const endpoints: KindUnderTest = {
  group: '',
  version: 'v1',
  plural: 'endpoints',
  kind: 'Endpoints',
  namespaced: true,
  // Not those of services: the real server deletes both together.
  names: ['e', 'f', 'g'],
  weight: 0.7,
  pointers: ['/subsets', '/subsets/0/ports', '/subsets/0/addresses/0/ip'],
  body: (dice) => ({
    subsets: Array.from({ length: dice.below(3) }, () => ({
      ...(dice.chance(0.8) && {
        addresses: dice.some(
          [{ ip: '10.1.2.3' }, { ip: '10.1.2.2', hostname: 'h' }, { ip: '127.0.0.1' }, { ip: 'nope' }],
          0.3,
        ),
      }),
      ...(dice.chance(0.3) && { notReadyAddresses: [{ ip: '10.1.2.4' }] }),
      ...(dice.chance(0.9) && {
        ports: [{ port: dice.pick([80, 443, 0]), ...(dice.chance(0.5) && { name: 'http' }) }],
      }),
    })),
  }),
}

/** Never asked: nothing is in its group, and no namespace has its label. */
const webhook = (dice: Dice, isMutating: boolean): Record<string, unknown> => ({
  name: dice.pick(['one.example.com', 'two.example.com', 'short', 'one.example.com']),
  ...(dice.chance(0.97) && { sideEffects: dice.pick(['None', 'NoneOnDryRun', 'None', 'Some']) }),
  ...(dice.chance(0.97) && { admissionReviewVersions: dice.pick([['v1'], ['v1', 'v1beta1'], ['v9'], []]) }),
  clientConfig: dice.pick<object>([
    { url: 'https://127.0.0.1:1/never' },
    { url: 'https://127.0.0.1:1/never' },
    { service: { namespace: 'red', name: 'a', path: '/x' } },
    { url: 'http://127.0.0.1/plain' },
    {},
  ]),
  rules: [
    {
      operations: dice.pick([['CREATE'], ['*'], ['CREATE', 'UPDATE'], ['ODD'], []]),
      apiGroups: ['nothing.example.com'],
      apiVersions: ['v1'],
      resources: dice.pick([['nothings'], ['nothings/status', 'nothings'], ['*', 'nothings']]),
      ...(dice.chance(0.3) && { scope: dice.pick(['Namespaced', 'Cluster', '*', 'Odd']) }),
    },
  ],
  namespaceSelector: { matchLabels: { never: 'matched' } },
  ...(dice.chance(0.3) && { failurePolicy: dice.pick(['Fail', 'Ignore', 'Odd']) }),
  ...(dice.chance(0.3) && { timeoutSeconds: dice.pick([1, 10, 30, 0, 31]) }),
  ...(dice.chance(0.3) && { matchPolicy: dice.pick(['Exact', 'Equivalent', 'Odd']) }),
  ...(dice.chance(0.2) && {
    matchConditions: [{ name: 'a', expression: dice.pick(['true', 'request.name == "a"', 'nosuch', '']) }],
  }),
  ...(isMutating && dice.chance(0.3) && { reinvocationPolicy: dice.pick(['Never', 'IfNeeded', 'Odd']) }),
})

const configurations = (plural: string, kind: string, isMutating: boolean): KindUnderTest => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: false,
  weight: 0.7,
  pointers: ['/webhooks', '/webhooks/0', '/webhooks/0/timeoutSeconds', '/webhooks/0/rules/0/operations'],
  body: (dice) => ({ webhooks: Array.from({ length: 1 + dice.below(2) }, () => webhook(dice, isMutating)) }),
})

export const validatingConfigurations = configurations(
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
  false,
)
export const mutatingConfigurations = configurations(
  'mutatingwebhookconfigurations',
  'MutatingWebhookConfiguration',
  true,
)
