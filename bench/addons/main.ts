// Add-ons with tokens: what they cost the hub, beside the same writes without one. See docs/performance.md.
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { pins } from '../../tools/kube-assets/versions.ts'
import { contestants } from '../join/contestants.ts'
import { onKube } from '../join/hub-scene.ts'
import { bundle } from '../shared/programs.ts'
import { prepareMachine, progress } from '../shared/setting.ts'
import { floorMs } from './floor.ts'
import { reportOf } from './report.ts'
import { addonTurn } from './turn.ts'

const usage = `Usage: npm run bench:addons -- [--clusters N] [--addons N] [--profile FOLDER] [--json]

Lets add-ons on joined clusters get tokens from a hub on a real API server, then forces a refresh of all of them by
deleting their accounts, and another by deleting their Secrets.

  --clusters N      clusters (default 100)
  --addons N        add-ons on each (default 10)
  --profile FOLDER  where the hub writes a CPU profile when it ends
  --json            every value as JSON on stdout
`

const { values: asked } = parseArgs({
  options: {
    clusters: { type: 'string', default: '100' },
    addons: { type: 'string', default: '10' },
    profile: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (asked.help) {
  console.log(usage)
  process.exit(0)
}

const say = progress()
const load = await prepareMachine(say)
const cache = resolve(import.meta.dirname, '../../node_modules/.cache/bench-addons')
await bundle([resolve(import.meta.dirname, '../../src/cli/main.ts')], cache)
const profiling = asked.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(asked.profile)}`]
const { lanyard } = contestants(join(cache, 'main.mjs'), profiling)
const size = { clusters: Number(asked.clusters), addons: Number(asked.addons) }
const names = Array.from({ length: size.clusters }, (_, number) => `cluster${number}`)
const turn = await addonTurn(lanyard, { launch: onKube, ...size, say })
say('the same writes without a hub')
const answer = { ...turn, floorMs: await floorMs(names, size.addons) }
say('done')
const setting = `Node ${process.versions.node}, Kubernetes ${pins['kube-apiserver'].version}, etcd ${pins.etcd.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load.toFixed(1)} at the start`
console.log(
  asked.json
    ? JSON.stringify({ setting, ...size, ...answer }, undefined, 2)
    : `\n${setting}\n\n${reportOf(answer, size)}`,
)
process.exit()
