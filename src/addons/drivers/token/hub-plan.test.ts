import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { accountUser } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import { tokenPlanOf } from './hub-plan.ts'

type Addon = Stored<ManagedClusterAddOn>
type Cluster = Stored<ManagedCluster>

const now = '2026-01-01T00:00:00Z'
const byToken = (user?: string) => ({
  type: 'kubeClient',
  kubeClient: { driver: 'token', ...(user && { subject: { user } }) },
})
const ours = accountUser('west', 'west-logs-agent')
const addon = (registrations: object[] = [byToken(ours)], metadata = {}) =>
  ({ metadata: { name: 'logs', namespace: 'west', ...metadata }, status: { registrations } }) as Addon
const cluster = (hubAcceptsClient = true, metadata = {}) =>
  ({ metadata: { name: 'west', ...metadata }, spec: { hubAcceptsClient } }) as Cluster
const byCsr = { type: 'kubeClient', kubeClient: { driver: 'csr', subject: { user: ours } } }
const custom = { type: 'customSigner', customSigner: { signerName: 'example.com/x', subject: { user: ours } } }

const plans: [string, Addon | undefined, Cluster | undefined, object][] = [
  ['one by token', addon(), cluster(), { is: 'wanted', account: 'west-logs-agent' }],
  [
    'one under the name of the field',
    addon([byToken(accountUser('west', 'logs-agent'))]),
    cluster(),
    { is: 'wanted', account: 'logs-agent' },
  ],
  [
    'one by token besides a custom signer',
    addon([custom, byToken(ours)]),
    cluster(),
    { is: 'wanted', account: 'west-logs-agent' },
  ],
  ['one whose second is by token', addon([byCsr, byToken(ours)]), cluster(), { is: 'unwanted' }],
  ['one by certificate', addon([byCsr]), cluster(), { is: 'unwanted' }],
  ['one with a custom signer only', addon([custom]), cluster(), { is: 'unwanted' }],
  ['one without registrations', addon([]), cluster(), { is: 'unwanted' }],
  ['one that does not say who it is', addon([byToken()]), cluster(), { is: 'wanted', account: 'logs-agent' }],
  [
    'one that says it with an empty string',
    addon([{ type: 'kubeClient', kubeClient: { driver: 'token', subject: { user: '' } } }]),
    cluster(),
    { is: 'wanted', account: 'logs-agent' },
  ],
  ['one as another user', addon([byToken('system:admin')]), cluster(), { is: 'refused', user: 'system:admin' }],
  ['one that is gone', undefined, cluster(), { is: 'gone' }],
  ['one that is going', addon([byToken(ours)], { deletionTimestamp: now }), cluster(), { is: 'gone' }],
  ['one of a cluster that is gone', addon(), undefined, { is: 'unwanted' }],
  ['one of a cluster that is going', addon(), cluster(true, { deletionTimestamp: now }), { is: 'unwanted' }],
  ['one of a cluster that is not accepted', addon(), cluster(false), { is: 'unwanted' }],
]
for (const [what, object, of, plan] of plans)
  test(`the plan for ${what}`, () => assert.deepEqual(tokenPlanOf(object, of), plan))
