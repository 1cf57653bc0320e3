import assert from 'node:assert/strict'
import { test } from 'node:test'
import { created, submitted, updated, whyNotCreated, whyNotUpdated } from '../../../test/support/kind-rules.ts'
import { pods } from './pod.ts'
import { qosClassOf } from './pod-defaults.ts'

const container = { name: 'main', image: 'example.com/app:1' }
const spec = (change: object = {}) => ({ spec: { containers: [container], ...change } })

test('an image is pulled always when it may be another tomorrow', () => {
  const policyOf = (image: string) => {
    const pod = created(pods, spec({ containers: [{ name: 'a', image }] }))
    return (pod['spec'] as { containers: { imagePullPolicy: string }[] }).containers[0]?.imagePullPolicy
  }
  for (const image of ['a', 'a:latest', 'host:5000/a', 'host:5000/a:latest'])
    assert.equal(policyOf(image), 'Always', image)
  for (const image of ['a:1', 'host:5000/a:1', `a@sha256:${'0'.repeat(64)}`])
    assert.equal(policyOf(image), 'IfNotPresent', image)
})

test('an account is named twice, as it always was', () => {
  const { serviceAccountName, serviceAccount } = created(pods, spec({ serviceAccount: 'robot' }))['spec'] as Record<
    string,
    string
  >
  assert.deepEqual([serviceAccountName, serviceAccount], ['robot', 'robot'])
})

test('ports of a pod on the network of its host are those of the host', () => {
  const containers = [{ ...container, ports: [{ containerPort: 80 }] }]
  const pod = created(pods, spec({ hostNetwork: true, containers }))
  const [first] = (pod['spec'] as { containers: { ports: object[] }[] }).containers
  assert.deepEqual(first?.ports, [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }])
})

test('a class is what was asked for of what is granted', () => {
  const classOf = (resources: object) => qosClassOf({ containers: [{ ...container, resources }] })
  const both = { cpu: '1', memory: '1Gi' }
  assert.equal(classOf({}), 'BestEffort')
  assert.equal(classOf({ requests: { cpu: '0' } }), 'BestEffort')
  assert.equal(classOf({ requests: { cpu: '1' } }), 'Burstable')
  assert.equal(classOf({ limits: both, requests: both }), 'Guaranteed')
  assert.equal(classOf({ limits: both, requests: { ...both, cpu: '500m' } }), 'Burstable')
})

test('a gated pod says what it waits for', () => {
  const { status } = created(pods, spec({ schedulingGates: [{ name: 'x.io/y' }] })) as {
    status?: { conditions: { reason: string }[] }
  }
  assert.equal(status?.conditions[0]?.reason, 'SchedulingGated')
  assert.deepEqual(whyNotCreated(pods, spec({ schedulingGates: [{ name: 'x.io/y' }], nodeName: 'n' })), [
    'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
  ])
})

test('the first volume of a name is the one that is mounted', () => {
  const volumes = [
    { name: 'v', emptyDir: {} },
    { name: 'v', emptyDir: {} },
  ]
  const containers = [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/v' }] }]
  assert.deepEqual(whyNotCreated(pods, spec({ volumes, containers })), ['spec.volumes[1].name: Duplicate value: "v"'])
})

test('a volume is the first of its sources, in an order of the sources', () => {
  const why = (sources: object) => whyNotCreated(pods, spec({ volumes: [{ name: 'v', ...sources }] }))
  const tooMany = (source: string) => [`spec.volumes[0].${source}: Forbidden: may not specify more than 1 volume type`]
  assert.deepEqual(why({ configMap: { name: 'c' }, secret: { secretName: 's' } }), tooMany('configMap'))
  assert.deepEqual(why({ downwardAPI: {}, emptyDir: {} }), tooMany('downwarAPI'))
})

test('images and deadlines change, the rest stays', () => {
  const old = created(pods, spec({ activeDeadlineSeconds: 10 }))
  const change = (fields: object) => whyNotUpdated(pods, old, { spec: { ...(old['spec'] as object), ...fields } })
  const [first] = (old['spec'] as { containers: object[] }).containers
  assert.deepEqual(change({ containers: [{ ...first, image: 'other' }], activeDeadlineSeconds: 5 }), [])
  assert.deepEqual(change({ activeDeadlineSeconds: 11 }), [
    'spec.activeDeadlineSeconds: Invalid value: 11: must be less than or equal to previous value',
  ])
  assert.match(change({ nodeName: 'other' }).join(), /^spec: Forbidden: pod updates may not change fields other than/)
})

test('tolerations are added, not taken away', () => {
  const toleration = { key: 'a', operator: 'Exists', tolerationSeconds: 5 }
  const old = created(pods, spec({ tolerations: [toleration] }))
  const change = (tolerations: object[]) =>
    whyNotUpdated(pods, old, { spec: { ...(old['spec'] as object), tolerations } })
  assert.deepEqual(
    change([
      { ...toleration, tolerationSeconds: 9 },
      { key: 'b', operator: 'Exists' },
    ]),
    [],
  )
  assert.deepEqual(change([]), [
    'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
  ])
})

test('a status keeps the owners and the class of a pod', () => {
  const old = created(pods, { ...spec(), metadata: { ownerReferences: [{ name: 'o' }] } })
  const { object, errors } = submitted(pods, 'status', old, {
    metadata: { name: 'sample' },
    spec: {},
    status: { phase: 'Running' },
  })
  assert.deepEqual(errors, [])
  assert.deepEqual([object['spec'], object['status']], [old['spec'], { phase: 'Running', qosClass: 'BestEffort' }])
  assert.deepEqual(object.metadata.ownerReferences, [{ name: 'o' }])
  assert.deepEqual(updated(pods, old, { status: { phase: 'Failed' } })['status'], old['status'])
})

test('an image that is taken away is missed twice, as the real server does', () => {
  const old = created(pods, { spec: { containers: [{ name: 'main', image: 'app' }] } })
  const missing = 'spec.containers[0].image: Required value'
  assert.deepEqual(
    whyNotUpdated(pods, old, {
      spec: {
        ...(old['spec'] as object),
        containers: [{ ...(old['spec'] as { containers: object[] }).containers[0], image: '' }],
      },
    }),
    [missing, missing],
  )
})

test('a row of a pod that is over says so', () => {
  const ended = { ...created(pods), status: { phase: 'Failed' } }
  assert.deepEqual(pods.rowConditions?.(ended), [
    { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
  ])
  assert.deepEqual(pods.rowConditions?.(created(pods)), [])
})
