import { installNamespaceAnnotation } from '../apis/addon/conversion.ts'
import type { ManagedClusterAddOn } from '../apis/addon/managed-cluster-addon.ts'
import { addonNamespace, addonSecrets, clientSigner } from '../fleet/names.ts'
import { defined } from '../kube/kubeconfig/defined.ts'
import type { Stored } from '../kube/objects.ts'

export type DriverName = 'csr' | 'token'
type Registrations = NonNullable<NonNullable<ManagedClusterAddOn['status']>['registrations']>
export type Registration = Registrations[number]

/** What is absent is left open. */
export interface ItemSubject {
  readonly user?: string
  readonly groups?: readonly string[]
  readonly organizationUnits?: readonly string[]
}

type WrittenSubject = { [Field in keyof ItemSubject]?: ItemSubject[Field] | null }

/** A subject as it counts: the types of the field write an empty string, list or null where they say nothing. */
export function subjectOf(written: WrittenSubject | null | undefined): ItemSubject {
  const { user, groups, organizationUnits } = written ?? {}
  const texts = (list: readonly string[] | null | undefined) => {
    const said = list?.filter((text) => text !== '') ?? []
    return said.length > 0 ? said : undefined
  }
  return defined({ user: user || undefined, groups: texts(groups), organizationUnits: texts(organizationUnits) })
}

/** One credential that an add-on needs, as its registration says. */
export interface RegistrationItem {
  readonly cluster: string
  readonly addon: string
  /** Its place in `status.registrations`. */
  readonly index: number
  readonly type: Registration['type']
  readonly signer: string
  readonly subject: ItemSubject
  /** As it stands on the hub; only for the type kubeClient. */
  readonly driver: DriverName | undefined
  /** Where the credential is kept on the managed cluster. */
  readonly secret: { readonly namespace: string; readonly name: string }
}

export const installNamespaceOf = ({ metadata, status }: ManagedClusterAddOn): string =>
  status?.namespace || metadata?.annotations?.[installNamespaceAnnotation] || addonNamespace

/** Of an add-on; those after them do not count. Agents write them, and whatever looks at them looks at each. */
const mostRegistrations = 100

/** Those that can be carried out: a custom signer without a name cannot. */
export function itemsOf(object: Stored<ManagedClusterAddOn>): RegistrationItem[] {
  const { name: addon, namespace: cluster = '' } = object.metadata
  const namespace = installNamespaceOf(object)
  const common = { cluster, addon }
  const counted = (object.status?.registrations ?? []).slice(0, mostRegistrations)
  return counted.flatMap((registration, index): RegistrationItem[] => {
    if (registration.type === 'kubeClient') {
      const { driver } = registration.kubeClient ?? {}
      const subject = subjectOf(registration.kubeClient?.subject)
      const secret = { namespace, name: addonSecrets.kubeClient(addon) }
      return [{ ...common, index, type: 'kubeClient', signer: clientSigner, subject, driver, secret }]
    }
    const { signerName } = registration.customSigner ?? {}
    if (!signerName) return []
    const subject = subjectOf(registration.customSigner?.subject)
    const secret = { namespace, name: addonSecrets.customSigner(addon, signerName) }
    return [{ ...common, index, type: 'customSigner', signer: signerName, subject, driver: undefined, secret }]
  })
}

/** Sentences: which registrations cannot be carried out as they stand, and why. */
export function unusableOf({ status }: ManagedClusterAddOn): string[] {
  const registrations = status?.registrations ?? []
  const nameless = registrations
    .slice(0, mostRegistrations)
    .flatMap(({ type, customSigner }, index) =>
      type === 'customSigner' && !customSigner?.signerName ? [`registration ${index}: it names no signer`] : [],
    )
  if (registrations.length <= mostRegistrations) return nameless
  return [
    ...nameless,
    `registration ${mostRegistrations} and those after it: an add-on has ${mostRegistrations} at most`,
  ]
}

/** The item in words that tell it from the others of its add-on. */
export const itemName = ({ type, signer }: RegistrationItem): string => (type === 'kubeClient' ? type : signer)
