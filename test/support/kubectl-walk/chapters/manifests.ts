/** What several chapters are about. */

/** One file of several objects. */
export const documents = (...objects: object[]): string => objects.map((one) => JSON.stringify(one)).join('\n---\n')

const labels = { app: 'web' }

export const configMap = (name: string, data: Record<string, string>, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

export const deployment = (name: string, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'example.com/web:1',
            ports: [{ containerPort: 8080 }],
            env: [{ name: 'A', value: '1' }],
          },
          { name: 'side', image: 'example.com/side:1' },
        ],
      },
    },
    ...spec,
  },
})

export const pod = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'example.com/web:1',
        command: ['serve', '--all'],
        ports: [{ name: 'http', containerPort: 8080 }],
        env: [
          { name: 'A', value: '1' },
          { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'one' } } },
        ],
        resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
        readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
        volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
      },
    ],
    volumes: [{ name: 'scratch', emptyDir: {} }],
    ...spec,
  },
})

export const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, labels },
  spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
})

/** Widgets, a kind of a group that belongs to the version and the chapter, with a scale and a status. */
export const widgets = (chapter: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${chapter}$v.example.com` },
  spec: {
    group: `${chapter}$v.example.com`,
    scope: 'Namespaced',
    names: {
      plural: `widgets`,
      singular: 'widget',
      kind: 'Widget',
      listKind: 'WidgetList',
      shortNames: [`wi${chapter}$v`],
      categories: [`things${chapter}$v`],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: widgetSchema },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Colour', type: 'string', jsonPath: '.spec.look.colour', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      },
    ],
  },
})

const widgetSchema = {
  type: 'object',
  description: 'Widget is a thing that somebody made for this walk.',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      description: 'What is wanted.',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 100, description: 'How large it is.' },
        replicas: { type: 'integer', default: 1 },
        look: {
          type: 'object',
          description: 'How it looks.',
          properties: {
            colour: { type: 'string', enum: ['red', 'green'], default: 'red', description: 'In one word.' },
            marks: { type: 'array', items: { type: 'object', properties: { at: { type: 'string' } } } },
          },
        },
        tags: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    status: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        selector: { type: 'string' },
        conditions: {
          type: 'array',
          items: {
            type: 'object',
            properties: { type: { type: 'string' }, status: { type: 'string' }, reason: { type: 'string' } },
          },
        },
      },
    },
  },
}

export const widget = (chapter: string, name: string, spec: object) => ({
  apiVersion: `${chapter}$v.example.com/v1`,
  kind: 'Widget',
  metadata: { name },
  spec,
})
