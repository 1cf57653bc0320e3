import { catalogue } from '../../core/failure.ts'

/** Sentences name files, fields and names, never a value that could be a credential. */
export const failures = catalogue({
  KUBECONFIG_NOTHING_FOUND: [404, 'found no cluster to talk to ({tried}); pass --kubeconfig PATH'],
  KUBECONFIG_MISSING: [404, '{path} does not exist; pass --kubeconfig PATH with the path of a kubeconfig'],
  KUBECONFIG_UNREADABLE: [500, 'cannot read {path} ({problem}); check that it is a file this user may read'],
  KUBECONFIG_UNWRITABLE: [500, 'cannot write {path} ({problem}); check that its folder exists and is writable'],
  KUBECONFIG_NOT_YAML: [422, '{source} is neither YAML nor JSON ({problem} at line {line}, column {column})'],
  KUBECONFIG_INVALID: [422, '{source}: {field}: {problem}'],
  KUBECONFIG_UNSUPPORTED: [422, '{source}: {field}: {problem}'],
  KUBECONFIG_NOT_SELF_CONTAINED: [422, '{source}: {field}: {problem}'],
  KUBECONFIG_NO_CONTEXT: [422, '{source} sets no current-context; pass {flag} NAME ({contexts})'],
  KUBECONFIG_UNKNOWN_CONTEXT: [404, '{source} has no context named "{context}"; pass {flag} NAME ({contexts})'],
  KUBECONFIG_CREDENTIAL_FILE: [500, '{path}: {problem}'],
  KUBECONFIG_KEY_MISMATCH: [
    500,
    'the client key ({key}) does not belong to the client certificate ({certificate}); if both are being rotated, try again',
  ],
  KUBECONFIG_NOT_IN_CLUSTER: [404, 'this process does not run in a pod with a service account ({missing} is missing)'],
  KUBECONFIG_EXEC_NOT_FOUND: [500, '{source}: {field}: the credential plugin {command} was not found; {hint}'],
  KUBECONFIG_EXEC_NOT_STARTED: [500, '{source}: {field}: the credential plugin {command} cannot be run ({problem})'],
  KUBECONFIG_EXEC_NEEDS_TERMINAL: [
    500,
    '{source}: {field}: the credential plugin {command} asks its user and there is no terminal; log in with it by hand first, or set interactiveMode to IfAvailable if it can do without',
  ],
  KUBECONFIG_EXEC_FAILED: [
    500,
    '{source}: {field}: the credential plugin {command} ended with {exit}; it said: {said}',
  ],
  KUBECONFIG_EXEC_DEADLINE: [
    504,
    '{source}: {field}: the credential plugin {command} gave no answer within {deadlineMs} ms; it said: {said}',
  ],
  KUBECONFIG_EXEC_BAD_OUTPUT: [
    502,
    '{source}: {field}: the credential plugin {command} printed no usable ExecCredential: {problem}',
  ],
})
