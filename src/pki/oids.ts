/** The object identifiers Lanyard reads or writes. */
export const attributeOids = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  organizationalUnit: '2.5.4.11',
  domainComponent: '0.9.2342.19200300.100.1.25',
  email: '1.2.840.113549.1.9.1',
} as const

export const extensionOids = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  certificatePolicies: '2.5.29.32',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const

export const usageOids = {
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
} as const

export const anyUsageOid = '2.5.29.37.0'
export const extensionRequestOid = '1.2.840.113549.1.9.14'

export const signatureOids = {
  ecdsaSha256: '1.2.840.10045.4.3.2',
  ecdsaSha384: '1.2.840.10045.4.3.3',
  ecdsaSha512: '1.2.840.10045.4.3.4',
  rsaSha256: '1.2.840.113549.1.1.11',
  rsaSha384: '1.2.840.113549.1.1.12',
  rsaSha512: '1.2.840.113549.1.1.13',
  ed25519: '1.3.101.112',
} as const

/** Signatures accepted on a request, with the key type each one needs. */
export const requestSignatures: Readonly<Record<string, { keyType: string; hash: string | null }>> = {
  [signatureOids.ecdsaSha256]: { keyType: 'ec', hash: 'sha256' },
  [signatureOids.ecdsaSha384]: { keyType: 'ec', hash: 'sha384' },
  [signatureOids.ecdsaSha512]: { keyType: 'ec', hash: 'sha512' },
  [signatureOids.rsaSha256]: { keyType: 'rsa', hash: 'sha256' },
  [signatureOids.rsaSha384]: { keyType: 'rsa', hash: 'sha384' },
  [signatureOids.rsaSha512]: { keyType: 'rsa', hash: 'sha512' },
  [signatureOids.ed25519]: { keyType: 'ed25519', hash: null },
}

/** MD2, MD4, MD5 and SHA-1, with RSA, DSA and ECDSA: a second document with the same signature can be made. */
export const weakSignatures: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.3',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.3.14.3.2.29',
  '1.2.840.10040.4.3',
  '1.2.840.10045.4.1',
])
