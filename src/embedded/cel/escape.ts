const reserved: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var void ' +
    'while'
  ).split(' '),
)

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}

/** How an expression names a field. Nothing for a name that no expression can say. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined
  return name.replaceAll(/__|[-./]/g, (part) => escapes[part] ?? part)
}
