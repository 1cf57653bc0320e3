import { resolve } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { Secret } from '../core/secret.ts'
import { parseKubeconfig } from '../kube/kubeconfig/index.ts'
import { addReach, checkName } from '../reach/operations/add.ts'
import type { ReachWish } from '../reach/operations/add-plan.ts'
import { addFromJoin } from '../reach/operations/from-join.ts'
import { selfContained } from '../reach/operations/self-contained.ts'
import { untilReady } from '../reach/operations/until-ready.ts'
import { calledBy, inCalledForm } from './called.ts'
import { failures } from './failures.ts'
import { certificateFile, readNamed, readNamedOrInput } from './named-file.ts'
import { operateOnEach, withHub } from './operate.ts'
import type { ReachAddOptions } from './reach.ts'
import { checkFlags } from './reach-flags.ts'
import type { Stop } from './stop-signal.ts'

/** `lanyard reach add`. Everything wrong with the flags and the files is told before anything changes. */
export async function addOne(name: string, options: ReachAddOptions, command: Command, stop: Stop): Promise<void> {
  checkName(name)
  const way = checkFlags(options)
  const wish = way === 'from-join' ? undefined : await wishOf(name, way, options)
  const { namespace, output, wait } = options
  const timeoutMs = options.timeout * 1_000
  await withHub(command, stop, async ({ client: kube }, given) => {
    const deps = { ...given, kube }
    const steps = async function* () {
      yield* wish ? addReach(wish, deps) : addFromJoin(name, deps)
      if (wait) yield* untilReady({ name, timeoutMs, ...(wish ? { namespace } : { mayCome: true }) }, deps)
    }
    await operateOnEach([name], steps, { done: 'given', output, signal: given.signal, called: calledBy(command) })
  })
  if (output !== 'table' || wait) return
  const next = wish ? `See whether it works: lanyard reach check ${name}` : `See whether it came: lanyard reach list`
  process.stdout.write(`${inCalledForm(next, calledBy(command))}\n`)
}

async function wishOf(
  name: string,
  way: 'kubeconfig' | 'oidc' | 'identity-provider',
  options: ReachAddOptions,
): Promise<ReachWish> {
  const { namespace, cluster, server = '', clientId, audience, scope: scopes } = options
  const common = { name, namespace, cluster }
  if (way === 'kubeconfig') return { ...common, by: way, kubeconfig: await kubeconfigOf(options) }
  const { clientSecretFile: secretFile, caFile } = options
  const token = {
    ...{ server, audience, scopes },
    clientSecret: secretFile === undefined ? undefined : await secretIn(secretFile, '--client-secret-file'),
    ca: caFile === undefined ? undefined : await certificateFile(caFile, '--ca-file'),
  }
  if (way === 'identity-provider')
    return { ...common, ...token, by: way, provider: options.identityProvider ?? '', clientId }
  const { issuer = '', issuerCaFile } = options
  const issuerCa = issuerCaFile === undefined ? undefined : await certificateFile(issuerCaFile, '--issuer-ca-file')
  return { ...common, ...token, by: way, issuer, clientId: clientId ?? '', issuerCa }
}

async function secretIn(path: string, flag: string): Promise<Secret> {
  // Editors and `echo` end a file with a newline that is no part of the secret.
  const text = (await readNamedOrInput(path, flag)).replace(/\r?\n$/, '')
  if (text === '') throw failures.FILE_EMPTY({ path, flag })
  return Secret.of(text)
}

async function kubeconfigOf({ kubeconfigFile = '', fromContext }: ReachAddOptions): Promise<Secret> {
  const flag = '--kubeconfig-file'
  const text = Secret.of(await readNamedOrInput(kubeconfigFile, flag))
  const fromInput = kubeconfigFile === '-'
  const source = fromInput ? 'standard input' : kubeconfigFile
  const config = parseKubeconfig(text, fromInput ? { name: source } : { file: resolve(kubeconfigFile) })
  const readFile = (path: string) => readNamed(path, flag)
  return (await selfContained({ config, source, context: fromContext }, { readFile, clock: systemClock })).kubeconfig
}
