// Lanyard's Kubernetes client beside @kubernetes/client-node, on one real API server, in one run. See docs/performance.md.
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/core/clock.ts'
import { systemRandom } from '../../src/core/random.ts'
import { connect } from '../../src/kube/client/index.ts'
import { pins } from '../../tools/kube-assets/versions.ts'
import type { Row } from '../shared/rows.ts'
import { prepareMachine, progress } from '../shared/setting.ts'
import { table } from '../shared/table.ts'
import { prepareContestants } from './contestants.ts'
import type { Scale } from './measure.ts'
import { measureAll } from './measure.ts'

const usage = `Usage: npm run bench:kube -- [--quick] [--json] [--only ID,…]

Measures Lanyard's Kubernetes client beside @kubernetes/client-node on one real API server and prints a table.
Takes about five minutes; a quiet machine makes it repeatable.

  --quick      fewer objects and rounds, to see that it works: one minute
  --json       every value as JSON on stdout
  --only ID,…  only these groups: import, list, watch, informer, update, agent
`

const full: Scale = { rounds: 5, objects: 5_000, updates: 500, agents: 3, agentObjects: 1_000, agentSeconds: 60 }
const quick: Scale = { rounds: 2, objects: 1_000, updates: 200, agents: 1, agentObjects: 1_000, agentSeconds: 10 }

const { values: asked } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (asked.help) {
  console.log(usage)
  process.exit()
}

const say = progress()
const load = await prepareMachine(say)
const contestants = await prepareContestants(say)
say('starting etcd and kube-apiserver')
process.env['CONTROL_PLANE'] = 'kube'
const { launchControlPlane } = await import('../../test/support/control-plane.ts')
await using plane = await launchControlPlane({ controllers: false })
await using kube = connect(plane.connection(), { clock: systemClock, random: systemRandom, options: { qps: 0 } })

const scale = asked.quick ? quick : full
const rows = await measureAll({
  contestants,
  kube,
  kubeconfig: plane.adminKubeconfigPath,
  scale,
  only: asked.only?.split(','),
  say,
})
say('done')

const setting = {
  lanyard: contestants.ours.version,
  'client-node': contestants.theirs.version,
  node: process.versions.node,
  kubernetes: pins['kube-apiserver'].version,
  etcd: pins.etcd.version,
  processor: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
  load,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  ...scale,
}

console.log(asked.json ? JSON.stringify({ setting, rows }, undefined, 2) : forPeople(rows))

function forPeople(rows: readonly Row[]): string {
  return [
    '',
    `Node ${setting.node}, Kubernetes ${setting.kubernetes}, etcd ${setting.etcd}, @kubernetes/client-node ${setting['client-node']}, ${setting.processor}`,
    `Medians of ${scale.rounds} rounds in alternation (of ${scale.agents} processes for the agent), smallest and largest in brackets; a ratio above 1 is in Lanyard's favour.`,
    '',
    table(rows, { ours: 'lanyard', theirs: 'client-node' }),
  ].join('\n')
}
