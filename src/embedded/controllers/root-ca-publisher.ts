import { isDeepStrictEqual } from 'node:util'
import type { Controller } from '../../kube/controller.ts'
import { configMaps } from '../../kube/kinds.ts'
import type { ControllerDeps } from './deps.ts'
import { inEachNamespace } from './in-each-namespace.ts'
import type { Informers } from './informers.ts'

const name = 'kube-root-ca.crt'
const description = 'kubernetes.io/description'
const descriptionText =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/** Every namespace tells whom to trust as the API server. */
export function rootCaPublisher(deps: ControllerDeps, informers: Informers): Controller {
  const published = informers.configMapsNamed(name)
  const data = { 'ca.crt': deps.serverCaPem }
  return inEachNamespace('root-ca-cert-publisher', deps, informers, published, async (namespace, { signal }) => {
    const place = deps.kube.of(configMaps, namespace)
    const present = published.get(`${namespace}/${name}`)
    const metadata = { ...present?.metadata, name }
    const annotations = { ...metadata.annotations, [description]: descriptionText }
    const wanted = { ...present, metadata: { ...metadata, annotations }, data }
    if (!present) await place.create(wanted, { signal })
    else if (!isDeepStrictEqual(present.data, data) || !present.metadata.annotations?.[description])
      await place.update(wanted, { signal })
  })
}
