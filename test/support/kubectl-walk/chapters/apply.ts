import type { Chapter } from '../step.ts'
import { configMap, deployment } from './manifests.ts'

const applied = { labels: { made: 'by-walk' } }
const manager = '--server-side --field-manager=walker'

export const applyClientSide: Chapter = {
  title: 'apply',
  files: {
    'one.yaml': configMap('one', { a: '1', b: '2' }, applied),
    'one-changed.yaml': configMap('one', { a: '1', c: '3' }),
    'web.yaml': deployment('web'),
    'web-changed.yaml': deployment('web', { replicas: 3, minReadySeconds: 5 }),
    'several.yaml': `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: kept, labels: {set: pruned}}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: pruned, labels: {set: pruned}}}
`,
    'fewer.yaml': configMap('kept', {}, { labels: { set: 'pruned' } }),
    'nameless.yaml': { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'generated-' } },
  },
  steps: [
    'apply -f one.yaml --dry-run=client',
    'apply -f one.yaml --dry-run=server',
    'apply -f one.yaml',
    'apply -f one.yaml',
    'get configmap one -o yaml --show-managed-fields',
    'apply view-last-applied -f one.yaml',
    'apply -f one-changed.yaml',
    'get configmap one -o yaml',
    'apply view-last-applied configmap/one -o json',
    { run: 'apply edit-last-applied configmap/one', editor: 'sed -i s/3/4/ "$1"' },
    'apply set-last-applied -f one.yaml',
    'apply -f one-changed.yaml -o yaml',
    'create configmap bare --from-literal=a=1',
    { run: 'apply -f -', stdin: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bare}\ndata: {a: "2"}\n' },
    'apply -f web.yaml',
    'apply -f web-changed.yaml',
    'apply -f web.yaml',
    'get deployment web -o yaml --show-managed-fields',
    'apply -f several.yaml',
    'apply -f fewer.yaml --prune -l set=pruned --prune-allowlist=core/v1/ConfigMap',
    'apply -f nameless.yaml',
    'apply -f none.yaml',
  ],
}

export const applyServerSide: Chapter = {
  title: 'server-side apply',
  files: {
    'one.yaml': configMap('one', { a: '1', b: '2' }, applied),
    'other.yaml': configMap('one', { a: 'other', c: '3' }),
    'fewer.yaml': configMap('one', { a: '1' }),
    'web.yaml': deployment('web'),
    'more.yaml': deployment('web', { replicas: 5 }),
    'managed.yaml': configMap('managed', {}, { managedFields: [{ manager: 'x', operation: 'Apply' }] }),
  },
  steps: [
    `apply -f one.yaml ${manager} --dry-run=server -o yaml --show-managed-fields`,
    `apply -f one.yaml ${manager}`,
    `apply -f one.yaml ${manager}`,
    'apply -f other.yaml --server-side',
    'apply -f other.yaml --server-side --force-conflicts',
    'get configmap one -o yaml --show-managed-fields',
    `apply -f one.yaml ${manager}`,
    `apply -f fewer.yaml ${manager} --force-conflicts`,
    'get configmap one -o yaml --show-managed-fields',
    'apply -f web.yaml',
    'apply -f web.yaml --server-side',
    'get deployment web -o yaml --show-managed-fields',
    `apply -f more.yaml ${manager}`,
    `apply -f more.yaml ${manager} --force-conflicts`,
    'apply -f web.yaml --server-side --dry-run=server',
    'apply -f managed.yaml --server-side',
    'scale deployment web --replicas=7',
    `apply -f more.yaml ${manager}`,
    'get deployment web -o yaml --show-managed-fields',
  ],
}

export const diff: Chapter = {
  title: 'diff',
  files: {
    'one.yaml': configMap('one', { a: '1', b: '2' }),
    'changed.yaml': configMap('one', { a: '2', c: '3' }),
    'new.yaml': configMap('new', { a: '1' }),
    'wrong.yaml': configMap('Wrong_Name', {}),
    'web.yaml': deployment('web'),
    'web-changed.yaml': deployment('web', { replicas: 4, template: { metadata: { labels: { app: 'other' } } } }),
    'web-more.yaml': deployment('web', { replicas: 4 }),
  },
  steps: [
    'apply -f one.yaml -f web.yaml',
    'diff -f one.yaml',
    'diff -f changed.yaml',
    'diff -f changed.yaml --server-side',
    'diff -f changed.yaml --server-side --force-conflicts --field-manager=walker --show-managed-fields',
    'diff -f new.yaml',
    'diff -f wrong.yaml',
    'diff -f web.yaml',
    'diff -f web-more.yaml',
    'diff -f web-changed.yaml',
    'get configmap one -o yaml',
  ],
}
