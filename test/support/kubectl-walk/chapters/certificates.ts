import { systemClock } from '../../../../src/core/clock.ts'
import { createRequest, createSelfSigned, generateKey } from '../../../../src/pki/index.ts'
import type { Chapter } from '../step.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const request = base64(
  await createRequest({
    keyPem: generateKey().keyPem,
    subject: { commonName: 'jane', organizations: ['dev', 'ops'] },
    sans: {},
  }),
)

const csr = (name: string, spec: object = {}) => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: `${name}-$v` },
  spec: {
    request,
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['digital signature', 'client auth'],
    expirationSeconds: 3600,
    ...spec,
  },
})

const server = await createSelfSigned({
  subject: { commonName: 'example.com' },
  clock: systemClock,
  lifetimeMs: 3_600_000,
})

export const certificates: Chapter = {
  title: 'certificate',
  files: {
    'good.yaml': csr('good'),
    'denied.yaml': csr('denied'),
    'other.yaml': csr('other', { signerName: 'example.com/other-$v' }),
    'wrong.yaml': csr('wrong', { request: base64('nothing'), usages: ['dance'], expirationSeconds: 5 }),
    'tls.crt': server.certPem,
    'tls.key': server.keyPem.reveal(),
  },
  steps: [
    'create -f good.yaml -f denied.yaml -f other.yaml',
    'create -f wrong.yaml',
    'get csr good-$v denied-$v other-$v',
    'get csr good-$v -o wide',
    'describe csr good-$v',
    'certificate approve good-$v',
    { settle: "wait --for=jsonpath='{.status.certificate}' csr/good-$v" },
    'certificate approve good-$v',
    'certificate deny good-$v',
    'certificate deny denied-$v other-$v',
    'certificate approve denied-$v',
    'certificate approve none-$v',
    'get csr good-$v denied-$v other-$v',
    'get csr good-$v denied-$v -o yaml --show-managed-fields',
    'describe csr good-$v denied-$v',
    'get csr --field-selector=spec.signerName=example.com/other-$v',
    'certificate approve good-$v --as=jane',
    'create secret tls pair --cert=tls.crt --key=tls.key',
    'get secret pair',
    'describe secret pair',
  ],
}
