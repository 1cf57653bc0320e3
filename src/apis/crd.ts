import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import type { Schema } from '../core/schema/schema.ts'
import type { Declaration, Version } from './declare.ts'
import { mistakesIn } from './mistakes.ts'

/** How the API server reaches the conversion webhook: known where Lanyard is installed, not where it is declared. */
export type ConversionWebhook = { caBundle: string } & (
  | { url: string }
  | { service: { namespace: string; name: string; port?: number } }
)

/**
 * The manifest. Without a webhook's address a resource that needs conversion is written with strategy None: whoever
 * installs it fills the address in.
 */
export function crdOf(
  declaration: Declaration,
  schemaOf: (version: string) => Schema,
  webhook?: ConversionWebhook,
): CustomResourceDefinition {
  const mistakes = mistakesIn(declaration, schemaOf)
  if (mistakes.length > 0) throw new TypeError(`${declaration.kind}: ${mistakes.join('; ')}`)
  const { group, kind, plural, singular, scope, shortNames = [], categories = [], annotations } = declaration
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(annotations && { annotations: { ...annotations } }) },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
        ...(categories.length > 0 && { categories: [...categories] }),
      },
      scope,
      ...conversionOf(declaration, webhook),
      versions: declaration.versions.map((version) => versionOf(version, schemaOf(version.name))),
    },
  }
}

function conversionOf({ conversion }: Declaration, webhook?: ConversionWebhook) {
  if (!conversion || !webhook) return {}
  const { caBundle } = webhook
  const { webhookPath: path } = conversion
  const clientConfig =
    'url' in webhook
      ? { caBundle, url: new URL(path, webhook.url).href }
      : { caBundle, service: { ...webhook.service, path } }
  return { conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } }
}

function versionOf(version: Version, schema: Schema): CustomResourceDefinitionVersion {
  const { name, served = true, storage = false, deprecated, columns = [], selectableFields = [] } = version
  const subresources = subresourcesOf(version)
  return {
    name,
    served,
    storage,
    ...(deprecated && { deprecated: true }),
    ...(typeof deprecated === 'string' && { deprecationWarning: deprecated }),
    schema: { openAPIV3Schema: schema as JSONSchemaProps },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(columns.length > 0 && { additionalPrinterColumns: columns.map((column) => ({ ...column })) }),
    ...(selectableFields.length > 0 && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
  }
}

export function subresourcesOf({ schema, subresources = {} }: Version) {
  const { status = 'status' in schema.properties, scale } = subresources
  return { ...(status && { status: {} }), ...(scale && { scale: { ...scale } }) }
}

/** What the API server knows of every object and asks to see in its schema. */
export const rootSchema = (schema: Schema): Schema => ({
  ...schema,
  properties: {
    apiVersion: { description: 'Group and version of this form of the object.', type: 'string' },
    kind: { description: 'Name of the resource this object is one of.', type: 'string' },
    metadata: { type: 'object' },
    ...schema.properties,
  },
})
