import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { PodSecurityOverrides, PodSecurityRules } from '../../apis/breakglass/pod-security-fields.ts'
import type { PolicyRequest } from './contract.ts'
import type { Labels, NamespaceMatcher } from './namespace-filter.ts'
import { namespaceMatcher } from './namespace-filter.ts'
import type { Factor } from './pod-factors.ts'
import { factorName, factorsOf, isNamedBy, scoreOf } from './pod-factors.ts'

/** They reach into a running pod, or add to it. */
const defaultSubresources = ['exec', 'attach', 'portforward', 'ephemeralcontainers']

export type PodVerdict = { readonly action: 'allow' } | { readonly action: 'warn' | 'deny'; readonly says: string }

/** What is asked of the cluster, once for each request. */
export interface PodFacts {
  pod(): Promise<Pod | undefined>
  labels(): Promise<Labels | undefined>
}

export interface PodClause {
  /** Of pods; `*`: all. */
  readonly subresources: readonly string[]
  /** What `judge` is going to ask for, or may. */
  asksFor(request: PolicyRequest, overrides: readonly PodSecurityOverrides[]): { pod: boolean; labels: boolean }
  judge(request: PolicyRequest, facts: PodFacts, overrides: readonly PodSecurityOverrides[]): Promise<PodVerdict>
}

const allow: PodVerdict = { action: 'allow' }

export function podClause(rules: PodSecurityRules): PodClause {
  const listed = rules.appliesTo?.subresources ?? []
  const blocks = (rules.blockFactors ?? []).map(factorName)
  const capabilities = [...Object.keys(rules.riskFactors.capabilities ?? {}), ...blocks.flatMap(capabilityOf)]
  const exemptNamespaces = namespaceMatcher(rules.exemptions?.namespaces)
  const exemptLabels = Object.entries(rules.exemptions?.podLabels ?? {})

  async function isExempt(namespace: string, pod: Pod, facts: PodFacts): Promise<boolean> {
    const labels = pod.metadata?.labels ?? {}
    if (exemptLabels.length > 0 && exemptLabels.every(([key, value]) => labels[key] === value)) return true
    return exemptNamespaces !== undefined && (await isWithin(exemptNamespaces, namespace, facts))
  }

  return {
    subresources: listed.length > 0 ? listed : defaultSubresources,
    asksFor({ resource }, overrides) {
      const [namespace, name] = [resource?.namespace ?? '', resource?.name ?? '']
      const exempt = exemptNamespaces?.byName(namespace)
      const pod = name !== '' && exempt !== 'yes'
      const isScoped = overrides.some(
        ({ enabled, namespaceScope }) => enabled && namespaceMatcher(namespaceScope)?.byName(namespace) === 'labels',
      )
      return { pod, labels: pod && (exempt === 'labels' || isScoped) }
    },
    async judge({ resource }, facts, overrides) {
      const [namespace, name] = [resource?.namespace ?? '', resource?.name ?? '']
      if (exemptNamespaces?.byName(namespace) === 'yes') return allow
      const pod = name === '' ? undefined : await facts.pod()
      if (!pod) {
        const says = `pod ${name} in namespace ${namespace} could not be read, so that nobody knows what it may do`
        return rules.failMode === 'open' ? allow : { action: 'deny', says }
      }
      if (await isExempt(namespace, pod, facts)) return allow
      const factors = factorsOf(pod, capabilities)
      const judged = judgeFactors(rules, blocks, factors, { pod: name, namespace })
      if (judged.action !== 'deny') return judged
      for (const override of overrides) {
        if (!override.enabled) continue
        const scope = namespaceMatcher(override.namespaceScope)
        if (scope && !(await isWithin(scope, namespace, facts))) continue
        const again = judgeFactors(rules, blocks, factors, { pod: name, namespace }, override)
        if (again.action !== 'deny') return again
      }
      return judged
    },
  }
}

/** Labels that cannot be read put nothing within. */
async function isWithin(namespaces: NamespaceMatcher, namespace: string, facts: PodFacts): Promise<boolean> {
  const byName = namespaces.byName(namespace)
  if (byName !== 'labels') return byName === 'yes'
  const labels = await facts.labels()
  return labels !== undefined && namespaces.byLabels(labels)
}

function judgeFactors(
  { riskFactors, thresholds }: PodSecurityRules,
  blocks: readonly string[],
  factors: readonly Factor[],
  at: { pod: string; namespace: string },
  override?: PodSecurityOverrides,
): PodVerdict {
  const exempt = (override?.exemptFactors ?? []).map(factorName)
  const blocked = factors.filter((factor) => isNamedBy(factor, blocks) && !isNamedBy(factor, exempt))
  const where = `pod ${at.pod} in namespace ${at.namespace}`
  if (blocked.length > 0) return { action: 'deny', says: `${where} has ${blocked.join(', ')}` }
  const score = scoreOf(factors, riskFactors)
  if (override?.maxAllowedScore !== undefined && score <= override.maxAllowedScore) return allow
  const threshold = thresholds.find(({ maxScore }) => score <= maxScore)
  if (threshold?.action === 'allow') return allow
  const factorsTold = factors.length === 0 ? 'nothing' : factors.join(', ')
  const says = threshold?.reason
    ? filled(threshold.reason, { Score: String(score), Factors: factorsTold, Pod: at.pod, Namespace: at.namespace })
    : `${where} has a risk score of ${score} (${factorsTold})`
  return { action: threshold?.action ?? 'deny', says }
}

/** In one go, so that what is put in is not looked at again. */
const filled = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{\{\s*\.(\w+)\s*\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  )

function capabilityOf(block: string): string[] {
  const [kind, name] = block.split(':')
  return kind === 'capability' && name !== undefined ? [name] : []
}
