/** The real programs that Lanyard is tested against, and where the Go module proxy has each of them. Data only. */

export const assetNames = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kubectl',
  'kubectl-1.35',
  'ocm-registration',
] as const
export type AssetName = (typeof assetNames)[number]

export interface Pin {
  version: string
  /** Folder under `modules/`. Its go.mod and go.sum pin every dependency and its `go` line tells the Go it needs. */
  module: string
  /** Import path of the program's main package. */
  package: string
  /** String variables that the linker sets, by full name: what the program says of itself when asked for its version. */
  stamps: Readonly<Record<string, string>>
}

/**
 * What Kubernetes' own release build stamps. The build date is that of the release, so that the same pin gives the
 * same bytes. The module proxy does not tell the commit: empty, since otherwise clients would send the unexpanded
 * `$Format` placeholder in their user agent (empty becomes "unknown" there).
 */
export function kubernetesStamps(version: string, releasedAt: string): Record<string, string> {
  const [major = '', minor = ''] = version.replace(/^v/, '').split('.')
  const values = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: releasedAt,
  }
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
  return Object.fromEntries(
    packages.flatMap((path) => Object.entries(values).map(([name, value]) => [`${path}.${name}`, value])),
  )
}

const kubernetes = (program: string, version: string, releasedAt: string): Pin => ({
  version,
  module: `kubernetes-${version.replace(/^v(\d+\.\d+)\..*/, '$1')}`,
  package: `k8s.io/kubernetes/cmd/${program}`,
  stamps: kubernetesStamps(version, releasedAt),
})

const current = ['v1.36.3', '2026-07-22T18:07:38Z'] as const
/** The minor before, since kubectl must work with servers one minor newer and older. */
const previous = ['v1.35.4', '2026-04-15T18:01:22Z'] as const

export const pins: Readonly<Record<AssetName, Pin>> = {
  etcd: { version: 'v3.6.16', module: 'etcd', package: 'go.etcd.io/etcd/server/v3', stamps: {} },
  'kube-apiserver': kubernetes('kube-apiserver', ...current),
  'kube-controller-manager': kubernetes('kube-controller-manager', ...current),
  kubectl: kubernetes('kubectl', ...current),
  'kubectl-1.35': kubernetes('kubectl', ...previous),
  // v1.3.1 was wanted, but the Go checksum database has no entry for it, so that nothing vouches for its contents.
  'ocm-registration': {
    version: 'v1.2.0',
    module: 'ocm',
    package: 'open-cluster-management.io/ocm/cmd/registration',
    stamps: {
      'open-cluster-management.io/ocm/pkg/version.versionFromGit': 'v1.2.0',
      'open-cluster-management.io/ocm/pkg/version.commitFromGit': '7323d2047ab4ee8c9e478ded4f9c035f37cea702',
    },
  },
}

/** The linker flags of a pin: no symbol tables, and its stamps. */
export const linkerFlags = (pin: Pin): string =>
  ['-s', '-w', ...Object.entries(pin.stamps).map(([name, value]) => `-X ${name}=${value}`)].join(' ')

/** Reads `etcd,kube-apiserver`, or throws with the names it knows. Always in build order, each once. */
export function parseNames(text: string): AssetName[] {
  const wanted = new Set(text.split(',').map((name) => name.trim()))
  const unknown = [...wanted].filter((name) => !(assetNames as readonly string[]).includes(name))
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; choose from ${assetNames.join(', ')}`)
  return assetNames.filter((name) => wanted.has(name))
}
