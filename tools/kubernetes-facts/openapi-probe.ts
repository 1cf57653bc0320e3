import { setTimeout } from 'node:timers/promises'
import { KubeFailure } from '../../src/kube/failures.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Document } from './openapi.ts'

const group = 'facts.lanyard.test'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const path = `/openapi/v3/apis/${group}/v1`

/** What a kind has that the real server adds something to: subresources, and an object in it. */
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `probes.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'probes', singular: 'probe', kind: 'Probe', listKind: 'ProbeList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              embedded: {
                type: 'object',
                'x-kubernetes-embedded-resource': true,
                properties: { own: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
}

/** The document of a kind that is defined for it and removed again. It is published a while after the definition. */
export async function probeDocument(kube: Kube): Promise<Document> {
  await kube.request({ method: 'POST', path: definitions, body: definition })
  try {
    for (let attempt = 0; attempt < 120; attempt++) {
      const document = await documentOrNothing(kube)
      if (document) return document
      await setTimeout(250)
    }
    throw new Error(`${path} was not published`)
  } finally {
    await kube.request({ method: 'DELETE', path: `${definitions}/${definition.metadata.name}` })
  }
}

async function documentOrNothing(kube: Kube): Promise<Document | undefined> {
  try {
    return await kube.request<Document>({ path })
  } catch (error) {
    if (error instanceof KubeFailure && error.code === 404) return undefined
    throw error
  }
}
