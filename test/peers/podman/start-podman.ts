import { execFile, spawn } from 'node:child_process';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const START_TIMEOUT_MS = 30_000;

/** What images are called in the prepared store. */
export const PODMAN_IMAGE = 'localhost/lachesis-sandbox:1';

export interface Podman {
  readonly socketPath: string;
  stop(): Promise<void>;
}

/** The settings of an engine whose images are in `store` and whose life is in `scratch`. */
export async function writePodmanSettings(store: string, scratch: string): Promise<Record<string, string>> {
  await mkdir(scratch, { recursive: true });
  const storage = join(scratch, 'storage.conf');
  const containers = join(scratch, 'containers.conf');
  await writeFile(
    storage,
    `[storage]\ndriver = "overlay"\nrunroot = "${scratch}/run"\ngraphroot = "${store}/images"\n`,
  );
  await writeFile(
    containers,
    [
      ...['[engine]', 'runtime = "lachesis"', 'cgroup_manager = "cgroupfs"', 'events_logger = "file"'],
      ...[`tmp_dir = "${scratch}/tmp"`, '[engine.runtimes]', `lachesis = ["${import.meta.dirname}/runtime"]`, ''],
    ].join('\n'),
  );
  return {
    ...{ CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: storage },
    ...{ PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: scratch },
  };
}

/** Each command of a container has a monitor that waits five minutes after its end; they are known by our folder in their words. */
async function endMonitors(scratch: string): Promise<void> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const words = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const isOurs = words[0]?.endsWith('conmon') === true && words.includes(join(scratch, 'run'));
    if (isOurs) process.kill(Number(name), 'SIGKILL');
  }
}

/** Starts the engine that `prepare` made an image for; a sentence where that cannot be. */
export async function startPodman(store: string | undefined, scratch: string): Promise<Podman | string> {
  if (store === undefined) return 'LACHESIS_PODMAN is not set: .ci/setup --peers prepares an engine and an image';
  if (process.getuid?.() !== 0) return 'the engine of this suite needs root';
  const isThere = await access(join(store, 'ready')).then(
    () => true,
    () => false,
  );
  if (!isThere) return 'no image was prepared: .ci/setup --peers does';
  const env = await writePodmanSettings(store, scratch);
  const socketPath = join(scratch, 'socket');
  const child = spawn('podman', ['system', 'service', '--time=0', `unix://${socketPath}`], { env, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(5_000)]);
    child.kill('SIGKILL');
    await endMonitors(scratch);
    // The engine keeps mounts of its own below its folder.
    await run('umount', ['-l', join(store, 'images/overlay')]).catch(() => undefined);
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const answered = await run('podman', ['--url', `unix://${socketPath}`, 'version'], { env }).then(
      () => true,
      () => false,
    );
    if (answered) return { socketPath, stop };
    await sleep(100);
  }
  await stop();
  return 'podman did not answer within 30 s';
}
