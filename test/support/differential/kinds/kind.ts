import type { Dice } from '../dice.ts'

/** What the generators know of a kind. */
export interface KindUnderTest {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** Strategic merge patches are for built-in kinds. */
  readonly custom?: boolean
  /** Names of this kind have rules of their own. */
  readonly names?: readonly string[]
  /** All but apiVersion, kind and metadata. */
  body(dice: Dice): Record<string, unknown>
  /** A part of a body that a patch may bring. Default: a body. */
  fragment?(dice: Dice): Record<string, unknown>
  /** What JSON patches aim at. */
  readonly pointers: readonly string[]
  readonly fieldSelectors?: readonly string[]
  readonly subresources?: readonly string[]
  /** Of the status, for its subresource. */
  status?(dice: Dice): Record<string, unknown>
  /** The planes bring objects of this kind themselves. */
  readonly crowded?: boolean
  /** Every write is a dry run. */
  readonly isDry?: boolean
  /** How often it is drawn. Default 1. */
  readonly weight?: number
}

export const apiVersionOf = ({ group, version }: Pick<KindUnderTest, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

export const rootOf = (kind: Pick<KindUnderTest, 'group' | 'version'>): string =>
  kind.group === '' ? '/api/v1' : `/apis/${apiVersionOf(kind)}`

export function collectionOf(kind: KindUnderTest, namespace: string): string {
  const within = kind.namespaced && namespace !== '' ? `/namespaces/${namespace}` : ''
  return `${rootOf(kind)}${within}/${kind.plural}`
}
