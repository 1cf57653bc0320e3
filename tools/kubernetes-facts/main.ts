/**
 * Writes what Lanyard's own control plane takes over from a real one: schemas, discovery, columns, bootstrap roles.
 * Run by hand when the version of Kubernetes that it follows moves:
 *   node tools/kubernetes-facts/main.ts --kubeconfig F
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/core/clock.ts'
import { systemRandom } from '../../src/core/random.ts'
import { connect } from '../../src/kube/client/index.ts'
import { loadConnection } from '../../src/kube/kubeconfig/index.ts'
import { factFiles } from './files.ts'

const { kubeconfig: path } = parseArgs({ options: { kubeconfig: { type: 'string' } } }).values
if (!path) throw new Error('usage: node tools/kubernetes-facts/main.ts --kubeconfig F')

const { connection } = await loadConnection({ path, env: {}, clock: systemClock })
const client = connect(connection, { clock: systemClock, random: systemRandom, options: { qps: 0 } })
const root = resolve(import.meta.dirname, '../..')
for (const [file, text] of await factFiles(client)) {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
  console.log(`${file}: ${Math.round(text.length / 1024)} KiB`)
}
await client.close()
