import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findAssets } from '../../../tools/kube-assets/locate.ts'
import { launchEmbedded } from '../control-plane/embedded.ts'
import { launchKube } from '../control-plane/kube.ts'
import type { ControlPlane } from '../control-plane.ts'
import { tempDir } from '../temp-dir.ts'
import type { TestScope } from '../test-scope.ts'
import { teardown } from '../test-scope.ts'
import { allowed } from './allowed/index.ts'
import type { Allowed, Difference } from './compare.ts'
import { differences, judge } from './compare.ts'
import type { Shell } from './shell.ts'
import { take, writeFiles } from './shell.ts'
import type { Chapter, Step } from './step.ts'
import { named } from './step.ts'

/** The names of the programs, and what `$v` is for each. */
export const versions = { kubectl: '136', 'kubectl-1.35': '135' } as const
export type KubectlName = keyof typeof versions

/**
 * Those that the embedded plane has, too. With the others, deployments would get replica sets and pods on the real one,
 * and the walk would compare what is no business of an API server.
 */
export const controllers = [
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'namespace-controller',
  'garbage-collector-controller',
  'certificatesigningrequest-signing-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'clusterrole-aggregation-controller',
  'bootstrap-signer-controller',
  'token-cleaner-controller',
]

export interface Planes {
  real: ControlPlane
  embedded: ControlPlane
}

export async function launchBoth(t: TestScope): Promise<Planes> {
  const launched = async <P extends AsyncDisposable>(launching: Promise<P>) => {
    const plane = await launching
    teardown(t, async () => await plane[Symbol.asyncDispose]())
    return plane
  }
  const [real, embedded] = await Promise.all([
    launched(launchKube({ controllers }, process.env)),
    launched(launchEmbedded({})),
  ])
  return { real, embedded }
}

/** All steps of the chapter, each on both planes at once; then every difference that is not allowed is told. */
export async function walk(t: TestScope, planes: Planes, name: KubectlName, chapter: Chapter): Promise<void> {
  const version = versions[name]
  const shells = shellsIn(tempDir(t), planes, name, chapter)
  const onBoth = (step: Step) => Promise.all([take(shells.real, step), take(shells.embedded, step)])
  for (const settle of [`create namespace ${shells.real.namespace}`, ...settled]) await onBoth({ settle })
  const complaints: string[] = []
  for (const { name: step, step: taken } of named(chapter.steps)) {
    const [real, embedded] = await onBoth(taken)
    complaints.push(...complaintsAbout(step, differences(real, embedded), rowsFor(chapter, step, version)))
  }
  assert.equal(complaints.length, 0, `\n${complaints.join('\n')}`)
}

function shellsIn(folder: string, planes: Planes, name: KubectlName, chapter: Chapter): Record<keyof Planes, Shell> {
  const program = findAssets(process.env, [name])?.path(name)
  assert.ok(program, `${name} is not built; run: npm run kube-assets`)
  const version = versions[name]
  const files = join(folder, 'files')
  mkdirSync(files)
  writeFiles(files, version, chapter)
  const namespace = `${chapter.title.replace(/\W+/g, '-')}-${version}`
  const shellOn = (which: keyof Planes): Shell => {
    const home = join(folder, which)
    mkdirSync(home)
    return { program, kubeconfig: planes[which].adminKubeconfigPath, namespace, version, folder: files, home }
  }
  return { real: shellOn('real'), embedded: shellOn('embedded') }
}

const rowsFor = ({ title }: Chapter, step: string, version: string): Allowed[] =>
  allowed.filter((row) => row.chapter === title && row.step === step && (row.version ?? version) === version)

/** What every namespace has after a moment. */
const settled = ['serviceaccount/default', 'configmap/kube-root-ca.crt'].map((what) => `wait --for=create ${what}`)

function complaintsAbout(step: string, found: readonly Difference[], rows: readonly Allowed[]): string[] {
  const { unexpected, stale } = judge(found, rows)
  return [
    ...(unexpected.length > 0 ? [`kubectl ${step}\n${indented(unexpected)}`] : []),
    ...(stale.length > 0 ? [`kubectl ${step}\n  is allowed to differ, and does not, in\n${indented(stale)}`] : []),
  ]
}

const indented = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join('\n')
