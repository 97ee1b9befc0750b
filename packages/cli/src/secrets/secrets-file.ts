import { homePaths } from '@lachesis/protocol/home';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { parseSecrets, type Secret } from './parse-secrets.ts';
import { SecretsError } from './secrets-error.ts';

/** The group and everybody else. */
const OTHERS = 0o077;

export const secretsPath = (home: string): string => homePaths(home).secrets;

/**
 * What the file has; none when it is not there. Read without waiting, because it stands before every command and is a few
 * lines.
 */
export function readSecretsFile(home: string): Secret[] {
  const path = secretsPath(home);
  const text = readOwn(path);
  if (text === undefined) return [];
  const { secrets, unreadableLines } = parseSecrets(text);
  const [line] = unreadableLines;
  if (line === undefined) return secrets;
  throw new SecretsError({
    path,
    reason: `cannot be read: line ${line} is not NAME=value`,
    fix: 'Fix or remove that line.',
  });
}

function readOwn(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOTDIR: the home is a file; whoever needs the home says so.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new SecretsError({
      path,
      reason: `cannot be read (${code ?? 'unknown'})`,
      fix: 'Give it to this user: chown, then chmod 600.',
    });
  }
  try {
    // Of the file that is open, so that another cannot be put in its place in between.
    const { mode } = fstatSync(file);
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      throw new SecretsError({
        path,
        reason: `may be read by others (mode ${(mode & 0o777).toString(8)})`,
        fix: `Close it with: chmod 600 ${path}`,
      });
    }
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
