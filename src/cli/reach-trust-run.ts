import type { Command } from 'commander'
import type { TrustOverview } from '../reach/operations/trust.ts'
import { confirmTrust, readTrust, withdrawTrust } from '../reach/operations/trust.ts'
import { calledBy, inCalledForm } from './called.ts'
import { factLines } from './description.ts'
import { operateOnEach, withHub } from './operate.ts'
import { formatData } from './output.ts'
import type { ReachTrustOptions } from './reach-trust.ts'
import type { Stop } from './stop-signal.ts'

/** `lanyard reach trust`. */
export const showOrConfirm = (
  name: string,
  { fingerprint, withdraw, namespace, wait, timeout, output }: ReachTrustOptions,
  command: Command,
  stop: Stop,
): Promise<void> =>
  withHub(command, stop, async ({ client: kube }, common) => {
    const { signal } = common
    const called = calledBy(command)
    if (withdraw) {
      const steps = () => withdrawTrust({ name, namespace }, { ...common, kube })
      return await operateOnEach([name], steps, { done: 'taken back', output, signal, called })
    }
    if (fingerprint === undefined) {
      const found = await readTrust(kube, name, { signal, namespace })
      process.stdout.write(output === 'json' ? formatData('json', found) : inCalledForm(trustText(found), called))
      return
    }
    const wish = { name, namespace, fingerprint, timeoutMs: wait ? timeout * 1_000 : undefined }
    const steps = () => confirmTrust(wish, { ...common, kube })
    await operateOnEach([name], steps, { done: 'confirmed', output, signal, called })
  })

const sources: Readonly<Record<string, string>> = {
  FirstUse: 'a CA that was trusted when first seen, or that a person confirmed',
  Secret: 'the CA in the Secret that its ClusterConfig names',
  System: 'whoever the machine of the hub trusts',
  Kubeconfig: 'the CA in its kubeconfig',
  Insecure: 'nothing: whoever answers is believed',
}

/** For people: what stands, and what they can do about it. */
export function trustText(found: TrustOverview): string {
  const { cluster, server, ready, reason, source, fingerprint, offered, confirmed } = found
  const unknown =
    ready === 'Unknown' ? 'not known yet: the hub has not looked' : 'not known: the hub did not get so far'
  const facts: [string, string | undefined][] = [
    ['Cluster', cluster],
    ['Server', server],
    ['Ready', reason === undefined ? ready : `${ready} (${reason})`],
    ['Trust rests on', source === undefined ? unknown : (sources[source] ?? source)],
    ['SHA-256 on record', fingerprint],
    ['SHA-256 shown now', offered],
    ['Confirmed', confirmed && `${confirmed}, and not shown by the cluster yet; --withdraw takes it back`],
  ]
  const lines = advice(cluster, offered ?? fingerprint, offered).map((line) => `${line}\n`)
  return `${factLines(facts.filter(([, value]) => value !== undefined))}${lines.join('')}`
}

function advice(cluster: string, toCompare: string | undefined, offered: string | undefined): string[] {
  if (toCompare === undefined) return []
  const compare = [
    '',
    'Compare it with what the cluster itself says, on one of its control plane nodes:',
    '  openssl x509 -noout -fingerprint -sha256 -in /etc/kubernetes/pki/ca.crt',
    'or in a kubeconfig that you have from its administrators:',
    `  kubectl config view --raw --minify --context ${cluster} -o jsonpath='{.clusters[0].cluster.certificate-authority-data}' | base64 -d | openssl x509 -noout -fingerprint -sha256`,
    'A server that shows only its own certificate is known by that one: apiserver.crt in place of ca.crt.',
  ]
  if (offered === undefined) return compare
  return [
    ...compare,
    'If it is the same, let the hub trust it:',
    `  lanyard reach trust ${cluster} --fingerprint ${offered}`,
  ]
}
