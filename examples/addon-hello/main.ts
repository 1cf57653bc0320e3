/** The two programs of the add-on: `main.ts hub` beside the hub, `main.ts agent` on the managed cluster. */
import { homedir } from 'node:os'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/core/clock.ts'
import { createLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { addonNamespace } from '../../src/fleet/names.ts'
import { connect } from '../../src/kube/client/index.ts'
import type { Connection } from '../../src/kube/connection.ts'
import { loadConnection } from '../../src/kube/kubeconfig/index.ts'
import { helloAgent } from './agent.ts'
import { filesOfSecret, mountedAt } from './files.ts'
import { helloHub } from './hub.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    /** Of the hub, or of the managed cluster. Default: KUBECONFIG, or the account of the pod. */
    kubeconfig: { type: 'string' },
    namespace: { type: 'string', default: addonNamespace },
    /** Where the Secret is mounted. Default: it is read from the API. */
    credential: { type: 'string' },
    'every-seconds': { type: 'string', default: '10' },
  },
})
const [role] = positionals
if (role !== 'hub' && role !== 'agent')
  throw new Error('usage: main.ts hub|agent [--kubeconfig FILE] [--namespace NAME] [--credential FOLDER]')

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const deps = { clock: systemClock, random: systemRandom, log: createLog({ level: 'info' }) }
const dial = (connection: Connection) => connect(connection, deps)
const { connection } = await loadConnection({
  ...deps,
  env: process.env,
  home: homedir(),
  ...(values.kubeconfig !== undefined && { path: values.kubeconfig }),
})
await using kube = dial(connection)
deps.log.info({ role, server: connection.server }, 'addon-hello starts')
if (role === 'hub') await helloHub({ ...deps, kube })(stop.signal)
else
  await helloAgent({
    ...deps,
    namespace: values.namespace,
    spoke: kube,
    readFile: values.credential ? mountedAt(values.credential) : filesOfSecret(kube, values.namespace),
    connect: dial,
    everyMs: Number(values['every-seconds']) * 1_000,
  })(stop.signal)
