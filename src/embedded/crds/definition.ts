import type { Schema } from '../../core/schema/schema.ts'
import type { ApiObject } from '../objects.ts'

/** A CustomResourceDefinition after decoding and defaulting. What a client may have left out is optional. */
export interface Definition extends ApiObject {
  spec: DefinitionSpec
  status?: DefinitionStatus
}

export interface DefinitionSpec {
  group: string
  names: Names
  scope: string
  versions?: DefinitionVersion[]
  conversion?: Conversion
  preserveUnknownFields?: boolean
}

export interface Names {
  plural: string
  singular?: string
  shortNames?: string[]
  kind: string
  listKind?: string
  categories?: string[]
}

export interface DefinitionVersion {
  name: string
  served: boolean
  storage: boolean
  deprecated?: boolean
  deprecationWarning?: string
  schema?: { openAPIV3Schema?: Schema }
  subresources?: Subresources
  additionalPrinterColumns?: PrinterColumn[]
  selectableFields?: { jsonPath: string }[]
}

export interface Subresources {
  status?: object
  scale?: ScalePaths
}

export interface ScalePaths {
  specReplicasPath: string
  statusReplicasPath: string
  labelSelectorPath?: string
}

export interface PrinterColumn {
  name: string
  type: string
  format?: string
  description?: string
  priority?: number
  jsonPath: string
}

export interface Conversion {
  strategy: string
  webhook?: ConversionWebhook
}

export interface ConversionWebhook {
  clientConfig?: WebhookClient
  conversionReviewVersions?: string[]
}

export interface WebhookClient {
  url?: string
  service?: { namespace: string; name: string; path?: string; port?: number }
  /** Base64 of PEM. */
  caBundle?: string
}

export interface DefinitionStatus {
  conditions?: Condition[] | null
  acceptedNames?: Names
  storedVersions?: string[]
}

export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export const asDefinition = (object: ApiObject): Definition => object as Definition

export const storageVersionOf = ({ spec }: Definition): DefinitionVersion | undefined =>
  spec.versions?.find(({ storage }) => storage)

export const hasCondition = ({ status }: Definition, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false

/** What holds a definition back until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'
