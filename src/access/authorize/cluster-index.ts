import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { SpokeView } from '../../fleet/spoke/index.ts'
import type { Stored } from '../../kube/objects.ts'
import { groupPrefixesOf } from '../group-prefixes.ts'
import type { AccessSettings } from '../settings.ts'
import { tenantOf } from '../tenant.ts'
import type { Decision } from './contract.ts'
import { failures } from './failures.ts'
import type { FactsBy } from './timely-facts.ts'

/** What requests of one cluster have in common. Made once, and anew when its ClusterConfig or an IdentityProvider changes. */
export interface ClusterFacts {
  readonly name: string
  /** Whose users may get access; undefined: those of every IdentityProvider. */
  readonly providers: ReadonlySet<string> | undefined
  /** The `iss` of the tokens of those. */
  readonly issuers: ReadonlySet<string>
  /** For people. */
  readonly providerNames: readonly string[]
  readonly facts: FactsBy
  tenant(settings: AccessSettings): string
  /** How the cluster may write a group that a session of this provider stands for. */
  groupPrefixes(provider: string | undefined, settings: AccessSettings): readonly string[]
  /** Answers that are the same for everybody without a session, by what they say. */
  readonly answers: Map<string, Decision>
}

export interface ClusterIndexDeps {
  spokeView: Pick<SpokeView, 'configs' | 'providers'>
  factsOf(cluster: string): FactsBy
}

export class ClusterIndex {
  readonly #deps: ClusterIndexDeps
  readonly #known = new Map<string, ClusterFacts>()

  constructor(deps: ClusterIndexDeps) {
    this.#deps = deps
    deps.spokeView.configs.on(({ object }) => void this.#known.delete(object.metadata.name))
    deps.spokeView.providers.on(() => this.#known.clear())
  }

  /** Undefined for a name that nobody gave. Throws where several did: whoever may make one could speak for another. */
  find(name: string): ClusterFacts | undefined {
    const known = this.#known.get(name)
    if (known) return known
    const [config, ...others] = this.#deps.spokeView.configs.byIndex('name', name)
    if (!config) return undefined
    if (others.length > 0) throw failures.ACCESS_CLUSTER_AMBIGUOUS({ cluster: name })
    const facts = this.#read(config)
    this.#known.set(name, facts)
    return facts
  }

  #read(config: Stored<ClusterConfig>): ClusterFacts {
    const { name } = config.metadata
    const refs = config.spec.identityProviderRefs ?? []
    const listed = refs.length > 0 ? new Set(refs) : undefined
    const { providers } = this.#deps.spokeView
    const accepted = providers
      .list()
      .filter(({ metadata, spec }) => spec && !spec.disabled && (!listed || listed.has(metadata.name)))
    const prefixes = new Map<string | undefined, readonly string[]>()
    let configured: readonly string[] | undefined
    let tenant: { readonly pattern: string | undefined; readonly is: string } | undefined
    return {
      name,
      providers: listed,
      issuers: new Set(accepted.map(({ spec }) => spec?.issuer ?? spec?.oidc.authority ?? '')),
      providerNames: accepted.map(({ metadata, spec }) => spec?.displayName ?? metadata.name).toSorted(),
      facts: this.#deps.factsOf(name),
      tenant(settings) {
        if (tenant?.pattern !== settings.tenantPattern || !tenant)
          tenant = { pattern: settings.tenantPattern, is: tenantOf(config, settings) }
        return tenant.is
      },
      groupPrefixes(provider, settings) {
        if (configured !== settings.oidcPrefixes) prefixes.clear()
        configured = settings.oidcPrefixes
        const known = prefixes.get(provider) ?? groupPrefixesOf(provider, settings, providers.list()).own
        prefixes.set(provider, known)
        return known
      },
      answers: new Map(),
    }
  }
}
