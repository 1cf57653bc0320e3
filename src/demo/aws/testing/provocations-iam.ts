import {
  CreateOpenIDConnectProviderCommand,
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  GetRoleCommand,
  ListRoleTagsCommand,
  ListUsersCommand,
  PutRolePolicyCommand,
  TagRoleCommand,
} from '@aws-sdk/client-iam'
import type { Provocation } from './provocations-caller.ts'
import type { Scene } from './scene.ts'
import { allow, hubAccount, issuer, policyOf, trustAccount } from './scene.ts'

const make = ({ clients }: Scene, input: Partial<ConstructorParameters<typeof CreateRoleCommand>[0]>) =>
  clients().iam.send(
    new CreateRoleCommand({
      RoleName: 'r',
      AssumeRolePolicyDocument: JSON.stringify(trustAccount(hubAccount)),
      ...input,
    }),
  )

const tags = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ Key: `key-${from + index}`, Value: 'v' }))

const provider = ({ clients }: Scene, Url: string) =>
  clients().iam.send(new CreateOpenIDConnectProviderCommand({ Url, ClientIDList: ['sts.amazonaws.com'] }))

export const iamProvocations = {
  ACTION_UNKNOWN: ({ clients }) => clients().iam.send(new ListUsersCommand({})),
  VALUE_MISSING: (scene) => make(scene, { AssumeRolePolicyDocument: undefined }),
  VALUE_TOO_LONG: (scene) => make(scene, { RoleName: 'r'.repeat(65) }),
  VALUE_TOO_SHORT: ({ clients }) =>
    clients().iam.send(new DetachRolePolicyCommand({ RoleName: 'r', PolicyArn: 'arn:aws' })),
  VALUE_MALFORMED: (scene) => make(scene, { RoleName: 'with/slash' }),
  VALUE_OUT_OF_RANGE: (scene) => make(scene, { MaxSessionDuration: 60 }),
  async MARKER_UNKNOWN(scene) {
    await make(scene, {})
    await scene.clients().iam.send(new ListRoleTagsCommand({ RoleName: 'r', Marker: 'invented' }))
  },
  TAG_RESERVED: (scene) => make(scene, { Tags: [{ Key: 'aws:mine', Value: '' }] }),
  TAG_TWICE: (scene) =>
    make(scene, {
      Tags: [
        { Key: 'a', Value: '1' },
        { Key: 'A', Value: '2' },
      ],
    }),
  ROLE_UNKNOWN: ({ clients }) => clients().iam.send(new GetRoleCommand({ RoleName: 'never' })),
  async ROLE_POLICY_UNKNOWN(scene) {
    await make(scene, {})
    await scene.clients().iam.send(new DeleteRolePolicyCommand({ RoleName: 'r', PolicyName: 'never' }))
  },
  async ATTACHMENT_UNKNOWN(scene) {
    await make(scene, {})
    const PolicyArn = 'arn:aws:iam::aws:policy/ReadOnlyAccess'
    await scene.clients().iam.send(new DetachRolePolicyCommand({ RoleName: 'r', PolicyArn }))
  },
  async ROLE_EXISTS(scene) {
    await make(scene, { RoleName: 'Taken' })
    await make(scene, { RoleName: 'taken' })
  },
  async ROLE_HAS_ATTACHMENTS(scene) {
    await make(scene, {})
    scene.hub.attach('r', 'arn:aws:iam::aws:policy/ReadOnlyAccess')
    await scene.clients().iam.send(new DeleteRoleCommand({ RoleName: 'r' }))
  },
  async ROLE_HAS_POLICIES({ createRole, clients }) {
    await createRole('r', { policy: policyOf(allow('eks:*')) })
    await clients().iam.send(new DeleteRoleCommand({ RoleName: 'r' }))
  },
  async TOO_MANY_ROLES(scene) {
    for (let made = 0; ; made++) await make(scene, { RoleName: `r${made}` })
  },
  async TOO_MANY_TAGS(scene) {
    await make(scene, { Tags: tags(50) })
    await scene.clients().iam.send(new TagRoleCommand({ RoleName: 'r', Tags: tags(1, 50) }))
  },
  TRUST_TOO_LARGE: (scene) => {
    const [statement = {}] = trustAccount(hubAccount).Statement
    const many = policyOf(...Array.from({ length: 30 }, () => statement))
    return make(scene, { AssumeRolePolicyDocument: JSON.stringify(many) })
  },
  async POLICIES_TOO_LARGE(scene) {
    await make(scene, {})
    const PolicyDocument = JSON.stringify(
      policyOf(allow('eks:*', Array(150).fill('arn:aws:eks:eu-west-1:1:cluster/hub'))),
    )
    for (const PolicyName of ['one', 'two'])
      await scene.clients().iam.send(new PutRolePolicyCommand({ RoleName: 'r', PolicyName, PolicyDocument }))
  },
  async PROVIDER_EXISTS(scene) {
    await provider(scene, issuer)
    await provider(scene, issuer)
  },
  PROVIDER_URL_WRONG: (scene) => provider(scene, 'http://plain.example.com'),
} satisfies Record<string, Provocation>
