import { homePaths } from '@lachesis/protocol/home';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A public key that signatures are checked with. */
export interface AuditPublicKey {
  keyId: string;
  /** SPKI PEM, as other programs read it. */
  pem: string;
  isSignature(text: string, signature: string): boolean;
}

/** The key with which a home signs its audit log. */
export interface AuditKey extends AuditPublicKey {
  /** Lower-case hex. */
  sign(text: string): string;
}

const SIGNATURE = /^[0-9a-f]{128}$/;

/** The folder of a home in which key and anchor are. */
export function auditDirectory(home: string): string {
  return homePaths(home).audit;
}

/** Reads the key of a home, and makes one where there is none. Two who start at once end up with the same. */
export async function openAuditKey(home: string): Promise<AuditKey> {
  const directory = auditDirectory(home);
  const path = join(directory, 'key.pem');
  const found = await readIfThere(path);
  if (found !== undefined) return toKey(found);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  const { privateKey } = generateKeyPairSync('ed25519');
  const draft = `${path}.${process.pid}.${Math.trunc(performance.now() * 1000)}`;
  await writeFile(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  try {
    // Whole or not at all, and the first one stays.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return toKey(await readFile(path, 'utf8'));
}

/** Reads a public key; a private one stands for its public half. */
export function readAuditPublicKey(pem: string): AuditPublicKey {
  return toPublicKey(createPublicKey(pem));
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function toKey(pem: string): AuditKey {
  const privateKey = createPrivateKey(pem);
  return {
    ...toPublicKey(createPublicKey(privateKey)),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('hex'),
  };
}

function toPublicKey(key: KeyObject): AuditPublicKey {
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new Error(
      `An audit log is signed with Ed25519, and this is a key for ${key.asymmetricKeyType ?? 'nothing'}.`,
    );
  }
  const raw = key.export({ type: 'spki', format: 'der' });
  return {
    keyId: createHash('sha256').update(raw).digest('hex').slice(0, 16),
    pem: key.export({ type: 'spki', format: 'pem' }).toString(),
    // One text for one signature: upper case would be a change that nobody sees.
    isSignature: (text, signature) =>
      SIGNATURE.test(signature) && verify(null, Buffer.from(text), key, Buffer.from(signature, 'hex')),
  };
}
