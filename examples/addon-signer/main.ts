/** The signer as a program on the hub: `main.ts --addons vault-link,mirror`. */
import { homedir } from 'node:os'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/core/clock.ts'
import { createLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { connect } from '../../src/kube/client/index.ts'
import { loadConnection } from '../../src/kube/kubeconfig/index.ts'
import { exampleSigner, signerName } from './signer.ts'

const { values } = parseArgs({
  options: {
    /** Of the hub. Default: KUBECONFIG, or the account of the pod. */
    kubeconfig: { type: 'string' },
    namespace: { type: 'string', default: 'addon-signer' },
    addons: { type: 'string', default: '' },
  },
})

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const deps = { clock: systemClock, random: systemRandom, log: createLog({ level: 'info' }) }
const { connection } = await loadConnection({
  ...deps,
  env: process.env,
  home: homedir(),
  ...(values.kubeconfig !== undefined && { path: values.kubeconfig }),
})
await using kube = connect(connection, deps)
const addons = values.addons.split(',').filter((name) => name !== '')
const signer = await exampleSigner({ ...deps, kube, namespace: values.namespace, addons })
deps.log.info({ signerName, addons, server: connection.server }, 'addon-signer starts')
await signer.run(stop.signal)
