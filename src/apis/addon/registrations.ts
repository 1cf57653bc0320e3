/** The registrations of a ManagedClusterAddOn in both versions. */
import { isDeepStrictEqual } from 'node:util'
import { defined } from '../../kube/kubeconfig/defined.ts'
import type { ManagedClusterAddOn, ManagedClusterAddOnV1Alpha1 } from './managed-cluster-addon.ts'
import type { OnlyInV1Alpha1, OnlyInV1Beta1 } from './unfitting.ts'
import { recall } from './unfitting.ts'

type NewStatus = NonNullable<ManagedClusterAddOn['status']>
type New = NonNullable<NewStatus['registrations']>[number]
type OldStatus = NonNullable<ManagedClusterAddOnV1Alpha1['status']>
type Old = NonNullable<OldStatus['registrations']>[number]
type Driver = NonNullable<OldStatus['kubeClientDriver']>

type OldFields = Pick<OldStatus, 'registrations' | 'kubeClientDriver'>
type NewFields = Pick<NewStatus, 'registrations'>
type KeptOfOld = Pick<OnlyInV1Alpha1, 'kubeClientDriver' | 'kubeClients'>
type KeptOfNew = Pick<OnlyInV1Beta1, 'kubeClientDriver' | 'registrations'>
type KeptRegistration = NonNullable<KeptOfNew['registrations']>[number]

/** In v1alpha1 a registration is one for the hub by its signer, in v1beta1 by its type. */
export const kubeClientSigner = 'kubernetes.io/kube-apiserver-client'

const keyOf = (signerName: string, user: string | undefined) => JSON.stringify([signerName, user])

export function newRegistrations(old: OldFields, kept: KeptOfNew): NewFields {
  if (!old.registrations) return {}
  const driver = old.kubeClientDriver
  const isEdited = driver !== kept.kubeClientDriver
  const recalled = recall(
    old.registrations,
    ({ signerName, subject }) => keyOf(signerName, subject?.user),
    kept.registrations ?? [],
    ({ signerName, user }) => (signerName === undefined ? 'not shown' : keyOf(signerName, user)),
  )
  const registrations = old.registrations.map((registration, index) => {
    const found = recalled[index]
    return newRegistration(registration, found, found && !isEdited ? found.driver : driver)
  })
  for (const [index, { signerName, kubeClient }] of (kept.registrations ?? []).entries())
    if (signerName === undefined) registrations.splice(index, 0, defined({ type: 'customSigner' as const, kubeClient }))
  return { registrations }
}

function newRegistration({ signerName, subject }: Old, kept: KeptRegistration = {}, driver?: Driver): New {
  const { user, groups, organizationUnit: organizationUnits } = subject ?? {}
  if (signerName !== kubeClientSigner || kept.custom)
    return defined({
      type: 'customSigner' as const,
      customSigner: defined({ signerName, subject: subject && defined({ user, groups, organizationUnits }) }),
      kubeClient: kept.kubeClient,
    })
  const kubeClient = defined({ subject: subject && defined({ user, groups }), driver })
  const isBare = kept.bare && Object.keys(kubeClient).length === 0
  return defined({
    type: 'kubeClient' as const,
    kubeClient: isBare ? undefined : kubeClient,
    customSigner: kept.customSigner,
  })
}

export function oldRegistrations({ registrations }: NewFields, kept: KeptOfOld): OldFields {
  const told = driverOf(registrations)
  const isKept = kept.kubeClientDriver && kept.kubeClientDriver.whileTold === told
  const kubeClientDriver = isKept ? kept.kubeClientDriver?.is : told
  if (!registrations) return defined({ kubeClientDriver })
  const kubeClients = registrations.filter(({ type }) => type === 'kubeClient')
  const recalled = recall(
    kubeClients,
    ({ kubeClient }) => keyOf(kubeClientSigner, kubeClient?.subject?.user),
    kept.kubeClients ?? [],
    ({ user }) => keyOf(kubeClientSigner, user),
  )
  const units = new Map(kubeClients.map((one, index) => [one, recalled[index]?.organizationUnit]))
  const shown = registrations.flatMap((one) => oldRegistration(one, units.get(one)) ?? [])
  return defined({ registrations: shown, kubeClientDriver })
}

/** Undefined for one that names no signer: an agent of v1alpha1 has nobody to ask. */
function oldRegistration({ type, kubeClient, customSigner }: New, organizationUnit?: string[]): Old | undefined {
  if (type === 'kubeClient') {
    const subject = kubeClient?.subject && defined({ ...kubeClient.subject, organizationUnit })
    return defined({ signerName: kubeClientSigner, subject })
  }
  if (!customSigner) return undefined
  const { signerName, subject } = customSigner
  const { user, groups, organizationUnits } = subject ?? {}
  return defined({ signerName, subject: subject && defined({ user, groups, organizationUnit: organizationUnits }) })
}

/** v1alpha1 has one driver for all of them. */
const driverOf = (registrations: readonly New[] = []): Driver | undefined =>
  registrations.find(({ type, kubeClient }) => type === 'kubeClient' && kubeClient?.driver)?.kubeClient?.driver

/** What of the old fields is not in the new ones they became. */
export function onlyInOld(old: OldFields, made: NewFields): KeptOfOld {
  const { registrations = [] } = made
  const { kubeClientDriver: is } = old
  const whileTold = driverOf(registrations)
  const isInNew = isDeepStrictEqual(oldRegistrations(made, {}).registrations, old.registrations)
  const shown = registrations.filter(({ type, customSigner }) => type === 'kubeClient' || customSigner)
  return defined({
    kubeClientDriver: is === whileTold ? undefined : defined({ is, whileTold }),
    kubeClients: isInNew
      ? undefined
      : shown.flatMap(({ type }, index) => {
          const { user, organizationUnit } = old.registrations?.[index]?.subject ?? {}
          return type === 'kubeClient' ? [defined({ user, organizationUnit })] : []
        }),
  })
}

/** What of the new fields is not in the old ones they became. */
export function onlyInNew({ registrations }: NewFields, made: OldFields): KeptOfNew {
  const { kubeClientDriver } = made
  const wouldBe = newRegistrations(made, defined({ kubeClientDriver }))
  if (!registrations || isDeepStrictEqual(wouldBe.registrations, registrations)) return {}
  return defined({ kubeClientDriver, registrations: registrations.map(keptOf) })
}

function keptOf({ type, kubeClient, customSigner }: New): KeptRegistration {
  if (type === 'kubeClient')
    return defined({
      signerName: kubeClientSigner,
      user: kubeClient?.subject?.user,
      driver: kubeClient?.driver,
      bare: kubeClient ? undefined : true,
      customSigner,
    })
  const signerName = customSigner?.signerName
  return defined({
    signerName,
    user: customSigner?.subject?.user,
    custom: signerName === kubeClientSigner ? true : undefined,
    kubeClient,
  })
}
