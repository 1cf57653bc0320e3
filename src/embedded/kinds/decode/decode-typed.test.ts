import assert from 'node:assert/strict'
import { test } from 'node:test'
import { schemaOf } from '../facts/facts.ts'
import { decodeTyped } from './decode-typed.ts'
import { Undecodable } from './unfit.ts'

const apiVersions: Record<string, string> = {
  ConfigMap: 'v1',
  Secret: 'v1',
  Deployment: 'apps/v1',
  Pod: 'v1',
  Lease: 'coordination.k8s.io/v1',
  CertificateSigningRequest: 'certificates.k8s.io/v1',
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
  MutatingWebhookConfiguration: 'admissionregistration.k8s.io/v1',
}

const decode = (kind: string, text: string) =>
  decodeTyped(schemaOf(apiVersions[kind] as string, kind), JSON.parse(text), kind)

for (const [kind, text, why] of [
  ['ConfigMap', '{"data":{"a":1}}', 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string'],
  [
    'ConfigMap',
    '{"data":[]}',
    'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
  ],
  [
    'ConfigMap',
    '{"metadata":"a"}',
    'json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
  ],
  [
    'ConfigMap',
    '{"metadata":{"name":1}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
  ],
  [
    'ConfigMap',
    '{"metadata":{"ownerReferences":[1]}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.ownerReferences of type v1.OwnerReference',
  ],
  [
    'ConfigMap',
    '{"metadata":{"ownerReferences":[{"uid":1}]}}',
    'json: cannot unmarshal number into Go struct field OwnerReference.metadata.ownerReferences.uid of type types.UID',
  ],
  [
    'ConfigMap',
    '{"metadata":{"generation":1.5}}',
    'json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64',
  ],
  [
    'ConfigMap',
    '{"metadata":{"creationTimestamp":1}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
  ],
  [
    'ConfigMap',
    '{"immutable":"true"}',
    'json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool',
  ],
  [
    'ConfigMap',
    '{"binaryData":{"a":["x"]}}',
    'json: cannot unmarshal string into Go struct field ConfigMap.binaryData of type uint8',
  ],
  ['Secret', '{"data":{"a":"YQ==YQ=="}}', 'illegal base64 data at input byte 4'],
  [
    'Deployment',
    '{"spec":{"replicas":2147483648}}',
    'json: cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'Deployment',
    '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}',
    'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
  ],
  [
    'Deployment',
    '{"spec":{"template":{"spec":{"containers":[{"resources":{"limits":[]}}]}}}}',
    'json: cannot unmarshal array into Go struct field ResourceRequirements.spec.template.spec.containers.resources.limits of type v1.ResourceList',
  ],
  [
    'Pod',
    '{"spec":{"restartPolicy":1}}',
    'json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy',
  ],
  [
    'Pod',
    '{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}}',
    'json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32',
  ],
  [
    'CertificateSigningRequest',
    '{"spec":{"usages":[1]}}',
    'json: cannot unmarshal number into Go struct field CertificateSigningRequestSpec.spec.usages of type v1.KeyUsage',
  ],
  [
    'CertificateSigningRequest',
    '{"spec":{"extra":{"a":"b"}}}',
    'json: cannot unmarshal string into Go struct field CertificateSigningRequestSpec.spec.extra of type v1.ExtraValue',
  ],
  [
    'MutatingWebhookConfiguration',
    '{"webhooks":[{"rules":[{"apiGroups":1}]}]}',
    'json: cannot unmarshal number into Go struct field RuleWithOperations.webhooks.rules.Rule.apiGroups of type []string',
  ],
  [
    'CustomResourceDefinition',
    '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"additionalProperties":1}}}]}}',
    'boolean or JSON schema expected',
  ],
] as const)
  test(`${text} is no ${kind}`, () => {
    assert.throws(
      () => decode(kind, text),
      (error) => {
        assert.ok(error instanceof Undecodable)
        assert.deepEqual([error.code, error.why], [400, why])
        assert.equal(error.message, `${kind} in version "v1" cannot be handled as a ${kind}: ${why}`)
        return true
      },
    )
  })

test('unknown fields are dropped and named by their path', () => {
  const { object, flaws } = decode(
    'Deployment',
    '{"metadata":{"name":"a","Labels":{}},"foo":{"bar":1},"spec":{"template":{"spec":{"containers":[{"name":"c"},{"name":"d","env":[{"name":"e","b\\"c":1}]}],"volumes":[{"name":"v","emptyDir":{"x":1}}]}}}}',
  )
  assert.deepEqual(flaws, [
    'unknown field "metadata.Labels"',
    'unknown field "foo"',
    'unknown field "spec.template.spec.containers[1].env[0].b\\"c"',
    'unknown field "spec.template.spec.volumes[0].emptyDir.x"',
  ])
  assert.deepEqual(object, {
    metadata: { name: 'a' },
    spec: {
      template: {
        spec: {
          containers: [{ name: 'c' }, { name: 'd', env: [{ name: 'e' }] }],
          volumes: [{ name: 'v', emptyDir: {} }],
        },
      },
    },
  })
})

test('no more than a hundred flaws are told', () => {
  const fields = Array.from({ length: 120 }, (_, i) => `"x${i}":1`).join(',')
  assert.equal(decode('ConfigMap', `{${fields}}`).flaws.length, 100)
})

test('null is the same as absent; in a map or a list it is the zero of its type', () => {
  const { object } = decode(
    'ConfigMap',
    '{"metadata":{"labels":null,"finalizers":["a",null]},"data":{"x":null},"immutable":null}',
  )
  assert.deepEqual(object, { metadata: { finalizers: ['a', ''] }, data: { x: '' } })
  const pod = decode('Pod', '{"spec":{"containers":[null],"overhead":{"cpu":null}}}').object
  assert.deepEqual(pod['spec'], { containers: [{}], overhead: { cpu: '0' } })
})

test('there is always metadata', () => {
  assert.deepEqual(decode('ConfigMap', '{}').object, { metadata: {} })
  assert.deepEqual(decode('ConfigMap', '{"metadata":null}').object, { metadata: {} })
})

test('empty lists and maps are not kept, empty structs and required lists are', () => {
  const pod = decode(
    'Pod',
    '{"metadata":{"name":"","generation":0,"labels":{}},"spec":{"containers":[],"nodeSelector":{},"tolerations":[],"securityContext":{},"volumes":[{"name":"a","emptyDir":{}}]}}',
  )
  assert.deepEqual(pod.object, {
    metadata: {},
    spec: { containers: [], securityContext: {}, volumes: [{ name: 'a', emptyDir: {} }] },
  })
  assert.deepEqual(decode('Secret', '{"data":{"a":""}}').object['data'], { a: '' })
})

test('times, base64 and quantities are written one way', () => {
  const lease = decode(
    'Lease',
    '{"metadata":{"creationTimestamp":"2020-01-01T01:00:00.9+01:00"},"spec":{"renewTime":"2020-01-01T00:00:00.123456+01:00"}}',
  )
  assert.equal(lease.object.metadata.creationTimestamp, '2020-01-01T00:00:00Z')
  assert.deepEqual(lease.object['spec'], { renewTime: '2019-12-31T23:00:00.123456Z' })
  assert.deepEqual(decode('Secret', '{"data":{"a":"Y\\nR=\\n="}}').object['data'], { a: 'YQ==' })
  const pod = decode(
    'Pod',
    '{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":1.5,"memory":"1024Mi"}}}]}}',
  )
  assert.deepEqual(pod.object['spec'], {
    containers: [{ name: 'a', resources: { limits: { cpu: '1500m', memory: '1Gi' } } }],
  })
})

test('what is kept as it comes is left alone', () => {
  const fieldsV1 = { 'f:data': { '.': {}, 'f:a': {} } }
  const managedFields = [{ manager: 'm', fieldsV1 }]
  const { object, flaws } = decode('ConfigMap', JSON.stringify({ metadata: { managedFields } }))
  assert.deepEqual([object.metadata.managedFields, flaws], [managedFields, []])
})

test('schemas inside of a definition are decoded to any depth; below items and the like nothing is reported', () => {
  const schema = {
    type: 'object',
    zip: 1,
    default: { anything: null },
    enum: ['a', null],
    properties: { a: { type: 'array', items: { type: 'string', foo: 1 }, zap: 1 } },
    additionalProperties: true,
  }
  const sent = { spec: { versions: [{ schema: { openAPIV3Schema: schema }, subresources: { status: { x: 1 } } }] } }
  const { object, flaws } = decode('CustomResourceDefinition', JSON.stringify(sent))
  assert.deepEqual(flaws, [
    'unknown field "spec.versions[0].schema.openAPIV3Schema.zip"',
    'unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.zap"',
    'unknown field "spec.versions[0].subresources.status.x"',
  ])
  assert.deepEqual(object['spec'], {
    versions: [
      {
        schema: {
          openAPIV3Schema: {
            type: 'object',
            default: { anything: null },
            enum: ['a', null],
            properties: { a: { type: 'array', items: { type: 'string' } } },
            additionalProperties: true,
          },
        },
        subresources: { status: {} },
      },
    ],
  })
})
