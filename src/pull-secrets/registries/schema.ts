import * as Type from 'typebox'

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))
const file = (description: string) => text(`File with ${description}. Read again when it changes.`)
const can = (description: string) => Type.Optional(Type.Boolean({ description }))

const type = Type.Union(
  [
    Type.Literal('Quay'),
    Type.Literal('Redhat'),
    Type.Literal('Harbor'),
    Type.Literal('Nexus'),
    Type.Literal('Generic'),
  ],
  { description: 'The protocol it speaks.' },
)

const auth = Type.Object(
  {
    tokenFile: file('a bearer token'),
    username: text('With `passwordFile`: basic credentials.'),
    passwordFile: file('the password to `username`'),
    certFile: file('a client certificate'),
    keyFile: file('the key of that certificate'),
    caFile: file('the authorities that the registry is trusted by, in place of those of the system'),
  },
  { description: 'By what the service itself is let in. Only files: no secret stands in a configuration.' },
)

const rate = Type.Object(
  {
    rps: Type.Number({ exclusiveMinimum: 0, description: 'Calls a second.' }),
    burst: Type.Integer({ minimum: 1, description: 'That many at once after a rest.' }),
  },
  { description: 'What this process asks of the registry at most. Absent: 2 a second, 5 at once.' },
)

const generic = Type.Object(
  {
    exec: Type.Optional(
      Type.Object(
        {
          command: Type.String({ minLength: 1, description: 'Absolute path of the program.' }),
          args: Type.Optional(Type.Array(Type.String(), { description: 'Its arguments. No secrets.' })),
        },
        { description: 'A program that is run for each request.' },
      ),
    ),
    http: Type.Optional(
      Type.Object(
        { baseUrl: Type.String({ minLength: 1, description: 'Address of the server.' }) },
        { description: 'A server that is called for each request.' },
      ),
    ),
    settings: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        description: 'Handed on with every request. No keys.',
      }),
    ),
    capabilities: Type.Optional(
      Type.Object(
        {
          rereadSecret: can('It tells the secret of an account again.'),
          softDelete: can('What was removed can be recovered.'),
          disable: can('Accounts can be switched off and on.'),
          nativeExpiry: can('Accounts end by themselves.'),
          choosesSecret: can('The secret is chosen here.'),
        },
        { description: 'What it can do.' },
      ),
    ),
  },
  { description: 'Of type Generic: who speaks for the registry.' },
)

/** An entry under `pullSecrets.registries` of lanyard.yaml. */
export const registrySchema = Type.Object({
  id: Type.String({ minLength: 1, description: 'By what it is called in the API, in metrics and by other entries.' }),
  name: text('What people call it. Absent: its id.'),
  type,
  url: Type.String({ minLength: 1, description: 'The host as it stands in the pull secret, without a scheme.' }),
  orgName: text('Quay: the organization.'),
  teamName: text('Quay: the team that gives the rights. Made, without any rights, when it does not exist.'),
  cloudAlias: can('Quay: cloud.openshift.com shows the same credential.'),
  enabled: can('Absent: true.'),
  credentialSource: text('Id of the entry whose credential is shown here as well.'),
  required: can('Whether there is no pull secret without it. Absent: true.'),
  apiBaseUrl: text('Address of its API. Absent: by the type and the host.'),
  auth: Type.Optional(auth),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 100, maximum: 120_000, description: 'Of one call.' })),
  rate: Type.Optional(rate),
  maxNameLength: Type.Optional(Type.Integer({ minimum: 30, maximum: 255, description: 'Of the name of an account.' })),
  partnerCode: text('Redhat: whose accounts. Absent: ocm-service.'),
  project: text('Harbor: the project that is pulled from.'),
  durationDays: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Harbor: life of an account. Absent: for good.' }),
  ),
  repositories: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description: 'What may be pulled.' })),
  roles: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description: 'Nexus: the roles that users get.' })),
  allowStaticKeys: can('Accepts long-lived keys of a cloud in this entry. Absent: false.'),
  loginUrl: text('Where clients log in, to try a credential. Absent: by the type and the host.'),
  generic: Type.Optional(generic),
})

export const registriesSchema = Type.Array(registrySchema, {
  description:
    'Where clusters pull from, one entry a host. Needed, but for `lanyard pull-secrets serve --stand-ins`: each has credentials of its own to be let in by.',
})
