import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registrationDeclarations } from '../admission/index.ts'
import { webhookConfigurations } from './webhooks.ts'

test('each declaration makes an entry that fails closed, at an address or behind a Service', () => {
  const byUrl = webhookConfigurations(registrationDeclarations, { url: 'https://127.0.0.1:9443/' }, 'PEM')
  assert.deepEqual(byUrl.mutating.webhooks, [
    {
      name: 'managedclusters.mutation.lanyard.io',
      clientConfig: { url: 'https://127.0.0.1:9443/admission/mutate-managedclusters', caBundle: 'UEVN' },
      rules: [
        {
          operations: ['CREATE', 'UPDATE'],
          apiGroups: ['cluster.open-cluster-management.io'],
          apiVersions: ['v1'],
          resources: ['managedclusters'],
        },
      ],
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
      timeoutSeconds: 10,
      admissionReviewVersions: ['v1'],
      reinvocationPolicy: 'Never',
    },
  ])
  assert.deepEqual(
    byUrl.validating.webhooks?.map(({ name, failurePolicy }) => [name, failurePolicy]),
    [
      ['managedclusters.validation.lanyard.io', 'Fail'],
      ['managedclustersetbindings.validation.lanyard.io', 'Fail'],
    ],
  )
  const service = { namespace: 'open-cluster-management-hub', name: 'lanyard-hub', port: 9443 }
  const byService = webhookConfigurations(registrationDeclarations, { service }, 'PEM')
  assert.deepEqual(byService.validating.webhooks?.[0]?.clientConfig, {
    service: { ...service, path: '/admission/validate-managedclusters' },
    caBundle: 'UEVN',
  })
})
