/** An object as it is wanted: its name, labels and content, nothing the server adds. */
export type Named<T> = T & { metadata: { name: string; labels: Record<string, string>; finalizers?: string[] } }
