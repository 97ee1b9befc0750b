import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { StringDecoder } from 'node:string_decoder';

import { createSandboxOver } from '../command/create-sandbox-over.ts';
import type { Launcher, LaunchOptions, RawResult } from '../command/launcher.ts';
import { createOutputCollector } from '../command/output-collector.ts';
import { resolveLimits } from '../limits.ts';
import { refuseNetwork } from '../refuse-network.ts';
import { SandboxError } from '../sandbox-error.ts';
import type { CreateSandbox, ExecEnd, Sandbox, SandboxLimits, SandboxProvider } from '../sandbox.ts';
import { createContainerApi } from './container-api.ts';
import type { ContainerApi } from './container-api.ts';
import { createFrameReader } from './read-frames.ts';
import { createSeccompProfile } from './seccomp-profile.ts';

const OWNER_LABEL = 'dev.lachesis.sandbox.owner';
const ID_LABEL = 'dev.lachesis.sandbox.id';
const CLOSE_GRACE_MS = 5_000;
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';
/** Notes its process group where a second command finds it: an engine has no call that ends an exec. */
const EXEC_SCRIPT =
  'n=$1 t=$2; shift 2; mkdir -p /tmp/.lachesis; setsid -w sh -c \'echo $$ > "/tmp/.lachesis/$0"; t=$1; shift; ulimit -c 0; ulimit -n 1024; ulimit -t "$t"; exec "$@"\' "$n" "$t" "$@"; s=$?; kill -s KILL -- "-$(cat "/tmp/.lachesis/$n")" 2>/dev/null; exit $s';
// Not `kill -KILL --`, which dash does not take.
const KILL_SCRIPT = 'kill -s KILL -- "-$(cat "/tmp/.lachesis/$1")"';
/**
 * Everything of the user but the shell that says so: one call, which no fork gets past. Then only the container's first two
 * processes are there, which are another user's.
 */
const END_SCRIPT =
  'n=0; kill -s KILL -- -1 2>/dev/null; while set -- /proc/[0-9]*; [ $# -gt 3 ]; do n=$((n + 1)); [ "$n" -lt 500 ] || exit 1; kill -s KILL -- -1 2>/dev/null; sleep 0.01; done; exit 0';
const END_TIMEOUT_MS = 20_000;

export interface ContainerProviderOptions {
  /** Docker's by default; Podman's is under /run/user or /run/podman. */
  readonly socketPath?: string;
  /** Used when a sandbox names none. It has a shell, GNU find, coreutils and util-linux, and is pulled already. */
  readonly image?: string;
  readonly user?: string;
}

/** Sandboxes as containers of a Docker or Podman engine: no network, no capabilities, a read-only image, one small disk. */
export function createContainerProvider({
  socketPath = '/var/run/docker.sock',
  image = 'debian:stable-slim',
  user = '65534:65534',
}: ContainerProviderOptions = {}): SandboxProvider {
  const api = createContainerApi({ socketPath });
  const living = new Map<string, Sandbox>();
  let filter: Promise<string> | undefined;
  return {
    name: 'container',
    async create(options) {
      refuseNetwork('container', options);
      const limits = resolveLimits(options.limits);
      const id = randomBytes(6).toString('hex');
      const seccomp = await (filter ??= placeFilter(api));
      const body = describeContainer({ id, image: options.image ?? image, seccomp, options, limits });
      const made = await api.call('POST', `/containers/create?name=lachesis-sandbox-${id}`, body);
      const containerId = readText(made, 'Id');
      const launcher = createLauncher({ api, containerId, user, limits });
      try {
        await api.call('POST', `/containers/${containerId}/start`);
      } catch (error) {
        await launcher.destroy();
        throw error;
      }
      const sandbox = await createSandboxOver({ id, launcher, limits, options, onDestroyed: () => living.delete(id) });
      living.set(id, sandbox);
      return sandbox;
    },
    async reap(owner) {
      const filters = encodeURIComponent(JSON.stringify({ label: [`${OWNER_LABEL}=${owner}`] }));
      const found = await api.call('GET', `/containers/json?all=true&filters=${filters}`);
      const wanted = (Array.isArray(found) ? found : []).filter(
        (each: { Labels?: Record<string, string> }) => !living.has(each.Labels?.[ID_LABEL] ?? ''),
      );
      await Promise.all(wanted.map((each) => removeContainer(api, readText(each, 'Id'))));
      return wanted.length;
    },
    async close() {
      await Promise.all([...living.values()].map((sandbox) => sandbox.destroy()));
      const placed = await filter?.catch(() => undefined);
      filter = undefined;
      if (placed !== undefined && isAbsolute(placed)) await rm(dirname(placed), { recursive: true, force: true });
    },
  };
}

interface DescribeOptions {
  readonly id: string;
  readonly image: string;
  /** The filter of system calls as the engine takes it. */
  readonly seccomp: string;
  readonly options: CreateSandbox;
  readonly limits: SandboxLimits;
}

function describeContainer({ id, image, options, limits, seccomp }: DescribeOptions): unknown {
  const seconds = options.lifetimeMs === undefined ? 'infinity' : String(Math.ceil(options.lifetimeMs / 1_000));
  return {
    Image: image,
    // Without capabilities, and not the user of the commands: they can end each other and not the container.
    User: '0:0',
    WorkingDir: '/work',
    // The container ends by itself when its time is over, also if nobody is left to end it.
    Cmd: ['sleep', seconds],
    Labels: { [OWNER_LABEL]: options.owner, [ID_LABEL]: id, 'dev.lachesis.sandbox.label': options.label ?? '' },
    NetworkDisabled: true,
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      AutoRemove: true,
      Init: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', `seccomp=${seccomp}`],
      Memory: Math.ceil(limits.memoryBytes),
      MemorySwap: Math.ceil(limits.memoryBytes),
      // The engine's own init and the sleep are two of them.
      PidsLimit: limits.processes + 2,
      Tmpfs: {
        '/work': `rw,exec,nosuid,nodev,size=${Math.ceil(limits.diskBytes)},mode=1777`,
        '/tmp': `rw,exec,nosuid,nodev,size=${Math.ceil(limits.diskBytes)},mode=1777`,
      },
    },
  };
}

interface LauncherOptions {
  readonly api: ContainerApi;
  readonly containerId: string;
  /** Of the commands. */
  readonly user: string;
  readonly limits: SandboxLimits;
}

function createLauncher({ api, containerId, user, limits }: LauncherOptions): Launcher {
  let count = 0;
  const createExec = async (argv: readonly string[], options: Pick<LaunchOptions, 'cwd' | 'env'>) => {
    const env = { PATH, HOME: '/work', LANG: 'C.UTF-8', TMPDIR: '/tmp', ...options.env };
    const made = await api.call('POST', `/containers/${containerId}/exec`, {
      ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false, Cmd: argv, WorkingDir: options.cwd },
      User: user,
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    });
    return readText(made, 'Id');
  };
  return {
    root: '/work',
    isContained: true,
    async launch(argv, options) {
      count += 1;
      const name = `exec-${count}`;
      const seconds = String(Math.ceil(limits.cpuSeconds));
      const execId = await createExec(['/bin/sh', '-c', EXEC_SCRIPT, 'sh', name, seconds, ...argv], options);
      const kill = async (): Promise<void> => {
        const killer = await createExec(['/bin/sh', '-c', KILL_SCRIPT, 'sh', name], { cwd: '/', env: {} });
        await api.call('POST', `/exec/${killer}/start`, { Detach: true, Tty: false });
      };
      return runExec({ api, execId, options, kill });
    },
    async endLeftovers() {
      const place = { cwd: '/', env: {} };
      const execId = await createExec(['/bin/sh', '-c', END_SCRIPT], place);
      const options = { ...place, timeoutMs: END_TIMEOUT_MS, outputBytes: 10_000 };
      const { exitCode, end } = await runExec({ api, execId, options, kill: async () => undefined });
      if (exitCode === 0) return;
      throw new SandboxError({
        kind: 'failed',
        reason: `What commands left running in the container could not be ended (${exitCode ?? end}).`,
        hint: 'Destroy the sandbox; nothing that it says from now on is to be relied on.',
      });
    },
    destroy: () => removeContainer(api, containerId),
  };
}

interface RunExecOptions {
  readonly api: ContainerApi;
  readonly execId: string;
  readonly options: LaunchOptions;
  kill(): Promise<void>;
}

async function runExec({ api, execId, options, kill }: RunExecOptions): Promise<RawResult> {
  const started = performance.now();
  const socket = await api.attach(`/exec/${execId}/start`, { Detach: false, Tty: false });
  let end: ExecEnd = 'exited';
  const stop = (reason: ExecEnd): void => {
    if (end !== 'exited') return;
    end = reason;
    // The stream ends with the process; if the engine cannot end it either, we stop listening.
    void kill().catch(() => undefined);
    setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref();
  };
  const collector = createOutputCollector({ limitBytes: options.outputBytes, onFull: () => stop('output') });
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  const read = createFrameReader((stream, bytes) => {
    const kept = collector.push(stream, bytes);
    if (kept.length > 0) options.onOutput?.({ stream, text: decoders[stream].write(kept), bytes: kept });
  });
  const timer = setTimeout(() => stop('timeout'), options.timeoutMs);
  const abort = (): void => stop('killed');
  options.signal?.addEventListener('abort', abort, { once: true });
  if (options.signal?.aborted === true) abort();
  try {
    const closed = new Promise<void>((resolve) => {
      socket.on('data', read);
      socket.once('error', () => resolve());
      socket.once('end', () => resolve());
      socket.once('close', () => resolve());
    });
    if (options.input === undefined) socket.end();
    else if (typeof options.input === 'string' || options.input instanceof Uint8Array) socket.end(options.input);
    else options.input.pipe(socket);
    await closed;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', abort);
    socket.destroy();
  }
  const facts = await api.call('GET', `/exec/${execId}/json`);
  const code = typeof facts === 'object' && facts !== null && 'ExitCode' in facts ? facts.ExitCode : undefined;
  if (end === 'exited' && typeof code !== 'number') {
    throw new SandboxError({
      kind: 'failed',
      reason: 'The container engine gave no exit code for a command.',
      hint: 'Whether the command ran to its end is not known; create another sandbox.',
    });
  }
  return {
    exitCode: end === 'exited' && typeof code === 'number' ? code : null,
    signal: end === 'exited' ? null : 'SIGKILL',
    ...collector.read(),
    end,
    durationMs: performance.now() - started,
  };
}

/** Docker takes a filter as text, and Podman as a file of its machine, which is this one. */
async function placeFilter(api: ContainerApi): Promise<string> {
  const profile = createSeccompProfile();
  const { Components: parts = [] } = (await api.call('GET', '/version')) as { Components?: { Name?: string }[] };
  if (!parts.some(({ Name = '' }) => Name.startsWith('Podman'))) return profile;
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-filter-'));
  const file = join(folder, 'seccomp.json');
  await writeFile(file, profile);
  return file;
}

async function removeContainer(api: ContainerApi, containerId: string): Promise<void> {
  try {
    await api.call('DELETE', `/containers/${containerId}?force=true&v=true`);
  } catch (error) {
    // It removes itself when it ends, and may have done so.
    if (!(SandboxError.isInstance(error) && /: (404|409) /.test(error.reason))) throw error;
  }
}

function readText(value: unknown, field: string): string {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  if (typeof found === 'string') return found;
  throw new SandboxError({
    kind: 'failed',
    reason: `The container engine answered without ${field}.`,
    hint: 'Check that the socket belongs to Docker or Podman.',
  });
}
