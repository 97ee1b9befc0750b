import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian puts each major version; its programs are on nobody's PATH. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
  readonly basebackup: string;
}

/** The newest PostgreSQL installed from Debian's packages. */
export function findPostgres(): PostgresPrograms {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
  for (const version of versions.sort((left, right) => Number(right) - Number(left))) {
    const folder = join(DEBIAN_POSTGRES, version, 'bin');
    if (existsSync(join(folder, 'initdb'))) {
      const [initdb = '', postgres = '', basebackup = ''] = ['initdb', 'postgres', 'pg_basebackup'].map((name) =>
        join(folder, name),
      );
      return { initdb, postgres, basebackup };
    }
  }
  throw new Error(`no PostgreSQL under ${DEBIAN_POSTGRES}/*/bin: run .ci/setup, or apt-get install postgresql`);
}

export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root, so root hands it to the user that Debian's package creates. */
export function findPostgresUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name === 'postgres') return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('no user named postgres: run .ci/setup, or apt-get install postgresql');
}

/** `setpriv` becomes the program it starts, so the pid we hold is the program's. */
export function asUser(user: SystemUser | undefined, command: string[], flags: string[] = []): [string, ...string[]] {
  const identity = user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups'];
  return ['setpriv', ...identity, ...flags, ...command];
}
