import type { Static } from 'typebox'
import * as Type from 'typebox'

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

const sink = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
      description: 'How records, reports and metrics call it. Under another name all copies are made anew.',
    }),
    type: Type.Union(
      [
        Type.Literal('kubernetes'),
        Type.Literal('aws'),
        Type.Literal('google'),
        Type.Literal('azure'),
        Type.Literal('vault'),
      ],
      { description: 'Which store it is.' },
    ),
    allowStaticKeys: Type.Optional(
      Type.Boolean({ description: 'Accepts long-lived keys of a cloud, from here and from the environment.' }),
    ),

    namespace: text('kubernetes: of the Secrets. vault: the namespace of an Enterprise server.'),
    kubeconfig: text('kubernetes: absent, the usual places and the own service account are looked at.'),
    context: text('kubernetes: of that kubeconfig.'),

    region: text('aws: of the Secrets Manager.'),
    endpoint: text('aws, google: another address than the public one.'),
    recoveryDays: Type.Optional(
      Type.Integer({
        minimum: 7,
        maximum: 30,
        description: 'aws: how long a removed copy can be restored. Default: 7.',
      }),
    ),
    accessKeyId: text('aws: a static key; needs allowStaticKeys.'),
    secretAccessKeyFile: text('aws: the file with the rest of it.'),

    project: text('google: whose Secret Manager.'),

    vaultUrl: text('azure: https://<name>.vault.azure.net'),
    clientId: text('azure: of a user-assigned identity. Default: that of the environment.'),

    address: text('vault: its URL.'),
    mount: text('vault: of the KV engine, version 2. Default: secret.'),
    path: text('vault: the folder of the copies. Default: hyperfleet.'),
    tokenFile: text('vault: a file with a token, as an agent of Vault keeps it.'),
    role: text('vault: the role to log in with, by the token of the own service account.'),
    authMount: text('vault: of the Kubernetes login. Default: kubernetes.'),
    jwtFile: text('vault: the token to log in with. Default: that of the pod.'),
    caFile: text('vault: who vouches for it, PEM.'),
  },
  { additionalProperties: false },
)

/** The list `pullSecrets.sinks`. */
export const sinkSettings = Type.Array(sink, {
  default: [],
  description: 'Stores that get a copy of each document. The database stays the place of record.',
})

export type SinkConfig = Static<typeof sink>
