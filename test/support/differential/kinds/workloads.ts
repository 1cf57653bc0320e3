import type { Dice } from '../dice.ts'
import type { KindUnderTest } from './kind.ts'

const images = ['example.com/app:1', 'example.com/app:latest', 'app', '']
const names = ['main', 'side', 'Bad_Name']

const container = (dice: Dice, name: string): Record<string, unknown> => ({
  name,
  image: dice.pick(dice.chance(0.97) ? images.slice(0, 3) : images),
  ...(dice.chance(0.2) && { command: ['run'], args: dice.some(['-v', '$(A)']) }),
  ...(dice.chance(0.3) && {
    env: dice.some([
      { name: 'A', value: 'a' },
      { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'A', value: 'b' },
    ]),
  }),
  ...(dice.chance(0.3) && {
    ports: dice.some([
      { containerPort: 80 },
      { containerPort: 90, name: 'https', protocol: 'TCP' },
      ...(dice.chance(0.05) ? [{ containerPort: 0 }, { containerPort: 53, protocol: 'ODD' }] : []),
    ]),
  }),
  ...(dice.chance(0.2) && {
    resources: {
      limits: { cpu: dice.pick(['1', '500m']), memory: '1Gi' },
      ...(dice.chance(0.5) && { requests: { cpu: '250m' } }),
    },
  }),
  ...(dice.chance(0.15) && { readinessProbe: { httpGet: { port: 80, path: '/ready' } } }),
  ...(dice.chance(0.1) && { livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5 } }),
  ...(dice.chance(0.15) && { imagePullPolicy: dice.pick(['Always', 'IfNotPresent', 'Never', 'Always', 'Odd']) }),
})

const podSpec = (dice: Dice): Record<string, unknown> => ({
  ...(dice.chance(0.5) && { automountServiceAccountToken: false }),
  containers: dice.chance(0.97)
    ? [
        container(dice, 'main'),
        ...(dice.chance(0.3) ? [container(dice, dice.pick(['side', 'side', 'main', 'Bad_Name']))] : []),
      ]
    : [],
  ...(dice.chance(0.1) && { initContainers: [container(dice, dice.pick(names))] }),
  ...(dice.chance(0.2) && { nodeSelector: { disk: 'ssd' } }),
  ...(dice.chance(0.15) && {
    tolerations: dice.some([
      { key: 'a', operator: 'Exists' },
      { key: 'b', value: 'x', effect: 'NoSchedule' },
    ]),
  }),
  ...(dice.chance(0.15) && { restartPolicy: dice.pick(['Always', 'Never', 'OnFailure', 'Odd']) }),
  ...(dice.chance(0.1) && { terminationGracePeriodSeconds: dice.pick([0, 5, 60]) }),
  ...(dice.chance(0.1) && { hostNetwork: true }),
  ...(dice.chance(0.1) && { dnsPolicy: dice.pick(['Default', 'ClusterFirst', 'Odd']) }),
  ...(dice.chance(0.1) && { serviceAccountName: dice.pick(['default', 'a', 'missing']) }),
  ...(dice.chance(0.1) && { imagePullSecrets: [{ name: 'a' }] }),
  ...(dice.chance(0.15) && {
    volumes: dice.some([
      { name: 'e', emptyDir: {} },
      { name: 'c', configMap: { name: 'a' } },
      { name: 's', secret: { secretName: 'a' } },
    ]),
  }),
})

const podStatus = (dice: Dice) => ({
  phase: dice.pick(['Pending', 'Running', 'Succeeded', 'Failed']),
  ...(dice.chance(0.5) && {
    conditions: [
      { type: 'Ready', status: dice.pick(['True', 'False']) },
      ...dice.some([{ type: 'PodScheduled', status: 'True' }]),
    ],
  }),
  ...(dice.chance(0.3) && { podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }] }),
  ...(dice.chance(0.3) && { message: 'm', reason: 'R' }),
  ...(dice.chance(0.2) && {
    containerStatuses: [
      {
        name: 'main',
        ready: dice.chance(0.5),
        restartCount: dice.below(3),
        image: 'x',
        imageID: 'y',
        state: { running: {} },
      },
    ],
  }),
})

export const pods: KindUnderTest = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
  weight: 1.5,
  subresources: ['status'],
  pointers: [
    '/spec',
    '/spec/containers/0/image',
    '/spec/tolerations',
    '/spec/nodeSelector',
    '/spec/activeDeadlineSeconds',
  ],
  fieldSelectors: [
    'status.phase=Running',
    'status.phase!=Running',
    'spec.nodeName=',
    'spec.restartPolicy=Always',
    'spec.serviceAccountName=default',
  ],
  body: (dice) => ({ spec: podSpec(dice) }),
  fragment: (dice) => ({
    spec: dice.pick<object>([
      { containers: [{ name: 'main', image: dice.pick(images) }] },
      { activeDeadlineSeconds: dice.pick([10, 0, 5]) },
      { tolerations: [{ key: 'z', operator: 'Exists' }] },
      { nodeName: 'a' },
    ]),
  }),
  status: podStatus,
}

const labels = { app: 'a' }

const template = (dice: Dice) => ({
  metadata: {
    labels: dice.chance(0.97) ? labels : { app: 'other' },
    ...(dice.chance(0.1) && { annotations: { note: 'x' } }),
  },
  spec: podSpec(dice),
})

const selector = (dice: Dice) =>
  dice.chance(0.97)
    ? { selector: { matchLabels: labels } }
    : dice.pick<object>([{}, { selector: {} }, { selector: { matchExpressions: [{ key: 'app', operator: 'Odd' }] } }])

const replicas = (dice: Dice) => (dice.chance(0.6) ? { replicas: dice.pick([0, 1, 3, -1]) } : {})

const strategy = (dice: Dice, recreate: string, type: string) =>
  dice.pick<object>([
    { type: recreate },
    { type: 'RollingUpdate' },
    {
      type: 'RollingUpdate',
      rollingUpdate: {
        maxUnavailable: dice.pick<unknown>([0, 1, '25%', '101%', 'x', -1]),
        maxSurge: dice.pick<unknown>([0, 1, '10%']),
      },
    },
    { type },
    {},
  ])

const workloadPointers = [
  '/spec/replicas',
  '/spec/template/spec/containers/0/image',
  '/spec/template/metadata/labels',
  '/spec/selector',
  '/spec/paused',
]

const workloadFragment = (dice: Dice) => ({
  spec: dice.pick<object>([
    { replicas: dice.pick([0, 1, 2]) },
    { template: { spec: { containers: [{ name: 'main', image: dice.pick(images) }] } } },
    { template: { metadata: { annotations: { note: dice.pick(['x', 'y']) } } } },
    { minReadySeconds: dice.pick([0, 5, -1]) },
    { template: { spec: { containers: [{ name: 'main', env: [{ name: 'A', value: 'z' }] }] } } },
    { template: { spec: { containers: [{ name: 'main', $patch: 'delete' }] } } },
    {
      template: {
        spec: {
          containers: [{ name: 'main', ports: [{ containerPort: 80, $patch: 'delete' }, { containerPort: 81 }] }],
        },
      },
    },
  ]),
})

const workloadStatus = (dice: Dice) => ({
  observedGeneration: dice.below(3),
  replicas: dice.pick([0, 1, 2]),
  ...(dice.chance(0.4) && { readyReplicas: dice.pick([0, 1, 3, -1]) }),
  ...(dice.chance(0.4) && { availableReplicas: dice.pick([0, 1]) }),
  ...(dice.chance(0.3) && { conditions: [{ type: 'Available', status: dice.pick(['True', 'False']) }] }),
})

const apps = { group: 'apps', version: 'v1', namespaced: true, fragment: workloadFragment, pointers: workloadPointers }

export const deployments: KindUnderTest = {
  ...apps,
  plural: 'deployments',
  kind: 'Deployment',
  subresources: ['status', 'scale'],
  body: (dice) => ({
    spec: {
      ...replicas(dice),
      ...selector(dice),
      template: template(dice),
      ...(dice.chance(0.3) && { strategy: strategy(dice, 'Recreate', 'Odd') }),
      ...(dice.chance(0.2) && { minReadySeconds: dice.pick([0, 5]), progressDeadlineSeconds: dice.pick([600, 5, 1]) }),
      ...(dice.chance(0.2) && { revisionHistoryLimit: dice.pick([0, 3, -1]) }),
      ...(dice.chance(0.1) && { paused: true }),
    },
  }),
  status: workloadStatus,
}

export const replicaSets: KindUnderTest = {
  ...apps,
  plural: 'replicasets',
  kind: 'ReplicaSet',
  subresources: ['status', 'scale'],
  fieldSelectors: ['status.replicas=0', 'status.replicas=1'],
  body: (dice) => ({
    spec: { ...replicas(dice), ...selector(dice), ...(dice.chance(0.98) && { template: template(dice) }) },
  }),
  status: workloadStatus,
}

export const daemonSets: KindUnderTest = {
  ...apps,
  plural: 'daemonsets',
  kind: 'DaemonSet',
  subresources: ['status'],
  body: (dice) => ({
    spec: {
      ...selector(dice),
      template: template(dice),
      ...(dice.chance(0.3) && { updateStrategy: strategy(dice, 'OnDelete', 'Odd') }),
      ...(dice.chance(0.2) && { revisionHistoryLimit: dice.pick([0, 3, -1]) }),
    },
  }),
  status: (dice) => ({
    currentNumberScheduled: dice.below(2),
    numberMisscheduled: 0,
    desiredNumberScheduled: dice.below(3),
    numberReady: dice.pick([0, 1, -1]),
    ...(dice.chance(0.3) && { numberAvailable: 1 }),
  }),
}
