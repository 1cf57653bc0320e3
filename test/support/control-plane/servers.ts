import type { Assets } from '../../../tools/kube-assets/locate.ts'
import type { ControlPlaneOptions, KubeProgram as Program } from './contract.ts'
import { kubePrograms } from './contract.ts'
import type { Flags } from './flags.ts'
import { apiserverFlags, controllerManagerFlags, etcdFlags, toArguments } from './flags.ts'
import type { Identities } from './identities.ts'
import type { Paths } from './paths.ts'
import { freePort } from './ports.ts'
import { isApiserverReady, isControllerManagerReady, isEtcdReady } from './probe.ts'
import type { ServerProcess } from './server-process.ts'
import { StartFailure, spawnServer, untilReady } from './server-process.ts'

/** How a program is started, the first time and every further time. */
interface Recipe {
  args: string[]
  isReady(): Promise<boolean>
}

/** The programs of one real control plane. */
export class Servers {
  readonly paths: Paths
  readonly options: ControlPlaneOptions
  readonly #assets: Assets
  readonly #recipes = new Map<Program, Recipe>()
  readonly #processes = new Map<Program, ServerProcess>()

  constructor(assets: Assets, paths: Paths, options: ControlPlaneOptions) {
    this.#assets = assets
    this.paths = paths
    this.options = options
  }

  startEtcd(): Promise<void> {
    return this.#launch('etcd', etcdFlags(this.paths), () => isEtcdReady(this.paths.etcdSocket))
  }

  /** Resolves to the port it serves on. */
  startApiserver(identities: Identities): Promise<number> {
    return onFreePort((port) =>
      this.#launch('kube-apiserver', apiserverFlags(this.paths, port, this.options), () =>
        isApiserverReady(port, identities),
      ),
    )
  }

  startControllerManager(identities: Identities): Promise<number> {
    return onFreePort((port) =>
      this.#launch('kube-controller-manager', controllerManagerFlags(this.paths, port, this.options), () =>
        isControllerManagerReady(port, identities),
      ),
    )
  }

  get programs(): readonly Program[] {
    return kubePrograms.filter((program) => this.#recipes.has(program))
  }

  get pids(): Partial<Record<Program, number>> {
    const running = [...this.#processes].filter(([, { ending }]) => ending === undefined)
    return Object.fromEntries(running.map(([program, { pid }]) => [program, pid]))
  }

  /** What ended though nobody had ended it. */
  get faults(): string[] {
    return [...this.#processes.values()].flatMap(({ fault }) => fault ?? [])
  }

  /** Starts what is down. Behind a new etcd the API server has to find its way back, too, before anything works. */
  async start(program: Program): Promise<void> {
    if (this.pids[program] !== undefined) throw new Error(`${program} runs already`)
    await this.#run(program)
    if (program === 'etcd' && this.pids['kube-apiserver'] !== undefined) await this.#untilReady('kube-apiserver')
  }

  async startAll(): Promise<void> {
    for (const program of this.programs) await this.start(program)
  }

  async end(program: Program, signal: NodeJS.Signals): Promise<void> {
    await this.#processes.get(program)?.end(signal)
  }

  /** Storage goes last: the others have something to write when they leave. */
  async endAll(): Promise<void> {
    await Promise.all([this.end('kube-controller-manager', 'SIGTERM'), this.end('kube-apiserver', 'SIGTERM')])
    await this.end('etcd', 'SIGTERM')
  }

  async #launch(program: Program, flags: Flags, isReady: () => Promise<boolean>): Promise<void> {
    this.#recipes.set(program, { args: toArguments(flags, this.options.flags?.[program] ?? {}), isReady })
    await this.#run(program)
  }

  async #run(program: Program): Promise<void> {
    const { args } = this.#recipe(program)
    this.#processes.set(program, await spawnServer(program, this.#assets.path(program), args, this.paths))
    await this.#untilReady(program)
  }

  async #untilReady(program: Program): Promise<void> {
    const process = this.#processes.get(program)
    if (process) await untilReady(process, this.#recipe(program).isReady, this.paths)
  }

  #recipe(program: Program): Recipe {
    const recipe = this.#recipes.get(program)
    if (!recipe) throw new Error(`this control plane was started without ${program}`)
    return recipe
  }
}

const tries = 5

async function onFreePort(start: (port: number) => Promise<void>): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      await start(port)
      return port
    } catch (error) {
      if (!(error instanceof StartFailure) || !error.portTaken || attempt === tries) throw error
    }
  }
}
