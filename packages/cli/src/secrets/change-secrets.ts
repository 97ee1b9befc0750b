import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeSecrets, type Secret } from './parse-secrets.ts';
import { SecretsError } from './secrets-error.ts';
import { readSecretsFile, secretsPath } from './secrets-file.ts';

export interface ChangeSecretsOptions {
  home: string;
  now?: () => number;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** A change takes milliseconds; a lock this old is of somebody who died. */
const STALE_LOCK_MS = 10_000;
const RETRY_MS = 20;

export async function setSecret(options: ChangeSecretsOptions & { name: string; value: string }): Promise<void> {
  const { home, name, value, now = Date.now } = options;
  await change(home, (secrets) => [
    ...secrets.filter((secret) => secret.name !== name),
    { name, value, setAt: new Date(now()).toISOString() },
  ]);
}

/** Whether it was there. */
export async function unsetSecret({ home, name }: ChangeSecretsOptions & { name: string }): Promise<boolean> {
  let wasThere = false;
  await change(home, (secrets) => {
    wasThere = secrets.some((secret) => secret.name === name);
    return secrets.filter((secret) => secret.name !== name);
  });
  return wasThere;
}

/** Names and times, by name; never values. */
export function listSecrets({ home }: { home: string }): Omit<Secret, 'value'>[] {
  return readSecretsFile(home)
    .map(({ name, setAt }) => ({ name, setAt }))
    .sort((left, right) => left.name.localeCompare(right.name, 'en'));
}

async function change(home: string, decide: (secrets: Secret[]) => Secret[]): Promise<void> {
  const path = secretsPath(home);
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  await using _held = await holdLock(`${path}.lock`);
  const next = writeSecrets(decide(readSecretsFile(home)));
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await using file = await open(draft, 'wx', PRIVATE_FILE);
    await file.writeFile(next);
    // Without it a cut of the power may leave an empty file under the name.
    await file.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  // Who dies before this line leaves the old file, whole.
  await rename(draft, path);
}

async function holdLock(path: string): Promise<AsyncDisposable> {
  const deadline = performance.now() + 2 * STALE_LOCK_MS;
  for (;;) {
    try {
      await (await open(path, 'wx', PRIVATE_FILE)).close();
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const age = await stat(path).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > STALE_LOCK_MS) await rm(path, { force: true });
      if (performance.now() > deadline) {
        throw new SecretsError({
          path,
          reason: 'is held by another process',
          fix: 'Remove it if none runs, and try again.',
        });
      }
      await sleep(RETRY_MS);
    }
  }
}
