import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { Secret } from '../../src/core/secret.ts'
import { addonLabels } from '../../src/fleet/names.ts'
import { informer } from '../../src/kube/informer.ts'
import { secrets, serviceAccounts } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { keyMatches } from '../../src/pki/index.ts'
import { runInTest } from '../support/fleet-scene.ts'
import type { TestScope } from '../support/test-scope.ts'

const common = { clock: systemClock, random: systemRandom, log: silentLog }
const ofToken = ['token', 'expiration', 'service-account-uid', 'kubeconfig']
const ofCertificate = ['tls.crt', 'tls.key', 'kubeconfig']

/** What must never be, in words: told by watches, so that what was put right since counts too. */
export async function keepAddonLedger(t: TestScope, kube: Kube, namespace: string): Promise<readonly string[]> {
  const contradictions: string[] = []
  const usable = new Set<string>()

  const credentials = informer(kube.of(secrets, namespace), common)
  credentials.on(({ type, object: { metadata, data = {} } }) => {
    const { name, uid } = metadata
    if (type === 'deleted' || !name.endsWith('-hub-kubeconfig')) return
    const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString()
    const has = (keys: readonly string[]) => keys.every((key) => data[key])
    const isWhole = has(ofToken) || has(ofCertificate)
    if ((data['token'] || data['tls.crt']) && !isWhole) contradictions.push(`${name} is half written`)
    if (usable.has(uid) && !isWhole) contradictions.push(`${name} lost its credential`)
    if (data['tls.crt'] && !keyMatches(text('tls.crt'), Secret.of(text('tls.key'))))
      contradictions.push(`key and certificate in ${name} are of different pairs`)
    if (isWhole) usable.add(uid)
  })

  const accounts = informer(kube.of(serviceAccounts), { ...common, labelSelector: addonLabels.tokenInfrastructure })
  accounts.on(({ type, object: { metadata } }) => {
    const addon = metadata.labels?.[addonLabels.name]
    const all = accounts.list().filter(({ metadata: other }) => other.labels?.[addonLabels.name] === addon)
    if (type !== 'deleted' && all.length > 1) contradictions.push(`${addon} has ${all.length} accounts`)
  })

  runInTest(t, [credentials.run, accounts.run])
  await Promise.all([credentials.synced(), accounts.synced()])
  return contradictions
}
