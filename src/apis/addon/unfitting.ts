/**
 * What one version of a ManagedClusterAddOn can say and the other cannot, kept in an annotation of the other form so
 * that it is there again when the object is converted back.
 *
 * Whoever may write annotations may write these, without the right to write the status. So they hold only what gives
 * nobody anything: no signer, no user and no group of a registration that counts comes out of an annotation. Its driver
 * may, which says by what means the agent proves to be that user, not who that is or what it may do: v1alpha1 has one
 * driver for all registrations, so those of single ones can be kept nowhere else.
 */

import type { Static, TObject } from 'typebox'
import * as Type from 'typebox'
import { mostLevels, nestsDeeper } from '../../core/json-depth.ts'
import { ownDomain } from '../../core/own-domain.ts'
import { problemsOf } from '../../core/schema/check.ts'
import { prune } from '../../core/schema/prune.ts'
import { structural } from '../../core/schema/structural.ts'
import { AddOnConfiguration, CustomSigner, Driver, KubeClient } from './managed-cluster-addon.ts'

const text = Type.Optional(Type.String())
const flag = Type.Optional(Type.Boolean())

/** On the v1beta1 form. */
const OnlyInV1Alpha1 = Type.Object({
  /** The annotation of that name that was there beside the field, or in place of it. */
  installNamespace: Type.Optional(Type.Object({ annotation: Type.String(), fieldless: flag })),
  /** Where the registrations tell another, or none: it is so as long as they tell that. */
  kubeClientDriver: Type.Optional(Type.Object({ is: Type.Optional(Driver), whileTold: Type.Optional(Driver) })),
  /** One for each kubeClient registration, in order. */
  kubeClients: Type.Optional(
    Type.Array(Type.Object({ user: text, organizationUnit: Type.Optional(Type.Array(Type.String())) })),
  ),
  /** One for each configReference, in order; `of` is what it is known by in v1beta1. */
  configReferences: Type.Optional(
    Type.Array(Type.Object({ of: Type.String(), name: Type.String({ minLength: 1 }), namespace: text })),
  ),
  addOnConfiguration: Type.Optional(AddOnConfiguration),
})
export type OnlyInV1Alpha1 = Static<typeof OnlyInV1Alpha1>

/** On the v1alpha1 form. */
const OnlyInV1Beta1 = Type.Object({
  /** What status.kubeClientDriver was made: another value there now is an edit. */
  kubeClientDriver: Type.Optional(Driver),
  /** One for each registration, in order. */
  registrations: Type.Optional(
    Type.Array(
      Type.Object({
        /** What it is known by in v1alpha1; absent for one that names no signer and is not shown there. */
        signerName: text,
        user: text,
        /** It has the type customSigner though its signer is that of kubeClient. */
        custom: flag,
        driver: Type.Optional(Driver),
        /** Its type is kubeClient, and the field of that name is missing. */
        bare: flag,
        /** The field of the type it does not have. */
        kubeClient: Type.Optional(KubeClient),
        customSigner: Type.Optional(CustomSigner),
      }),
    ),
  ),
})
export type OnlyInV1Beta1 = Static<typeof OnlyInV1Beta1>

type Annotations = Record<string, string>

export const onlyInV1Alpha1 = unfitting(`${ownDomain}/only-in-v1alpha1`, OnlyInV1Alpha1)
export const onlyInV1Beta1 = unfitting(`${ownDomain}/only-in-v1beta1`, OnlyInV1Beta1)

function unfitting<T extends TObject>(annotation: string, declared: T) {
  const schema = structural(declared)
  return {
    annotation,
    /** What cannot be understood was not written by us, and is as good as nothing. */
    read(annotations: Annotations): Static<T> {
      const value = parse(annotations[annotation] ?? '{}')
      return (problemsOf(schema, value).length === 0 ? prune(schema, value).value : {}) as Static<T>
    },
    /** The annotation, if there is anything to keep. */
    write(kept: Static<T>): Annotations {
      return Object.keys(kept as object).length === 0 ? {} : { [annotation]: JSON.stringify(kept) }
    },
  }
}

function parse(json: string): unknown {
  try {
    return nestsDeeper(Buffer.from(json), mostLevels) ? undefined : JSON.parse(json)
  } catch {
    return undefined
  }
}

/**
 * Gives each item what was kept of it: items and what is kept have the same order, so of several with the same key the
 * first gets the first. An item that was changed beyond recognition, or is new, gets nothing.
 */
export function recall<I, K>(
  items: readonly I[],
  keyOf: (item: I) => string,
  kept: readonly K[],
  keptKeyOf: (kept: K) => string,
): (K | undefined)[] {
  const left = Map.groupBy(kept, keptKeyOf)
  return items.map((item) => left.get(keyOf(item))?.shift())
}
