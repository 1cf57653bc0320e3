import type { Chapter } from '../step.ts'
import { deployment, service } from './manifests.ts'

export const kustomize: Chapter = {
  title: 'kustomize',
  files: {
    'web/kustomization.yaml': {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      namePrefix: 'small-',
      labels: [{ pairs: { from: 'kustomize' }, includeSelectors: false }],
      resources: ['deployment.yaml', 'service.yaml'],
      configMapGenerator: [{ name: 'settings', literals: ['a=1'] }],
    },
    'web/deployment.yaml': deployment('web'),
    'web/service.yaml': service('web'),
  },
  steps: ['diff -k web', 'apply -k web', 'apply -k web', 'diff -k web', 'get -k web', 'kustomize web', 'delete -k web'],
}
