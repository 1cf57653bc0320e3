import type { ConversionWebhook } from '../../apis/crd.ts'
import type { AnyCustomResource } from '../../apis/declare.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { managedBy, manifest } from '../../fleet/manifests/manifest.ts'
import { customResourceDefinitions } from '../../kube/kinds.ts'

/** The kinds themselves. `conversion` is where objects are turned from one version into another. */
export const crdManifests = (kinds: readonly AnyCustomResource[], conversion?: ConversionWebhook): Manifest[] =>
  kinds.map((kind) => {
    const { metadata, spec } = kind.crd(conversion && { conversion })
    const name = `${kind.declaration.plural}.${kind.declaration.group}`
    return manifest(customResourceDefinitions, { metadata: { ...metadata, name, labels: { ...managedBy } }, spec })
  })
